"""Clicks, commands, shortcuts and modals, over Socket Mode and over signed HTTP, with a real Bolt app."""

from __future__ import annotations

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp

from bot.local import LocalSlack
from bot.slack_manifest import slack_manifest
from tests.integration.local.bolt_bots import http_bot, socket_bot, web_client

BUTTONS = [
    {
        "type": "container",
        "title": {"type": "plain_text", "text": "E1"},
        "is_collapsible": True,
        "child_blocks": [
            {
                "type": "actions",
                "block_id": "acts",
                "elements": [
                    {
                        "type": "button",
                        "action_id": "ok",
                        "value": "run-1",
                        "text": {"type": "plain_text", "text": "Approve"},
                    },
                    {
                        "type": "button",
                        "action_id": "secret",
                        "text": {"type": "plain_text", "text": "Only Ann"},
                        "visible_to_user_ids": ["U0ANN"],
                    },
                ],
            }
        ],
    }
]
MODAL = {
    "type": "modal",
    "callback_id": "ask",
    "title": {"type": "plain_text", "text": "Evidence"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": "q",
            "label": {"type": "plain_text", "text": "Question"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
    ],
}


class Desk:
    """Handles every kind of interaction."""

    def __init__(self) -> None:
        self.bodies: dict[str, dict] = {}

    def register(self, app: AsyncApp) -> None:
        @app.action("ok")
        async def ok(ack, body, respond, client):
            self.bodies["action"] = body
            await ack()
            await client.chat_update(channel=body["channel"]["id"], ts=body["message"]["ts"], text="done", blocks=[])
            await respond(text="only you see this", replace_original=False)

        @app.action("modal")
        async def modal(ack, body, client):
            await ack()
            await client.views_open(trigger_id=body["trigger_id"], view=MODAL)

        @app.view("ask")
        async def ask(ack, body):
            self.bodies["view"] = body
            text = body["view"]["state"]["values"]["q"]["text"]["value"]
            if text:
                await ack()
            else:
                await ack(response_action="errors", errors={"q": "please ask something"})

        @app.command("/footnote")
        async def command(ack, body):
            self.bodies["command"] = body
            await ack(text=f"you asked for {body['text']}")

        @app.shortcut("ask_about_message")
        async def shortcut(ack, body, respond):
            self.bodies["shortcut"] = body
            await ack()
            await respond(text="about that message", response_type="in_channel")

        @app.event("message")
        async def message():
            pass

        @app.event("app_home_opened")
        async def home(event, client):
            await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": [{"type": "divider"}]})


@pytest.fixture(params=["socket", "http"])
async def desk(request, slack):
    made = Desk()
    run = socket_bot if request.param == "socket" else http_bot
    async with run(slack, made.register):
        yield made


async def post_buttons(slack, client, action_id="ok") -> str:
    blocks = [{**BUTTONS[0], "child_blocks": [dict(child) for child in BUTTONS[0]["child_blocks"]]}]
    first, second = blocks[0]["child_blocks"][0]["elements"]
    blocks[0]["child_blocks"][0]["elements"] = [{**first, "action_id": action_id}, second]
    return (await client.chat_postMessage(channel="C0SALES", text="card", blocks=blocks))["ts"]


async def test_a_click_inside_a_container_reaches_the_app(slack, client, desk):
    ts = await post_buttons(slack, client)
    outcome = await slack.click("U0ANN", ts, "ok")
    assert outcome.acked
    await slack.wait_for(lambda: slack.ephemerals)
    body = desk.bodies["action"]
    assert body["actions"][0] | {"action_ts": ""} == {
        "type": "button",
        "action_id": "ok",
        "block_id": "acts",
        "value": "run-1",
        "text": {"type": "plain_text", "text": "Approve"},
        "action_ts": "",
    }
    assert body["user"] == {"id": "U0ANN", "username": "ann", "name": "ann", "team_id": "T0FOOTNOTE"}
    assert body["container"]["message_ts"] == body["message"]["ts"] == ts
    assert slack.messages("sales")[0]["text"] == "done"
    assert slack.ephemerals[0]["shown_to"] == "U0ANN"


async def test_a_button_is_shown_only_to_whom_it_names(slack, client, desk):
    ts = await post_buttons(slack, client)
    with pytest.raises(PermissionError):
        await slack.click("U0MIA", ts, "secret")
    with pytest.raises(LookupError):
        await slack.click("U0MIA", ts, "no such action")


async def test_a_modal_opens_is_corrected_and_submitted(slack, client, desk):
    ts = await post_buttons(slack, client, "modal")
    await slack.click("U0MIA", ts, "modal")
    view_id = next(iter(await slack.wait_for(lambda: slack.views)))
    empty = await slack.submit("U0MIA", view_id, {"q": {"text": {"type": "plain_text_input", "value": None}}})
    assert empty.payload["response_action"] == "errors"
    assert slack.views[view_id]["errors"] == {"q": "please ask something"}
    await slack.submit("U0MIA", view_id, {"q": {"text": {"type": "plain_text_input", "value": "how many?"}}})
    assert slack.views == {}
    assert desk.bodies["view"]["user"]["id"] == "U0MIA"


async def test_a_command_is_answered_privately(slack, desk):
    outcome = await slack.command("U0LEO", "sales", "/footnote", "help me")
    assert outcome.acked
    body = desk.bodies["command"]
    assert (body["text"], body["channel_id"], body["user_id"]) == ("help me", "C0SALES", "U0LEO")
    assert [(m["shown_to"], m["text"]) for m in slack.ephemerals] == [("U0LEO", "you asked for help me")]
    with pytest.raises(LookupError):
        await slack.command("U0LEO", "sales", "/other")


async def test_a_message_shortcut_answers_in_the_channel(slack, desk):
    slack.app.shortcuts["ask_about_message"] = "Ask about this"
    ts = await slack.say("sales", "U0MIA", "revenue fell")
    await slack.shortcut("U0LEO", ts, "ask_about_message")
    await slack.wait_for(lambda: len(slack.messages("sales")) == 2)
    assert desk.bodies["shortcut"]["message"]["text"] == "revenue fell"


async def test_no_shortcut_is_offered_that_our_manifest_lacks(slack, desk):
    declared = slack_manifest()["features"].get("shortcuts", [])
    assert slack.app.shortcuts == {each["callback_id"]: each["name"] for each in declared}
    ts = await slack.say("sales", "U0MIA", "revenue fell")
    with pytest.raises(LookupError):
        await slack.shortcut("U0LEO", ts, "ask_about_message")


async def test_app_home_is_published_when_opened(slack, desk):
    await slack.open_home("U0MIA")
    await slack.wait_for(lambda: slack.home("U0MIA"))
    assert slack.home("U0MIA")["type"] == "home"


async def test_an_unhandled_click_is_not_acknowledged(clock):
    async with (
        LocalSlack(clock=clock, ack_seconds=0.2) as slack,
        web_client(slack) as client,
        socket_bot(slack, Desk().register),
    ):
        ts = await post_buttons(slack, client, "nobody")
        outcome = await slack.click("U0MIA", ts, "nobody")
    assert not outcome.acked


async def test_a_trigger_is_used_once_and_within_three_seconds(slack, client, clock):
    slack.app.mode = "http"
    slack.app.request_url = f"{slack.url}/nobody-listens"
    ts = await post_buttons(slack, client)
    outcome = await slack.click("U0MIA", ts, "ok")
    assert outcome.acked is False and outcome.reason == "http_error"
    assert (await client.views_open(trigger_id=outcome.trigger_id, view=MODAL))["view"]["hash"]
    for trigger, wait, error in (
        (outcome.trigger_id, 0, "exchanged_trigger_id"),
        ((await slack.click("U0MIA", ts, "ok")).trigger_id, 3.1, "expired_trigger_id"),
        ("1.made-up", 0, "invalid_trigger_id"),
    ):
        clock.step(wait)
        with pytest.raises(Exception, match=error):
            await client.views_open(trigger_id=trigger, view=MODAL)


async def test_a_response_url_lives_thirty_minutes_and_five_uses(slack, client, clock):
    slack.app.mode, slack.app.request_url = "http", f"{slack.url}/nobody-listens"
    ts = await post_buttons(slack, client)
    url = (await slack.click("U0MIA", ts, "ok")).response_url
    late = (await slack.click("U0MIA", ts, "ok")).response_url
    async with aiohttp.ClientSession() as http:
        for _ in range(5):
            async with http.post(url, json={"text": "again", "replace_original": True}) as reply:
                assert await reply.text() == "ok"
        async with http.post(url, json={"text": "once more"}) as reply:
            assert (reply.status, (await reply.json())["error"]) == (404, "used_url")
        clock.step(30 * 60 + 1)
        async with http.post(late, json={"text": "late"}) as reply:
            assert (reply.status, (await reply.json())["error"]) == (404, "expired_url")
    assert slack.messages("sales")[0]["text"] == "again"

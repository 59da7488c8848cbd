"""The Web API through the unchanged SDK: posting, editing, reading, people, tokens, pace."""

from __future__ import annotations

import json

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

from bot.local import LocalSlack
from tests.integration.local.bolt_bots import web_client


async def refused(call) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response["error"]


async def test_auth_test_names_the_bot(client):
    who = await client.auth_test()
    assert (who["user_id"], who["bot_id"], who["team_id"]) == ("U0FOOTNOTE", "B0FOOTNOTE", "T0FOOTNOTE")
    assert who["is_enterprise_install"] is False
    assert "chat:write" in who.headers["x-oauth-scopes"].split(",")


async def test_a_thread_is_posted_read_edited_and_deleted(slack, client):
    root = await client.chat_postMessage(
        channel="C0SALES", text="root", metadata={"event_type": "a", "event_payload": {}}
    )
    reply = await client.chat_postMessage(channel="C0SALES", text="reply", thread_ts=root["ts"])
    await client.chat_update(channel="C0SALES", ts=reply["ts"], text="better")
    thread = await client.conversations_replies(channel="C0SALES", ts=root["ts"], include_all_metadata=True)
    assert [m["text"] for m in thread["messages"]] == ["root", "better"]
    assert thread["messages"][0]["metadata"]["event_type"] == "a"
    assert thread["messages"][0]["reply_count"] == 1
    assert thread["messages"][1]["edited"]["user"] == "U0FOOTNOTE"
    plain = await client.conversations_replies(channel="C0SALES", ts=root["ts"])
    assert "metadata" not in plain["messages"][0]
    await client.chat_delete(channel="C0SALES", ts=root["ts"])
    assert await refused(client.conversations_replies(channel="C0SALES", ts=root["ts"])) == "thread_not_found"
    assert (
        await refused(client.chat_postMessage(channel="C0SALES", text="x", thread_ts=root["ts"])) == "thread_not_found"
    )


async def test_arguments_come_as_query_form_or_json(slack):
    blocks = [{"type": "section", "text": {"type": "plain_text", "text": "hi"}}]
    form = {"channel": "C0SALES", "text": "form", "blocks": json.dumps(blocks)}
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession(slack.api_url, headers=headers) as http:
        for options in (
            {"data": form},
            {"params": form},
            {"json": {**form, "blocks": blocks}},
            {"data": {**form, "token": slack.bot_token}, "headers": {"Authorization": ""}},
        ):
            async with http.post("chat.postMessage", **options) as reply:
                answer = await reply.json()
            assert answer["ok"], answer
            assert answer["message"]["blocks"][0]["text"]["text"] == "hi"
    assert [call.args["blocks"] for call in slack.calls] == [blocks] * 4


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("C0OTHER", "not_in_channel"),
        ("C0NOWHERE", "channel_not_found"),
        ("C0OLD", "is_archived"),
    ],
)
async def test_where_the_bot_cannot_post(client, channel, error):
    assert await refused(client.chat_postMessage(channel=channel, text="x")) == error


async def test_a_private_channel_without_the_bot_does_not_exist_for_it(slack, client):
    await slack.leave("finance", "U0FOOTNOTE")
    assert await refused(client.chat_postMessage(channel="C0FIN", text="x")) == "channel_not_found"
    assert await refused(client.conversations_info(channel="C0FIN")) == "channel_not_found"


async def test_posting_to_a_person_opens_the_direct_message(slack, client):
    sent = await client.chat_postMessage(channel="U0MIA", text="psst")
    assert sent["channel"] == slack.dm("U0MIA")
    opened = await client.conversations_open(users="U0MIA")
    assert opened["channel"]["id"] == sent["channel"]


async def test_only_own_messages_are_edited_or_deleted(slack, client):
    ts = await slack.say("sales", "U0MIA", "mine")
    assert await refused(client.chat_update(channel="C0SALES", ts=ts, text="x")) == "cant_update_message"
    assert await refused(client.chat_delete(channel="C0SALES", ts=ts)) == "cant_delete_message"
    assert await refused(client.chat_update(channel="C0SALES", ts="1.000001", text="x")) == "message_not_found"


async def test_text_limits(slack, client):
    long = await client.chat_postMessage(channel="C0SALES", text="x" * 40_001)
    assert long["response_metadata"]["warnings"] == ["message_truncated"]
    assert len(long["message"]["text"]) == 40_000
    assert "Slack may split it" in slack.cautions[0]
    assert await refused(client.chat_update(channel="C0SALES", ts=long["ts"], text="x" * 4_001)) == "msg_too_long"
    assert await refused(client.api_call("chat.postMessage", json={"channel": "C0SALES", "text": ""})) == "no_text"
    assert await refused(client.chat_postMessage(channel="C0SALES", markdown_text="x" * 12_001)) == "msg_too_long"
    assert (
        await refused(client.chat_postMessage(channel="C0SALES", markdown_text="x", text="y"))
        == "markdown_text_conflict"
    )
    assert [r.error for r in slack.refusals] == ["msg_too_long", "no_text", "msg_too_long", "markdown_text_conflict"]


async def test_an_update_keeps_what_it_does_not_name(client):
    blocks = [{"type": "divider", "block_id": "d"}]
    sent = await client.chat_postMessage(channel="C0SALES", text="one", blocks=blocks)
    changed = await client.chat_update(channel="C0SALES", ts=sent["ts"], text="two")
    assert changed["message"]["blocks"] == blocks
    emptied = await client.chat_update(channel="C0SALES", ts=sent["ts"], text="three", blocks=[])
    assert "blocks" not in emptied["message"]


async def test_an_ephemeral_message_is_in_no_history(slack, client):
    await client.chat_postEphemeral(channel="C0SALES", user="U0MIA", text="for you")
    assert slack.messages("sales") == []
    assert [(m["shown_to"], m["text"]) for m in slack.ephemerals] == [("U0MIA", "for you")]
    assert await refused(client.chat_postEphemeral(channel="C0SALES", user="U0GUS", text="x")) == "user_not_in_channel"


async def test_history_is_paged_newest_first(slack, client):
    for n in range(5):
        await slack.say("sales", "U0MIA", f"message {n}")
    texts: list[str] = []
    async for page in await client.conversations_history(channel="C0SALES", limit=2):
        texts += [m["text"] for m in page["messages"]]
    assert texts == [f"message {n}" for n in (4, 3, 2, 1, 0)]
    assert await refused(client.conversations_history(channel="C0OTHER")) == "not_in_channel"
    assert await refused(client.conversations_history(channel="C0SALES", cursor="nonsense")) == "invalid_cursor"


async def test_every_page_of_a_thread_begins_with_its_root(slack, client):
    root = await slack.say("sales", "U0MIA", "root")
    for n in range(3):
        await slack.say("sales", "U0LEO", f"reply {n}", thread_ts=root)
    first = await client.conversations_replies(channel="C0SALES", ts=root, limit=2)
    cursor = first["response_metadata"]["next_cursor"]
    second = await client.conversations_replies(channel="C0SALES", ts=root, limit=2, cursor=cursor)
    assert [m["text"] for m in first["messages"]] == ["root", "reply 0", "reply 1"]
    assert [m["text"] for m in second["messages"]] == ["root", "reply 2"]
    assert (first["has_more"], second["has_more"]) == (True, False)


async def test_channels_and_members(slack, client):
    listed = await client.conversations_list(types="public_channel,private_channel", exclude_archived=True)
    names = {channel["name"]: channel for channel in listed["channels"]}
    assert names.keys() == {"sales", "general", "finance", "with-partner", "random"}
    assert names["with-partner"]["is_ext_shared"] and not names["random"]["is_member"]
    members = await client.conversations_members(channel="C0FIN")
    assert members["members"] == ["U0ANN", "U0MIA", "U0FOOTNOTE"]
    direct = await client.conversations_info(channel=slack.dm("U0LEO"))
    assert (direct["channel"]["is_im"], direct["channel"]["user"]) == (True, "U0LEO")


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("U0MIA", {"is_restricted": False, "is_bot": False, "tz": "Europe/Berlin"}),
        ("U0GUS", {"is_restricted": True, "is_ultra_restricted": False}),
        ("U0SIN", {"is_restricted": True, "is_ultra_restricted": True}),
        ("U0XEN", {"is_stranger": True, "team_id": "T0PARTNER"}),
        ("U0OLD", {"deleted": True}),
        ("U0FOOTNOTE", {"is_bot": True}),
    ],
)
async def test_people_are_what_they_are(client, user, expected):
    shown = (await client.users_info(user=user))["user"]
    assert {name: shown[name] for name in expected} == expected


async def test_unknown_people_and_groups(client):
    assert await refused(client.users_info(user="U0NOBODY")) == "user_not_found"
    assert (await client.usergroups_users_list(usergroup="S0APPR"))["users"] == ["U0ANN"]
    assert await refused(client.usergroups_users_list(usergroup="S0NONE")) == "no_such_subteam"


async def test_tokens_and_scopes(slack, client):
    async with web_client(slack, "xoxb-wrong") as stranger:
        assert await refused(stranger.auth_test()) == "invalid_auth"
    async with web_client(slack, slack.app_token) as wrong_kind:
        assert await refused(wrong_kind.auth_test()) == "not_allowed_token_type"
    async with aiohttp.ClientSession() as http, http.post(f"{slack.api_url}auth.test") as reply:
        assert (await reply.json())["error"] == "not_authed"
    slack.app.scopes.discard("users:read")
    with pytest.raises(SlackApiError) as caught:
        await client.users_info(user="U0MIA")
    assert caught.value.response["error"] == "missing_scope"
    assert caught.value.response["needed"] == "users:read"
    assert "chat:write" in caught.value.response["provided"]
    await slack.revoke_tokens()
    assert await refused(client.auth_test()) == "token_revoked"


async def test_an_unknown_method_is_named(client):
    assert await refused(client.api_call("chat.sing")) == "unknown_method"


async def test_status_needs_a_thread_and_expires_after_two_minutes(slack, client, clock):
    root = await slack.say("sales", "U0MIA", "root")
    assert (
        await refused(client.assistant_threads_setStatus(channel_id="C0SALES", thread_ts="1.2", status="x"))
        == "thread_not_found"
    )
    await client.assistant_threads_setStatus(channel_id="C0SALES", thread_ts=root, status="is reading…")
    assert slack.status("sales", root) == "is reading…"
    clock.step(121)
    assert slack.status("sales", root) == ""


async def test_pace_is_enforced_by_the_clock_when_asked_for(clock):
    async with LocalSlack(clock=clock, enforce_rate=True) as slack, web_client(slack) as client:
        await client.chat_postMessage(channel="C0SALES", text="one")
        with pytest.raises(SlackApiError) as caught:
            await client.chat_postMessage(channel="C0SALES", text="two")
        assert caught.value.response["error"] == "ratelimited"
        assert caught.value.response.status_code == 429
        assert caught.value.response.headers["Retry-After"] == "1"
        await client.chat_postMessage(channel="C0GENERAL", text="elsewhere is fine")
        clock.step(1)
        await client.chat_postMessage(channel="C0SALES", text="two")
        for _ in range(20):
            await client.conversations_list()
        assert await refused(client.conversations_list()) == "ratelimited"
        clock.step(60)
        await client.conversations_list()


async def test_a_reaction_is_added_once(slack, client):
    ts = await slack.say("sales", "U0MIA", "nice")
    await client.reactions_add(channel="C0SALES", timestamp=ts, name="eyes")
    assert await refused(client.reactions_add(channel="C0SALES", timestamp=ts, name="eyes")) == "already_reacted"
    assert slack.messages("sales")[0]["reactions"][0]["count"] == 1


async def test_streams_grow_stop_and_die(slack, client, clock):
    root = await slack.tell("U0MIA", "stream please")
    channel = slack.dm("U0MIA")
    started = await client.chat_startStream(channel=channel, thread_ts=root, markdown_text="one ")
    await client.chat_appendStream(channel=channel, ts=started["ts"], markdown_text="two")
    assert await refused(client.chat_update(channel=channel, ts=started["ts"], text="x")) == "streaming_state_conflict"
    await client.chat_stopStream(channel=channel, ts=started["ts"], blocks=[{"type": "divider"}])
    message = slack.answers(channel, root)[0]
    assert message["text"] == "one two"
    assert [block["type"] for block in message["blocks"]] == ["markdown", "divider"]
    assert (
        await refused(client.chat_appendStream(channel=channel, ts=started["ts"], markdown_text="late"))
        == "message_not_in_streaming_state"
    )
    dying = await client.chat_startStream(channel=channel, thread_ts=root, markdown_text="…")
    clock.step(301)
    assert (
        await refused(client.chat_appendStream(channel=channel, ts=dying["ts"], markdown_text="x"))
        == "message_not_in_streaming_state"
    )


async def test_a_stream_in_a_channel_names_its_recipient(slack, client):
    root = await slack.say("sales", "U0MIA", "root")
    assert await refused(client.chat_startStream(channel="C0SALES", thread_ts=root)) == "missing_recipient_user_id"

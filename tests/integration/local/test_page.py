"""The page's routes: what each person sees, what they may do, and who is kept out."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

from bot.local import page_view, page_wire, start_local
from tests.integration.local.bolt_bots import socket_bot

PAGE = Path(page_view.__file__).parent / "page"


@pytest.fixture
async def page(slack):
    async with aiohttp.ClientSession(slack.url) as session:
        yield session


async def test_the_page_and_everything_it_loads_is_served(page):
    async with page.get("/") as reply:
        html = await reply.text()
        assert "script-src 'self'" in reply.headers["Content-Security-Policy"]
    wanted = set(re.findall(r'(?:src|href)="(/page/[^"]+)"', html))
    for module in PAGE.glob("*.js"):
        wanted |= {f"/page/{name}" for name in re.findall(r'from "\./([^"]+)"', module.read_text())}
    assert len(wanted) > 8
    for path in sorted(wanted):
        async with page.get(path) as reply:
            assert reply.status == 200, path


async def test_no_module_turns_strings_into_markup():
    for module in PAGE.glob("*.js"):
        source = module.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", source), module.name


async def test_a_visitor_sits_down_where_a_change_can_be_asked_for_that_somebody_else_approves(page):
    async with page.get("/page/api/world") as reply:
        world = await reply.json()
    me = next(person for person in world["people"] if person["id"] == world["me"])
    assert (me["kind"], me["admin"]) == ("member", False)


@pytest.mark.parametrize("path", ["/page/..%2Fserver.py", "/page/nothing.js", "/page/style.txt"])
async def test_only_the_pages_own_files_are_served(page, path):
    async with page.get(path) as reply:
        assert reply.status == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8300"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/", "/page/api/world", "/api/auth.test", "/page/api/feed"])
async def test_other_sites_are_kept_out(page, path, headers, status):
    async with page.get(path, headers=headers) as reply:
        assert reply.status == status


async def test_an_act_must_be_json_from_a_known_person(slack, page):
    body = {"user": "U0MIA", "channel": "C0SALES", "text": "hi"}
    async with page.post("/page/api/say", data=json.dumps(body), headers={"Content-Type": "text/plain"}) as reply:
        assert (await reply.json())["error"] == "json_required"
    async with page.post("/page/api/say", json={**body, "user": "U0NOBODY"}) as reply:
        assert (await reply.json())["error"] == "user_not_found"
    assert slack.messages("sales") == []


async def test_typed_text_becomes_slack_text(slack, page):
    text = "@footnote is 2 < 3 & 4 > 3 in #sales? ask @mia. <!channel> mail@footnote.example"
    async with page.post("/page/api/say", json={"user": "U0LEO", "channel": "C0SALES", "text": text}) as reply:
        assert (await reply.json())["ok"]
    assert slack.messages("sales")[0]["text"] == (
        "<@U0FOOTNOTE> is 2 &lt; 3 &amp; 4 &gt; 3 in <#C0SALES|sales>? ask <@U0MIA>. "
        "&lt;!channel&gt; mail@footnote.example"
    )


async def test_a_file_goes_up_and_comes_down(slack, page):
    headers = {"Content-Type": "application/octet-stream"}
    async with page.post("/page/api/upload?name=o.csv", data=b"a\n1\n", headers=headers) as reply:
        upload = (await reply.json())["upload"]
    body = {"user": "U0MIA", "channel": "C0SALES", "text": "@footnote look", "uploads": [upload]}
    async with page.post("/page/api/say", json=body) as reply:
        assert (await reply.json())["ok"]
    message = slack.messages("sales")[0]
    assert message["subtype"] == "file_share"
    async with page.get(f"/page/files/{message['files'][0]['id']}") as reply:
        assert await reply.read() == b"a\n1\n"
        assert reply.headers["Content-Disposition"].startswith("attachment")


async def test_two_files_of_one_name_go_up_with_one_message(slack, page):
    uploads = []
    for content in (b"a\n1\n", b"a\n2\n"):
        headers = {"Content-Type": "application/octet-stream"}
        async with page.post("/page/api/upload?name=o.csv", data=content, headers=headers) as reply:
            uploads.append((await reply.json())["upload"])
    body = {"user": "U0MIA", "channel": "C0SALES", "text": "@footnote look", "uploads": uploads}
    async with page.post("/page/api/say", json=body) as reply:
        assert (await reply.json())["ok"]
    (message,) = slack.messages("sales")
    assert [file["name"] for file in message["files"]] == ["o.csv", "o.csv"]


async def test_people_see_what_they_may(slack, page):
    await slack.say("finance", "U0ANN", "secret numbers")
    async with page.get("/page/api/world?user=U0GUS") as reply:
        seen = {channel["name"] for channel in (await reply.json())["channels"]}
    assert seen == {"general"}
    async with page.get("/page/api/channel/C0FIN?user=U0LEO") as reply:
        assert (await reply.json())["error"] == "channel_not_found"
    async with page.get("/page/api/channel/C0FIN?user=U0MIA") as reply:
        assert (await reply.json())["messages"][0]["text"] == "secret numbers"


async def test_private_answers_are_shown_to_one_person(slack, page, client):
    await client.chat_postEphemeral(channel="C0SALES", user="U0MIA", text="for mia")
    for user, count in (("U0MIA", 1), ("U0LEO", 0)):
        async with page.get(f"/page/api/channel/C0SALES?user={user}") as reply:
            assert len((await reply.json())["messages"]) == count


async def test_the_feed_tells_of_changes_and_ends_with_the_server(slack, page):
    async with page.get("/page/api/feed") as feed:
        await slack.say("sales", "U0MIA", "news")
        line = await asyncio.wait_for(feed.content.readline(), 60)
        assert json.loads(line.removeprefix(b"data: "))["kind"] == "message"
        slack.workspace.changes.end_feeds()
        await asyncio.wait_for(feed.content.read(), 60)


async def test_a_button_and_a_command_work_from_the_page(slack, page, client):
    pressed = []

    def register(app):
        @app.action("go")
        async def go(ack, body):
            pressed.append(body["actions"][0])
            await ack()

        @app.command("/footnote")
        async def command(ack):
            await ack("helped")

        @app.event("message")
        async def message():
            pass

    button = {"type": "button", "action_id": "go", "value": "v", "text": {"type": "plain_text", "text": "Go"}}
    async with socket_bot(slack, register):
        blocks = [{"type": "actions", "block_id": "b", "elements": [button]}]
        ts = (await client.chat_postMessage(channel="C0SALES", text="press", blocks=blocks))["ts"]
        click = {"user": "U0MIA", "channel": "C0SALES", "ts": ts, "action_id": "go", "block_id": "b"}
        async with page.post("/page/api/click", json=click) as reply:
            assert (await reply.json())["acked"]
        command = {"user": "U0MIA", "channel": "C0SALES", "text": "/footnote help"}
        async with page.post("/page/api/command", json=command) as reply:
            assert (await reply.json())["acked"]
    assert pressed[0]["value"] == "v"
    assert slack.ephemerals[0]["text"] == "helped"


async def test_the_wire_goes_on_where_it_was_left_and_hides_what_opens_something(slack, page, client):
    await client.chat_postMessage(channel="C0SALES", text="one")
    first = await wire_since(page, 0, 0)
    posted = [entry for entry in first["entries"] if entry["name"] == "chat.postMessage"]
    assert [(entry["way"], entry["ok"], entry["sent"]["text"]) for entry in posted] == [("call", True, "one")]
    await client.chat_postMessage(channel="C0SALES", text="two")
    upload = await client.files_getUploadURLExternal(filename="a.csv", length=4)
    second = await wire_since(page, first["calls"], first["deliveries"])
    names = [entry["name"] for entry in second["entries"] if entry["way"] == "call"]
    assert names == ["chat.postMessage", "files.getUploadURLExternal"]
    assert upload["upload_url"] not in json.dumps(second) and '"upload_url": "(hidden)"' in json.dumps(second)
    assert (await wire_since(page, second["calls"], second["deliveries"]))["entries"] == []


async def test_the_wire_names_a_refusal(slack, page, client):
    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel="C0NOWHERE", text="one")
    entry = (await wire_since(page, 0, 0))["entries"][-1]
    assert (entry["name"], entry["ok"], entry["outcome"]) == ("chat.postMessage", False, "channel_not_found")


@pytest.mark.parametrize("name", ["token", "response_url", "trigger_id", "upload_url", "signing_secret"])
def test_a_secret_is_hidden_at_any_depth(name):
    shown = page_wire.without_secrets({"a": [{name: "s3cret", "text": "kept"}], name: ""})
    assert shown == {"a": [{name: "(hidden)", "text": "kept"}], name: ""}


async def wire_since(page, calls, deliveries):
    async with page.get(f"/page/api/wire?calls={calls}&deliveries={deliveries}") as reply:
        return await reply.json()


async def test_a_fault_is_switched_from_the_page(slack, page):
    async with page.post("/page/api/fault", json={"user": "U0ANN", "name": "duplicate"}) as reply:
        assert (await reply.json())["ok"]
    assert slack.faults.events.copies == 2


async def test_the_next_free_port_is_taken_and_only_loopback(clock):
    first = await start_local(port=8431, clock=clock)
    second = await start_local(port=first.port, clock=clock)
    try:
        assert second.port > first.port
    finally:
        await first.close()
        await second.close()
    with pytest.raises(ValueError, match="loopback only"):
        await start_local(host="0.0.0.0")


async def test_the_page_knows_where_the_app_is_missing_and_who_else_reads(slack):
    world = page_view.world(slack.workspace, "U0ANN")
    seen = {each["name"]: (each["app"], each["outsiders"]) for each in world["channels"]}
    assert seen["sales"] == (True, False)
    assert seen["general"] == seen["with-partner"] == (True, True)
    assert seen["random"] == (False, False)
    assert world["direct"][0]["app"] is True


async def test_a_person_invites_the_app(slack, page):
    async with page.post("/page/api/invite", json={"user": "U0LEO", "channel": "C0OTHER"}) as reply:
        assert reply.status == 200
    assert slack.app.bot_user in slack.workspace.channel_named("random").members
    async with page.post("/page/api/invite", json={"user": "U0LEO", "channel": "C0OLD"}) as reply:
        assert (await reply.json())["error"] == "is_archived"
    async with page.post("/page/api/invite", json={"user": "U0GUS", "channel": "C0FIN"}) as reply:
        assert (await reply.json())["error"] == "channel_not_found"

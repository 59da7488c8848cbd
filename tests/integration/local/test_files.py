"""Files in three steps, their slow processing, and their download."""

from __future__ import annotations

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError


async def test_a_file_uploaded_by_the_sdk_is_shared_in_the_thread(slack, client):
    root = await slack.say("sales", "U0MIA", "give me a file")
    sent = await client.files_upload_v2(
        channel="C0SALES", thread_ts=root, content="a,b\n1,2\n", filename="result.csv", title="Result", alt_txt="rows"
    )
    assert sent["file"]["title"] == "Result"
    assert sent["file"]["shares"] == {}
    shared = slack.answers("sales", root)[0]
    assert shared["files"][0]["name"] == "result.csv"
    assert slack.file(sent["file"]["id"]) == b"a,b\n1,2\n"
    info = await client.files_info(file=sent["file"]["id"])
    assert info["file"]["mimetype"] == "text/csv"
    assert info["file"]["shares"]["public"]["C0SALES"][0]["thread_ts"] == root


async def test_an_empty_file_is_refused_as_slack_does(client):
    with pytest.raises(SlackApiError) as caught:
        await client.files_getUploadURLExternal(filename="empty.csv", length=0)
    assert caught.value.response["error"] == "missing_argument"


async def test_the_bytes_must_have_the_announced_length(slack, client):
    address = await client.files_getUploadURLExternal(filename="a.csv", length=10)
    async with aiohttp.ClientSession() as http, http.post(address["upload_url"], data=b"short") as reply:
        assert reply.status == 400
    with pytest.raises(SlackApiError) as caught:
        await client.files_completeUploadExternal(files=[{"id": address["file_id"], "title": "a"}])
    assert caught.value.response["error"] == "file_not_found"


async def test_held_processing_shows_nothing_until_it_is_released(slack, client):
    slack.faults.hold_files()
    root = await slack.say("sales", "U0MIA", "root")
    sent = await client.files_upload_v2(channel="C0SALES", thread_ts=root, content="x", filename="chart.png")
    info = (await client.files_info(file=sent["file"]["id"]))["file"]
    assert "mimetype" not in info and info["shares"] == {}
    image = [{"type": "image", "alt_text": "chart", "slack_file": {"id": sent["file"]["id"]}}]
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0SALES", text="chart", blocks=image)
    assert caught.value.response["error"] == "invalid_blocks"
    slack.faults.release_files()
    assert len(slack.answers("sales", root)) == 1
    await client.chat_postMessage(channel="C0SALES", text="chart", blocks=image)


async def test_a_share_can_be_lost_for_good(slack, client):
    slack.faults.drop_file_shares()
    root = await slack.say("sales", "U0MIA", "root")
    sent = await client.files_upload_v2(channel="C0SALES", thread_ts=root, content="x", filename="a.csv")
    info = (await client.files_info(file=sent["file"]["id"]))["file"]
    assert info["mimetype"] == "text/csv" and info["shares"] == {}
    assert slack.answers("sales", root) == []


async def test_a_download_needs_the_token_and_its_scope(slack):
    ts = await slack.say("sales", "U0MIA", "here", files={"orders.csv": b"id\n1\n"})
    address = slack.messages("sales", ts)[0]["files"][0]["url_private_download"]
    good = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession() as http:
        async with http.get(address, headers=good) as reply:
            assert await reply.read() == b"id\n1\n"
        slack.app.scopes.discard("files:read")
        for headers in (good, {}):
            async with http.get(address, headers=headers) as reply:
                assert (reply.status, reply.content_type) == (200, "text/html")


async def test_a_file_is_deleted_from_its_message(slack, client):
    root = await slack.say("sales", "U0MIA", "root")
    sent = await client.files_upload_v2(channel="C0SALES", thread_ts=root, content="x", filename="a.csv")
    await client.files_delete(file=sent["file"]["id"])
    assert slack.answers("sales", root)[0]["files"] == []
    with pytest.raises(SlackApiError):
        await client.files_info(file=sent["file"]["id"])


async def test_an_update_attaches_a_private_upload(slack, client):
    message = await client.chat_postMessage(channel="C0SALES", text="with file")
    sent = await client.files_upload_v2(content="x", filename="a.csv")
    changed = await client.chat_update(
        channel="C0SALES", ts=message["ts"], text="with file", file_ids=[sent["file"]["id"]]
    )
    assert changed["message"]["files"][0]["name"] == "a.csv"

"""Files: late, dropped, refused, interrupted; in the end they are in the thread once, or the thread is told."""

from __future__ import annotations

import pytest

from bot.render.files import FilePart
from tests.integration.delivery.samples import answer

FILE = FilePart("E1-orders.csv", "E1 as CSV", "Result E1", b"a\r\n1\r\n", "E1")


def shown(bench):
    return [message for message in bench.answers() if message.get("files")]


async def test_a_late_file_is_waited_for(bench):
    bench.slack.faults.hold_files()
    bench.naps.at[3] = bench.slack.faults.release_files
    await bench.put([], [FILE])
    assert (await bench.drain()).complete
    assert len(shown(bench)) == 1 and len(bench.slack.calls_to("files.completeUploadExternal")) == 1


async def test_a_dropped_share_is_shared_again(bench):
    bench.slack.faults.drop_file_shares()
    await bench.put([], [FILE])
    assert (await bench.drain()).complete
    assert len(shown(bench)) == 1 and len(bench.slack.calls_to("files.completeUploadExternal")) == 2


async def test_a_share_that_never_lands_is_said(bench):
    bench.slack.faults.drop_file_shares(2)
    await bench.put([], [FILE])
    drained = await bench.drain()
    assert drained.failed[0].reason.startswith("file_not_shared")
    assert [message["text"] for message in bench.answers()] == ["The file E1-orders.csv could not be attached."]


async def test_a_lost_reply_of_the_share_is_looked_for(bench):
    bench.slack.faults.lose_reply("files.completeUploadExternal")
    await bench.put([], [FILE])
    assert (await bench.drain()).complete
    assert len(shown(bench)) == 1


async def test_the_next_process_goes_on_with_the_uploaded_bytes(bench):
    bench.slack.faults.lose_request("files.completeUploadExternal")
    bench.slack.faults.error("files.info", "internal_error")
    await bench.put([], [FILE])
    assert (await bench.drain()).unfinished
    assert (await bench.drain(sender=bench.sender())).complete
    assert len(shown(bench)) == 1 and len(bench.slack.calls_to("files.getUploadURLExternal")) == 1


async def test_without_files_write_the_thread_is_told(bench):
    bench.slack.app.scopes.discard("files:write")
    messages, files = answer()
    await bench.put(messages, files)
    drained = await bench.drain()
    assert len(drained.sent) == 2 and drained.failed[0].reason.endswith("(scope files:write)")
    assert bench.answers()[-1]["text"] == "The file E1-orders.csv could not be attached."


async def test_without_files_read_the_share_is_trusted(bench):
    bench.slack.app.scopes.discard("files:read")
    await bench.put([], [FILE])
    assert (await bench.drain()).complete
    assert len(shown(bench)) == 1


async def test_an_upload_that_breaks_off_leaves_nothing_behind(bench):
    bench.slack.faults.lose_reply("files.getUploadURLExternal")
    await bench.put([], [FILE])
    assert (await bench.drain()).complete
    assert len(shown(bench)) == 1


def test_an_empty_file_cannot_be_made():
    with pytest.raises(ValueError, match="at least one byte"):
        FilePart("x.csv", "x", "x", b"")

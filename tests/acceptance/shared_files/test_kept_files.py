"""How long a shared file is kept: over a kill, until it is deleted in Slack, and no longer than the policy says."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

from runtime.clock import SystemClock
from runtime.testing.messages_api import Reply
from tests.acceptance.shared_files.conftest import ZEBRAFISH, calls, done, results, told


class Later(SystemClock):
    """A clock that is days ahead."""

    def __init__(self, days: int) -> None:
        self._ahead = timedelta(days=days)

    def now(self) -> datetime:
        return super().now() + self._ahead


def traces(folder: Path) -> list[Path]:
    """The files below the data folder that hold the shared file's words."""
    found = [path for path in (folder / "cache").rglob("*") if path.is_file()]
    return [path for path in found if b"stripe_id" in path.read_bytes()]


async def test_a_kill_between_fetching_and_answering_loses_nothing(stage, scripted) -> None:
    asked = asyncio.Event()

    def script(body) -> Reply:
        if not asked.is_set():
            asked.set()
            return Reply("", fault="hang")
        return calls(("run_sql", {"sql": "select fin from zebrafish"}))(body)

    async with scripted(script) as endpoint:
        process = await stage.start()
        ts = await stage.slack.ask("C0SALES", "U0MIA", "how long is it?", files={"zebrafish.csv": ZEBRAFISH})
        await asyncio.wait_for(asked.wait(), 180)
        process.kill()
        await process.wait()
        (stored,) = stage.slack.workspace.files.values()
        stored.content = None  # whoever fetched it again would not get it
        async with stage.process():
            await done(stage, "C0SALES", ts, 1)
    assert (
        told(endpoint.requests[0]).split("Attached to this question")[1]
        == told(endpoint.requests[1]).split("Attached to this question")[1]
    )
    assert "61.75" in str(results(endpoint.requests[-1]))


async def test_bytes_that_this_machine_lacks_are_fetched_again(stage, scripted) -> None:
    async with scripted(calls(("run_sql", {"sql": "select fin from zebrafish"}))) as endpoint:
        async with stage.bot():
            ts = await stage.slack.ask("C0SALES", "U0MIA", "keep it", files={"zebrafish.csv": ZEBRAFISH})
            await done(stage, "C0SALES", ts, 1)
        stage.overrides["FOOTNOTE_DATA_DIR"] = str(stage.folder / "another" / "cache")
        async with stage.bot():
            await stage.slack.ask("C0SALES", "U0MIA", "and now?", thread_ts=ts)
            await done(stage, "C0SALES", ts, 2)
            (stored,) = stage.slack.workspace.files.values()
            stored.content = ZEBRAFISH.replace(b"61", b"62")  # the same file id, another content
            stage.overrides["FOOTNOTE_DATA_DIR"] = str(stage.folder / "third" / "cache")
        assert "61.75" in str(results(endpoint.requests[-1]))
        async with stage.bot():
            await stage.slack.ask("C0SALES", "U0MIA", "and here?", thread_ts=ts)
            await done(stage, "C0SALES", ts, 3)
    assert "changed in Slack since it was shared" in told(endpoint.requests[-1])
    assert "62.75" not in told(endpoint.requests[-1])


async def test_a_file_that_is_deleted_in_slack_is_gone_here(stage, scripted) -> None:
    async with scripted(calls(("list_files", {}))) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "keep it", files={"zebrafish.csv": ZEBRAFISH})
        await done(stage, "C0SALES", ts, 1)
        assert traces(stage.folder)
        await stage.slack.delete_file(next(iter(stage.slack.workspace.files)))
        await stage.slack.settled()
        await stage.slack.ask("C0SALES", "U0MIA", "is it still there?", thread_ts=ts)
        await done(stage, "C0SALES", ts, 2)
    assert traces(stage.folder) == []
    assert "zebrafish" not in str(results(endpoint.requests[-1]))
    assert "Attached" not in told(endpoint.requests[-1])


async def test_a_file_whose_message_is_deleted_is_gone_from_its_conversation_only(stage, scripted) -> None:
    """In Slack the file itself lives on, and so does the other conversation that it was shared in."""
    async with scripted(calls(("list_files", {}))) as endpoint, stage.bot():
        first = await stage.slack.ask("C0SALES", "U0MIA", "keep it", files={"zebrafish.csv": ZEBRAFISH})
        other = await stage.slack.ask("C0SALES", "U0MIA", "here, too", files={"zebrafish.csv": ZEBRAFISH})
        await done(stage, "C0SALES", first, 1)
        await done(stage, "C0SALES", other, 1)
        reply = await stage.slack.ask(
            "C0SALES", "U0MIA", "and this", thread_ts=first, files={"pangolin.csv": b"scale,n\n1,2\n"}
        )
        await done(stage, "C0SALES", first, 2)
        assert "pangolin" in str(results(endpoint.requests[-1]))
        await stage.slack.delete("C0SALES", reply)
        await stage.slack.settled()
        await stage.slack.ask("C0SALES", "U0MIA", "what is there now?", thread_ts=first)
        await done(stage, "C0SALES", first, 3)
        assert "pangolin" not in str(results(endpoint.requests[-1]))
        assert "zebrafish" in str(results(endpoint.requests[-1]))
        await stage.slack.delete("C0SALES", first)
        await stage.slack.settled()
        await stage.slack.ask("C0SALES", "U0MIA", "and here?", thread_ts=other)
        await done(stage, "C0SALES", other, 2)
        assert "zebrafish" in str(results(endpoint.requests[-1]))
    assert len(traces(stage.folder)) > 0


async def test_a_file_is_kept_as_long_as_the_policy_says(stage, scripted) -> None:
    stage.manifest.write_text(stage.manifest.read_text() + "slack_files: {keep_days: 10}\n")
    async with scripted(calls(("list_files", {}))) as endpoint:
        async with stage.bot():
            ts = await stage.slack.ask("C0SALES", "U0MIA", "keep it", files={"zebrafish.csv": ZEBRAFISH})
            await done(stage, "C0SALES", ts, 1)
        async with stage.bot(clock=Later(9)):
            await stage.slack.ask("C0SALES", "U0MIA", "after nine days?", thread_ts=ts)
            await done(stage, "C0SALES", ts, 2)
        assert "zebrafish" in str(results(endpoint.requests[-1]))
        async with stage.bot(clock=Later(11)):
            assert traces(stage.folder) == []
            await stage.slack.ask("C0SALES", "U0MIA", "after eleven?", thread_ts=ts)
            await done(stage, "C0SALES", ts, 3)
        assert "zebrafish" not in str(results(endpoint.requests[-1]))


async def test_stop_ends_a_fetch_and_the_thread_goes_on(stage, scripted) -> None:
    held = stage.slack.faults.hold("files.info")
    stub = {"id": "F0LATE", "created": 0, "timestamp": 0, "file_access": "check_file_info"}
    async with scripted(calls(("list_files", {}))) as endpoint, stage.bot():
        extra = {"subtype": "file_share", "files": [stub]}
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what is in it?", extra=extra)
        await asyncio.wait_for(held.reached.wait(), 180)
        await stage.slack.stop_session("U0MIA", "C0SALES", ts)
        (stopped,) = await stage.slack.wait_for_answers("C0SALES", ts, 1)
        held.release()
        assert stopped["text"].startswith("Stopped.")
        await stage.slack.ask("C0SALES", "U0MIA", "and without it?", thread_ts=ts)
        await done(stage, "C0SALES", ts, 1)
    assert "attached" not in str(results(endpoint.requests[-1]))

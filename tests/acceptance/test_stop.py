"""Stop: what runs in a thread ends with a word about it, and the thread goes on."""

from __future__ import annotations

import asyncio

from bot.endings import STOPPED
from bot.service import Running
from runtime.engines.workspace.workspace import Workspace
from runtime.testing.messages_api import Reply
from tests.acceptance.conftest import ended


async def test_a_stopped_run_says_so_and_the_next_question_is_answered(stage, scripted) -> None:
    begun = asyncio.Event()

    def hanging_at_first(body) -> Reply:
        begun.set()
        return Reply("Done.", fault="hang" if "quickly" not in str(body["messages"]) else None)

    async with scripted(hanging_at_first), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "count slowly")
        await begun.wait()
        await stage.slack.ask("C0SALES", "U0LEO", "count quickly", thread_ts=ts)
        await stage.slack.stop_session("U0LEO", "C0SALES", ts)
        stopped, answer = await stage.slack.wait_for_answers("C0SALES", ts, 2)
        assert stopped["text"].startswith("Stopped.")
        assert answer["text"] == "Done."
        await stage.slack.wait_for(lambda: not stage.slack.workspace.status("C0SALES", ts) or None)


async def test_a_stopped_run_keeps_what_it_had_gathered(stage, scripted) -> None:
    begun = asyncio.Event()

    def hanging_after_a_read(body) -> Reply:
        if len(body["messages"]) == 1:
            return Reply(calls=[("run_sql", {"sql": "SELECT count(*) AS n FROM orders"})])
        begun.set()
        return Reply("Never said.", fault="hang")

    async with scripted(hanging_after_a_read), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "count slowly")
        await begun.wait()
        await stage.slack.stop_session("U0MIA", "C0SALES", ts)
        stopped, *_ = await stage.slack.wait_for_answers("C0SALES", ts, 1)
        assert "What was gathered until then is below" in str(stopped)

        def fold() -> str | None:
            said = str(stage.slack.answers("C0SALES", ts))
            return said if "E1" in said else None

        said = await stage.slack.wait_for(fold)
        assert "run_sql" in said and "Never said." not in said


async def test_stop_while_an_answer_is_posted_leaves_it_whole(stage) -> None:
    async with stage.bot() as running:
        posting = stage.slack.faults.hold("chat.postMessage", times=1)
        ts = await stage.slack.ask("C0SALES", "U0MIA", "How many orders are there?")
        await posting.reached.wait()
        (turn,) = running.durable.running
        await stage.slack.stop_session("U0MIA", "C0SALES", ts)
        posting.release()
        await ended(running)
        assert await _kept(running, turn) == ("done", "answered")
    said = [str(message) for message in stage.slack.answers("C0SALES", ts)]
    assert "60" in said[0] and "Stopped." not in str(said)
    assert "SELECT" in said[-1]


async def test_stop_before_the_work_has_begun_says_stopped_and_not_failed(stage, monkeypatch) -> None:
    begun = asyncio.Event()

    async def never(workspace: Workspace) -> str:
        begun.set()
        return await asyncio.Future()

    monkeypatch.setattr(Workspace, "digest", never)
    async with stage.bot() as running:
        ts = await stage.slack.ask("C0SALES", "U0MIA", "How many orders are there?")
        await begun.wait()
        (turn,) = running.durable.running
        await stage.slack.stop_session("U0MIA", "C0SALES", ts)
        await ended(running)
        assert await _kept(running, turn) == ("done", "stopped")
    assert [message["text"] for message in stage.slack.answers("C0SALES", ts)] == [STOPPED]
    assert not stage.slack.workspace.status("C0SALES", ts)


async def test_stop_where_nothing_runs_does_nothing(stage) -> None:
    async with stage.bot() as running:
        ts = await stage.slack.ask("C0SALES", "U0MIA", "How many orders are there?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
        await ended(running)
        await stage.slack.stop_session("U0MIA", "C0SALES", ts)
        other = await stage.slack.ask("C0SALES", "U0MIA", "How many orders are there?")
        await stage.slack.wait_for_answers("C0SALES", other, 1)
        assert not [one for one in stage.slack.answers("C0SALES", ts) if one["text"].startswith("Stopped.")]


async def _kept(running: Running, turn_id: str) -> tuple[str, str]:
    """How the state says that a turn ended: its message's row, and its own."""
    state = running.analyst.state
    item, turn = await state.inbox.get(turn_id), await state.turns.get(turn_id)
    assert item is not None and turn is not None and turn.end is not None
    return item.state, turn.end.status

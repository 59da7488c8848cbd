"""What must hold after a drill, checked against Slack, the model's endpoint and the state."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import Any

from runtime.clock import SystemClock, random_id
from runtime.state import Delivery, State, open_state
from tests.acceptance.drill.asking import CALLS, FILES, PARTS, mark_of, marks_in, top_of
from tests.acceptance.drill.drill import Drill


async def verdict(drill: Drill) -> None:
    """AssertionError when a question was lost, answered twice or mixed up, or when anything is left over."""
    clock = SystemClock()
    state = open_state(str(drill.stage.environment()["FOOTNOTE_STATE"]), clock=clock, new_id=random_id)
    try:
        postings = await _postings(drill, state)
    finally:
        state.close()
    _everything_in_slack_was_meant(drill, postings)
    for asked in drill.asked:
        _answered_once(drill, asked.number, postings[asked.number])
    _asked_no_step_twice(drill)
    assert drill.model.mixed == []
    assert drill.slack.refusals == []
    assert not drill.errors, drill.errors[0]
    stuck = {asked.thread for asked in drill.asked if drill.slack.status(asked.channel, asked.thread)}
    assert not stuck, "a status line was left standing"


async def _postings(drill: Drill, state: State) -> dict[int, list[Delivery]]:
    """The postings of every question, all of them sent; and nothing else is in inbox and outbox."""
    assert await state.inbox.pending() == [], "a message was left unanswered"
    total = len(drill.asked) * PARTS
    assert await state.deliveries.counts() == {"sent": total}
    found = defaultdict[int, list[Delivery]](list)
    for asked in drill.asked:
        address = f"{drill.slack.workspace.world.team_id}:{asked.channel}:{asked.thread}"
        for turn in await state.turns.history(address, 1_000):
            number = int(re.findall(r"question (\d+)", turn.start.question)[0])
            if number == asked.number:
                assert turn.end is not None
                assert turn.end.status == "answered", turn
                found[number] += await state.deliveries.of_source(turn.start.turn_id)
    return found


def _everything_in_slack_was_meant(drill: Drill, postings: dict[int, list[Delivery]]) -> None:
    """The bot's messages in all threads are exactly the postings of the outbox: one each, none besides."""
    meant = Counter(part.id for parts in postings.values() for part in parts if part.kind == "message")
    threads = {(asked.channel, asked.thread) for asked in drill.asked}
    messages = [message for thread in sorted(threads) for message in drill.slack.answers(*thread)]
    named = Counter(m["metadata"]["event_payload"]["delivery_id"] for m in messages if "files" not in m)
    assert named == meant, f"messages were lost or doubled: {(named - meant) + (meant - named)}"
    shared = Counter(file["id"] for message in messages for file in message.get("files", []))
    files = Counter(str(part.remote_id) for parts in postings.values() for part in parts if part.kind == "file")
    assert shared == files, f"files were lost or doubled: {(shared - files) + (files - shared)}"


def _answered_once(drill: Drill, number: int, parts: list[Delivery]) -> None:
    """One answer, every call's fold once with its own figures, every file once with its own rows."""
    assert [part.kind for part in parts] == ["message", "message", *["file"] * FILES]
    asked = drill.asked[number - 1]
    by_ts = {message["ts"]: message for message in drill.slack.answers(asked.channel, asked.thread)}
    answer, evidence = (by_ts[str(part.remote_id)] for part in parts if part.kind == "message")
    assert f"Question {number} is answered" in json.dumps(answer["blocks"])
    marks = [mark_of(number, call) for call in range(1, CALLS + 1)]
    assert _figures(answer["blocks"]) == {str(top_of(mark)) for mark in marks}, answer["blocks"]
    folds = [block for block in evidence["blocks"] if block["type"] == "container"]
    assert [fold["block_id"].rpartition(":")[2] for fold in folds] == [f"E{n}" for n in range(1, CALLS + 1)]
    for mark, fold in zip(marks, folds, strict=True):
        query, table = fold["child_blocks"][0], fold["child_blocks"][1]
        assert str(mark) in _figures(query), "another call's query"
        assert _figures(table) == {str(mark), str(top_of(mark))}, f"a result stands under another call: {table}"
    for part in (part for part in parts if part.kind == "file"):
        content = drill.slack.file(str(part.remote_id)).decode()
        name = drill.slack.workspace.files[str(part.remote_id)].info["name"]
        mark = marks[int(re.findall(r"^E(\d+)-", name)[0]) - 1]
        assert marks_in(content) == {str(mark), str(top_of(mark))}, "a file holds another call's rows"


def _asked_no_step_twice(drill: Drill) -> None:
    """A step is asked for again only when a kill took its reply, and then with the very same results before it."""
    newest = defaultdict[int, int](lambda: -1)
    for request in drill.model.log:
        assert request.step.n >= newest[request.step.question], f"{request.step} was completed and asked again"
        newest[request.step.question] = request.step.n
    for step, requests in drill.model.repeats().items():
        lives = [request.life for request in requests]
        assert len(set(lives)) == len(lives), f"{step} was asked twice in one life"
        assert all(request.results == requests[0].results for request in requests), f"{step}: other results on replay"
    by_kill = Counter(
        (request.life, request.step.question) for again in drill.model.repeats().values() for request in again[1:]
    )
    assert all(repeats == 1 for repeats in by_kill.values()), "a kill cost a question more than one repeated request"


def _figures(blocks: Any) -> set[str]:
    """The marks in shown tables, whose figures may have their thousands apart."""
    return marks_in(re.sub(r"(?<=\d),(?=\d{3})", "", json.dumps(blocks)))


def report(drill: Drill, seconds: float) -> str:
    """The drill in figures."""
    repeated = sum(len(requests) - 1 for requests in drill.model.repeats().values())
    unanswered = sum(not request.replied for request in drill.model.log)
    starts = sorted(drill.starts_s)
    lines = [
        f"{sum(drill.kills.values())} kills, {len(drill.asked)} questions, {len(drill.asked) * PARTS} postings "
        f"in {seconds:.0f} s; {drill.missed} moments did not come",
        f"resumed: {sum(asked.deaths for asked in drill.asked)} times, most for one question "
        f"{max(asked.deaths for asked in drill.asked)}",
        f"model: {len(drill.model.log)} requests, {repeated} repeated after a kill, {unanswered} cut off",
        f"start: median {starts[len(starts) // 2]:.1f} s, longest {starts[-1]:.1f} s",
        f"the last life had answered all that was open {drill.recovery_s:.1f} s after its start",
        "killed: " + _listed(drill.kills),
        "found after the kills: " + _listed(drill.remains),
    ]
    return "\n".join(lines)


def _listed(counts: Counter[str]) -> str:
    return "; ".join(f"{name} {n}" for name, n in counts.most_common())

"""Kill -9 at random moments: each message is answered once, in order, and every result stands under its own call.

FOOTNOTE_KILLS sets how often (8 without it; 50 and more for a full run), FOOTNOTE_KILL_SEED repeats a run's choices.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from runtime.clock import SystemClock, random_id
from runtime.state import State, open_state
from tests.integration.durable import kill_worker
from tests.kill_seed import kill_seed

KILLS = int(os.environ.get("FOOTNOTE_KILLS", "8"))
SEED = kill_seed()
REPO = Path(__file__).parents[3]


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def one_life(folder: Path, url: str, boot: int, chance: random.Random, *, kill: bool) -> None:
    """Runs the worker until it is killed: mostly some time after it is ready, sometimes while it starts."""
    command = [sys.executable, kill_worker.__file__, str(folder), url, str(boot), str(chance.randrange(2**31))]
    environment = os.environ | {"PYTHONPATH": str(REPO)}
    early = chance.random() < 0.2
    after_s = chance.uniform(0.3, 1.5) if early else chance.random() ** 2 * 1.2
    with subprocess.Popen(command, cwd=REPO, env=environment, stdout=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(after_s, process.kill)
        if kill and early:
            timer.start()
        assert process.stdout is not None
        first = process.stdout.readline()
        if kill and not early and first == "ready\n":
            timer.start()
        rest = process.stdout.read()
    timer.cancel()
    if not kill:
        assert process.returncode == 0, f"{first}{rest}"


async def check(folder: Path, state: State, boots: int) -> None:
    pending = await state.inbox.pending()
    assert pending == [], "a message was left unanswered"
    assert lines(folder / "dead.jsonl") == []
    posted = lines(folder / "posted.jsonl")
    by_turn: dict[str, list[dict]] = defaultdict(list)
    for line in posted:
        by_turn[str(line["turn"])].append(line)
    assert len(by_turn) == boots * kill_worker.MESSAGES_PER_BOOT, "answers and messages differ in number"
    assert [token for token, n in Counter(line["token"] for line in posted).items() if n > 1] == []
    assert await state.deliveries.counts() == {"sent": len(posted)}
    for turn_id, parts in by_turn.items():
        assert [part["part"] for part in parts] == list(range(kill_worker.PARTS)), "parts are doubled or out of order"
        kept = {entry.call_id: entry.result for entry in await state.calls.of_run(turn_id)}
        for part in parts:
            told = {call: result for step in json.loads(part["payload"]["answer"]) for call, result in step.items()}
            assert told == kept, "an answer holds a result that its journal does not"
        assert len(kept) == kill_worker.STEPS * kill_worker.CALLS
        assert all(result.startswith(f"{turn_id}/{call}/") for call, result in kept.items()), "under another call"


def overlaps(folder: Path) -> list[str]:
    """Turns that began while another of their conversation was running in the same life."""
    running: dict[tuple[object, object], object] = {}
    found = []
    for line in lines(folder / "turns.jsonl"):
        key = (line["pid"], line["conversation"])
        if line["event"] == "begin":
            if key in running:
                found.append(f"{line['turn']} during {running[key]}")
            running[key] = line["turn"]
        else:
            running.pop(key, None)
    return found


@pytest.mark.timeout(300 + 30 * KILLS)
def test_killed_at_random_moments_everything_is_answered_once(state_url: str, tmp_path: Path):
    print(f"seed {SEED}, {KILLS} kills")
    chance = random.Random(SEED)
    # Most of the kills go to the default database.
    kills = KILLS if state_url.startswith("sqlite") else max(3, KILLS // 4)
    for boot in range(kills):
        one_life(tmp_path, state_url, boot, chance, kill=True)
    one_life(tmp_path, state_url, kills, chance, kill=False)
    state = open_state(state_url, clock=SystemClock(), new_id=random_id)
    try:
        asyncio.run(check(tmp_path, state, kills + 1))
    finally:
        state.close()
    assert overlaps(tmp_path) == []
    resumed = Counter(line["turn"] for line in lines(tmp_path / "turns.jsonl") if line["event"] == "begin")
    print(f"{len(resumed)} turns, {sum(n - 1 for n in resumed.values())} resumptions")

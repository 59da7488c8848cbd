"""One life of a process that answers turns, to be killed at any moment: `python kill_worker.py FOLDER URL BOOT SEED`.

Every life accepts a few new messages, delivers old ones again, late and doubled, and works off what is open. Each turn
has several steps of parallel journalled calls with random delays, then posts its answer in parts through an outbox
whose receiver loses requests and replies. What happened is appended to files in FOLDER, one whole line per write.
"""

import asyncio
import hashlib
import json
import os
import random
import sys
import time
import uuid
from pathlib import Path

from runtime.clock import SystemClock, random_id
from runtime.deliveries import InDoubt, NotThere, Outbox, Probed, SendOutcome, Sent
from runtime.durable import Durable, Steps
from runtime.evidence import Evidence, JournalEntry
from runtime.state import Accepted, Delivery, NewDelivery, State, TurnEnd, TurnStart, open_state

STEPS = 3
CALLS = 4
PARTS = 3
MESSAGES_PER_BOOT = 4
CONVERSATIONS = 3


def append(path: Path, line: dict[str, object]) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, json.dumps(line).encode() + b"\n")
    os.close(fd)


class Receiver:
    """The outside world: a file of what was posted. It does not drop repeats."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._file = folder / "posted.jsonl"
        self._chance = chance

    async def send(self, delivery: Delivery) -> SendOutcome:
        await asyncio.sleep(self._chance.random() * 0.01)
        fate = self._chance.random()
        if fate < 0.05:
            return InDoubt("lost")
        line = {"token": delivery.client_token, "turn": delivery.source, "part": delivery.part_no}
        append(self._file, line | {"payload": dict(delivery.payload)})
        await asyncio.sleep(self._chance.random() * 0.01)
        return InDoubt("reply lost") if fate < 0.15 else Sent(delivery.client_token[:8])

    async def probe(self, delivery: Delivery) -> Probed:
        posted = self._file.read_text().splitlines() if self._file.exists() else []
        there = any(json.loads(line)["token"] == delivery.client_token for line in posted)
        return Sent(delivery.client_token[:8]) if there else NotThere()


class Worker:
    def __init__(self, folder: Path, state: State, chance: random.Random) -> None:
        self.folder = folder
        self.state = state
        self.chance = chance
        self.outbox = Outbox(state.deliveries, clock=SystemClock(), lease_s=2.0, settle_s=0.0)
        self.receiver = Receiver(folder, chance)

    async def pause(self) -> None:
        await asyncio.sleep(self.chance.random() ** 3 * 0.06)

    async def turn(self, steps: Steps, turn_id: str) -> None:
        item = await self.state.inbox.get(turn_id)
        log = {"turn": turn_id, "conversation": item.conversation, "pid": os.getpid()}
        append(self.folder / "turns.jsonl", log | {"event": "begin"})
        begun = await self.state.turns.begin(TurnStart(turn_id, item.conversation, "U1", item.event_key))
        if begun.end is None:
            results = [await steps.step("model step", self.batch(turn_id, n)) for n in range(STEPS)]
            answer = json.dumps(results)
            parts = [NewDelivery(turn_id, "C/1", n, "message", {"answer": answer}) for n in range(PARTS)]
            await self.state.turns.finish(turn_id, TurnEnd("answered", answer), deliveries=parts)
        drained = await self.outbox.drain(turn_id, self.receiver)
        assert drained.complete, drained
        await self.state.inbox.finish(turn_id)
        append(self.folder / "turns.jsonl", log | {"event": "end"})

    def batch(self, turn_id: str, n: int):
        async def work() -> dict[str, str]:
            calls = [f"s{n}c{i}" for i in range(CALLS)]
            return dict(zip(calls, await asyncio.gather(*(self.call(turn_id, id) for id in calls)), strict=True))

        return work

    async def call(self, turn_id: str, call_id: str) -> str:
        digest = hashlib.sha256(f"{turn_id}/{call_id}".encode()).hexdigest()
        await self.pause()
        found = await self.state.calls.find(turn_id, call_id, digest)
        await self.pause()
        if found is None:
            # A nonce: a call that ran twice, or a result under another call, shows.
            result = f"{turn_id}/{call_id}/{uuid.uuid4().hex}"
            await self.pause()
            evidence = Evidence("E1", call_id, "tool", "t", "ok")
            found = await self.state.calls.put(JournalEntry(turn_id, call_id, digest, 0, result, False, evidence))
        await self.pause()
        return found.result


async def live(folder: Path, url: str, boot: int, seed: int) -> None:
    chance = random.Random(seed)
    state = open_state(url, clock=SystemClock(), new_id=random_id)
    worker = Worker(folder, state, chance)

    async def on_dead(turn_id: str) -> None:
        append(folder / "dead.jsonl", {"turn": turn_id})

    runner = Durable(
        database_url=url,
        application_version="1",
        executor_id="only",
        turn=worker.turn,
        on_dead=on_dead,
        concurrency=6,
        # Here it is not the turn's fault when it is killed again and again.
        max_resumptions=10_000,
    )
    await runner.launch()
    print("ready", flush=True)
    await runner.recover(state.inbox)
    messages = list(range(MESSAGES_PER_BOOT * (boot + 1))) + [chance.randrange(MESSAGES_PER_BOOT * (boot + 1))] * 3
    chance.shuffle(messages)
    for n in messages:
        await asyncio.sleep(chance.random() * 0.01)
        key, conversation = f"Ev{n}.{chance.randrange(2)}", f"T:C:{n % CONVERSATIONS}"
        taken = await state.inbox.accept(key, f"T:C:{n}", conversation, "mention", {"n": n})
        if isinstance(taken, Accepted) and chance.random() < 0.8:
            await runner.enqueue(taken.turn_id, conversation)
    while pending := await state.inbox.pending():
        for item in pending:
            await runner.enqueue(item.turn_id, item.conversation)
        await asyncio.sleep(0.05)
    await runner.close(5)
    state.close()


if __name__ == "__main__":
    started = time.monotonic()
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    print(f"all done after {time.monotonic() - started:.1f} s", flush=True)

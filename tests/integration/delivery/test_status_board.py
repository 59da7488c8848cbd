"""The status line: there at once, kept alive, changed by notes, cleared at the end, never a reason to fail."""

from __future__ import annotations

import asyncio

import pytest

from bot.delivery import StatusBoard


def texts(bench):
    return [call.args["status"] for call in bench.slack.calls_to("assistant.threads.setStatus")]


class Ticks:
    """A sleep that ends only when told."""

    def __init__(self):
        self._waiting = []
        self._arrived = asyncio.Event()

    async def __call__(self, seconds):
        done = asyncio.Event()
        entry = (seconds, done)
        self._waiting.append(entry)
        self._arrived.set()
        try:
            await done.wait()
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    async def pass_(self, seconds):
        """Ends the next sleep of that length, when it has begun."""
        while not (found := [entry for entry in self._waiting if entry[0] == seconds]):
            self._arrived.clear()
            await self._arrived.wait()
        self._waiting.remove(found[0])
        found[0][1].set()


async def test_set_refreshed_changed_and_cleared(bench):
    ticks = Ticks()
    board = StatusBoard(bench.client, sleep=ticks)
    await board.thinking("C0SALES", bench.root)
    assert bench.slack.status("C0SALES", bench.root) == "is thinking…"
    async with board.shown("C0SALES", bench.root):
        await board.say("C0SALES", bench.root, "is working: counts orders…")
        await ticks.pass_(1)
        await bench.slack.wait_for(lambda: texts(bench)[-1] == "is working: counts orders…")
        await ticks.pass_(1)
        await ticks.pass_(90)
        await bench.slack.wait_for(lambda: texts(bench).count("is working: counts orders…") == 2)
    assert texts(bench)[-1] == "" and bench.slack.status("C0SALES", bench.root) == ""


async def test_a_short_turn_does_not_repeat_what_the_listener_said(bench):
    board = StatusBoard(bench.client)
    await board.thinking("C0SALES", bench.root)
    async with board.shown("C0SALES", bench.root):
        pass
    assert texts(bench) == ["is thinking…", ""]


async def test_the_next_turn_of_a_thread_shows_its_line_at_once(bench):
    board = StatusBoard(bench.client)
    async with board.shown("C0SALES", bench.root):
        await board.thinking("C0SALES", bench.root)
    async with board.shown("C0SALES", bench.root):
        await bench.slack.wait_for(lambda: bench.slack.status("C0SALES", bench.root) == "is thinking…")
    assert texts(bench)[-1] == ""


async def test_clearing_waits_for_a_slow_first_sign_of_life(bench):
    board = StatusBoard(bench.client)
    held = bench.slack.faults.hold("assistant.threads.setStatus", times=1)
    first = asyncio.create_task(board.thinking("C0SALES", bench.root))
    await held.reached.wait()

    async def turn():
        async with board.shown("C0SALES", bench.root):
            pass

    ending = asyncio.create_task(turn())
    held.release()
    await asyncio.gather(first, ending)
    assert texts(bench) == ["is thinking…", ""]


async def test_cleared_when_the_turn_fails(bench):
    board = StatusBoard(bench.client)
    with pytest.raises(ZeroDivisionError):
        async with board.shown("C0SALES", bench.root):
            raise ZeroDivisionError
    assert texts(bench)[-1] == ""


async def test_its_own_failures_are_nobodys_business(bench):
    bench.slack.faults.error("assistant.threads.setStatus", "internal_error", times=None)
    board = StatusBoard(bench.client)
    await board.thinking("C0SALES", bench.root)
    async with board.shown("C0SALES", bench.root):
        await board.say("C0SALES", bench.root, "x")
    await board.say("C0SALES", bench.root, "nobody is there")

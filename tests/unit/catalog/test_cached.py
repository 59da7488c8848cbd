"""A structure is read once while its fingerprint stays, once for all who ask, and anew after a drift or a failure."""

from __future__ import annotations

import asyncio

import pytest

from runtime.catalog import Structure
from runtime.catalog.cached import CachedStructure
from runtime.errors import CallError
from runtime.testing.clock import ManualClock


class Source:
    """A catalogue whose answers are counted and can be held back."""

    def __init__(self) -> None:
        self.version, self.down = "1", False
        self.fingerprints = self.introspections = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = asyncio.Event()

    async def fingerprint(self) -> str:
        self.fingerprints += 1
        self.asked.set()
        version = self.version
        await self.gate.wait()
        if self.down:
            raise CallError("source_unavailable", "Down.", retryable=True)
        return version

    async def introspect(self) -> Structure:
        self.introspections += 1
        return Structure("shop", "sqlite", (), self.version)

    def cached(self, clock: ManualClock, seconds: float = 0) -> CachedStructure:
        return CachedStructure(self.fingerprint, self.introspect, clock, trusted_seconds=seconds)


async def test_an_unchanged_source_is_read_once() -> None:
    source = Source()
    cached = source.cached(ManualClock())
    assert await cached.current() is await cached.current()
    assert (source.fingerprints, source.introspections) == (2, 1)


async def test_a_drift_is_read_anew() -> None:
    source = Source()
    cached = source.cached(ManualClock())
    await cached.current()
    source.version = "2"
    assert (await cached.current()).revision == "2"
    assert source.introspections == 2


async def test_a_check_is_trusted_for_its_time_and_not_after() -> None:
    source, clock = Source(), ManualClock()
    cached = source.cached(clock, 10)
    await cached.current()
    source.version = "2"
    clock.advance(9)
    assert (await cached.current()).revision == "1"
    clock.advance(1)
    assert (await cached.current()).revision == "2"


async def test_a_refresh_asks_however_young_the_check_is() -> None:
    source = Source()
    cached = source.cached(ManualClock(), 10)
    await cached.current()
    source.version = "2"
    assert (await cached.refreshed()).revision == "2"


async def test_all_who_ask_at_once_ask_once() -> None:
    source = Source()
    source.gate.clear()
    cached = source.cached(ManualClock())
    asking = [asyncio.create_task(cached.current()) for _ in range(20)]
    await source.asked.wait()
    asking += [asyncio.create_task(cached.current()) for _ in range(20)]
    await asyncio.sleep(0)
    source.gate.set()
    assert len({id(structure) for structure in await asyncio.gather(*asking)}) == 1
    assert (source.fingerprints, source.introspections) == (1, 1)


async def test_a_refresh_does_not_join_a_check_that_began_before_it() -> None:
    source = Source()
    source.gate.clear()
    cached = source.cached(ManualClock())
    first = asyncio.create_task(cached.current())
    await source.asked.wait()
    source.version = "2"
    later = asyncio.create_task(cached.refreshed())
    await asyncio.sleep(0)
    source.gate.set()
    await first
    assert (await later).revision == "2"
    assert source.fingerprints == 2


async def test_whoever_gives_up_stops_nobody_else() -> None:
    source = Source()
    source.gate.clear()
    cached = source.cached(ManualClock())
    first = asyncio.create_task(cached.current())
    await source.asked.wait()
    second = asyncio.create_task(cached.current())
    await asyncio.sleep(0)
    first.cancel()
    source.gate.set()
    assert (await second).revision == "1"
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_failure_is_told_to_all_who_waited_and_not_kept() -> None:
    source = Source()
    source.gate.clear()
    source.down = True
    cached = source.cached(ManualClock(), 10)
    asking = [asyncio.create_task(cached.current()) for _ in range(5)]
    await source.asked.wait()
    await asyncio.sleep(0)
    source.gate.set()
    answers = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(answer) for answer in answers] == [CallError] * 5
    assert source.fingerprints == 1
    source.down = False
    assert (await cached.current()).revision == "1"


async def test_a_source_that_went_down_is_not_answered_from_memory() -> None:
    source = Source()
    cached = source.cached(ManualClock())
    await cached.current()
    source.down = True
    with pytest.raises(CallError) as caught:
        await cached.current()
    assert caught.value.code == "source_unavailable"

"""How far the reading of a large file is, told by the bytes the reader has read, to whoever waits for it."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.ingest import watching
from runtime.ingest.watching import percent_of, watched
from runtime.progress import Progress, tell, told_to

AHEAD = 72 << 20


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=5), st.integers(0, 10**11))
def test_the_share_grows_with_the_bytes_and_is_never_whole_before_the_end(read: list[int], size: int) -> None:
    shares = [percent_of(each, size) for each in sorted(read)]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 99


def test_both_readings_of_the_bytes_count_and_what_is_read_ahead_does_not() -> None:
    whole = 10 << 30
    shares = [percent_of(read, whole) for read in (0, whole // 2, whole, whole + AHEAD, whole + AHEAD + whole // 2)]
    assert shares == [0, 10, 20, 20, 60]
    assert percent_of(3 * whole, whole) == 99


@given(st.integers(1, AHEAD // 2))
def test_a_file_that_is_read_ahead_as_a_whole_is_not_nearly_done(size: int) -> None:
    """All its bytes are in the engine's buffers long before its rows are made, and some of them are read again."""
    assert percent_of(3 * size, size) == 20


async def test_a_long_reading_is_told_with_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([0, 500, 1_500 + AHEAD, 1_200])
    done = asyncio.Event()

    def bytes_read(_: int) -> int | None:
        count = next(counts, None)
        if count is None:
            done.set()
        return count

    monkeypatch.setattr(watching, "bytes_read", bytes_read)
    monkeypatch.setattr(watching, "EVERY_SECONDS", 0)
    heard: list[Progress] = []

    async def listen(progress: Progress) -> None:
        heard.append(progress)

    with told_to(listen):
        async with watched(0, "export.csv", 1_000):
            await done.wait()
    assert heard == [Progress("export.csv", percent) for percent in (10, 60, 60, 100)]
    await tell(Progress("export.csv", 1))  # nobody listens any more
    assert len(heard) == 4


async def test_a_short_reading_is_not_told() -> None:
    heard: list[Progress] = []

    async def listen(progress: Progress) -> None:
        heard.append(progress)

    with told_to(listen):
        async with watched(0, "small.csv", 10):
            pass
    assert not heard

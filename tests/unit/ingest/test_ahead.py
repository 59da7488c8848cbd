"""A large text is copied while it is still being scanned; what its beginning promised holds to its end, or costs only
time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from runtime.ingest import IngestRefused
from runtime.ingest.ahead import Ahead, stopped_at_last
from runtime.ingest.columns import TEXT
from runtime.ingest.dialect import Dialect

from .conftest import LIMITS

Read = Callable[..., Any]
LARGE = replace(LIMITS, repair_bytes=100, whole_types_bytes=100)
WAY = Dialect(",", '"', True, ("a",))
BEGINNING = "item,size,sold\n" + "".join(f"pipe of number {row},{row % 7} m,{row}\n" for row in range(45_000))
"""More than what is looked at before the copying begins."""


INCHES = BEGINNING.replace("\npipe", '\n5" pipe')


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(BEGINNING + "pipe,2 m,7\n", id="as-promised"),
        pytest.param(BEGINNING + '"pipe, long",2 m,7\n', id="first-quotes"),
        pytest.param(BEGINNING + '"two\nlines",2 m,7\n', id="a-quoted-line-end"),
        pytest.param(BEGINNING + '5" pipe,2 m,7\n', id="first-quote-inside-of-a-value"),
        pytest.param(BEGINNING + "pipe,2 m,7\r\nlast,1 m,8\r\n", id="other-line-ends"),
        pytest.param(BEGINNING + "\n\npipe,2 m,7\n\n", id="blank-lines"),
        pytest.param(BEGINNING + "pipe,2 m,7.5\n", id="another-type"),
        pytest.param(BEGINNING + "pipe,2 m,n/a\n", id="a-missing-value"),
        pytest.param(BEGINNING + "pipe,2 m,7", id="no-last-line-end"),
        pytest.param(INCHES, id="quotes-inside-of-values"),
        pytest.param(INCHES + "pipe,2 m,7\r\nlast,1 m,8\r\n", id="quotes-inside-and-other-line-ends"),
    ],
)
def test_whatever_stands_further_down_is_read_as_in_a_small_text(read: Read, content: str) -> None:
    large, small = read(content, limits=LARGE), read(content)
    assert large.rows == small.rows
    assert large.types == small.types


def test_quotes_that_change_their_meaning_further_down_are_refused(read: Read) -> None:
    with pytest.raises(IngestRefused, match="its rows cannot be told apart for certain"):
        read(INCHES + '"pipe, long",2 m,7\n', limits=LARGE)


def test_bytes_that_are_no_text_further_down(read: Read) -> None:
    with pytest.raises(IngestRefused, match="a NUL byte stands in it"):
        read(BEGINNING + "pipe\0,2 m,7\n", limits=LARGE)
    latin = read((BEGINNING + "tubería,2 m,7\n").encode("cp1252"), limits=LARGE)
    assert latin.column("item")[-1] == "tubería"
    assert "read as Windows-1252" in latin.notes


def test_a_text_that_was_read_before_is_found_again(read: Read) -> None:
    first = read(BEGINNING, limits=LARGE)
    assert read(BEGINNING, limits=LARGE).reading == first.reading


def test_a_copy_made_another_way_is_not_used() -> None:
    ahead = Ahead("one", WAY, lambda: (TEXT,), lambda: None)
    assert ahead.take("two", WAY) is None
    assert ahead.take("one", replace(WAY, delimiter=";")) is None
    ahead = Ahead("one", WAY, lambda: (TEXT,), lambda: None)
    assert ahead.take("one", WAY) == (TEXT,)


def test_what_the_copying_raises_is_raised_when_it_is_taken_and_only_then() -> None:
    def copy() -> Any:
        raise IngestRefused("no")

    with stopped_at_last(Ahead("one", WAY, copy, lambda: None)) as ahead:
        assert ahead
        with pytest.raises(IngestRefused, match="no"):
            ahead.take("one", WAY)
    with stopped_at_last(Ahead("one", WAY, copy, lambda: None)):
        pass


def test_a_copy_that_nobody_takes_is_ended() -> None:
    interrupted, ended = threading.Event(), threading.Event()

    def copy() -> Any:
        interrupted.wait()
        ended.set()

    with pytest.raises(ZeroDivisionError), stopped_at_last(Ahead("one", WAY, copy, interrupted.set)):
        raise ZeroDivisionError
    assert ended.is_set()

"""The types of a large text are guessed from its first rows, and no later value is ever made to fit them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from .conftest import LIMITS

Read = Callable[..., Any]
LARGE = replace(LIMITS, repair_bytes=100, whole_types_bytes=100)
PLACES = (1_000, 10_000, 29_999)
"""Among the rows of the first guess, of the second one, and behind both."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("odd", "kind"),
    [("7.5", "DECIMAL(18,1)"), ("n/a", "BIGINT"), ("word", "VARCHAR"), ("007", "VARCHAR"), ("1e2", "VARCHAR")],
)
def test_a_value_that_refutes_the_guess_changes_the_type(read: Read, place: int, odd: str, kind: str) -> None:
    rows = [f"name {row % 7},{row}\n" for row in range(30_000)]
    rows[place] = f"name,{odd}\n"
    content = "name,sold\n" + "".join(rows)
    large, small = read(content, limits=LARGE), read(content)
    assert large.types["sold"] == small.types["sold"] == kind
    assert large.rows == small.rows


@pytest.mark.parametrize("begin", PLACES)
def test_a_column_that_begins_late_has_the_type_of_its_values(read: Read, begin: int) -> None:
    rows = (f"name {row % 7},{row if row >= begin else ''}\n" for row in range(30_000))
    table = read("name,sold\n" + "".join(rows), limits=LARGE)
    assert table.types["sold"] == "BIGINT"
    assert table.column("sold")[begin - 1 :] == [None, *range(begin, 30_000)]

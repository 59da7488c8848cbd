"""The types of a large text are guessed from its first rows, and no later value is ever made to fit them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


ODD_DAYS = st.text(st.sampled_from("0123456789-/. \\TZ+:x"), min_size=1, max_size=12) | st.builds(
    "{2}{0:04d}{1}{3}{1}{4}{5}".format,
    st.integers(1, 9999),
    st.sampled_from("-/ .\\"),
    st.sampled_from(["", " ", "0", "+", "-"]),
    st.sampled_from(["1", "01", "12", "13", "2 "]),
    st.sampled_from(["1", "05", "29", "30", "31", "5x", "5Z", "5 10", "5T1"]),
    st.sampled_from(["", " ", "0", "Z"]),
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd=ODD_DAYS)
def test_no_text_among_days_becomes_another_day(read: Read, odd: str) -> None:
    rows = [f"{row},2024-{row % 12 + 1:02d}-{row % 28 + 1:02d}\n" for row in range(2_500)]
    rows[2_400] = f'{rows[2_400].split(",")[0]},"{odd}"\n'
    table = read("number,day\n" + "".join(rows), limits=LARGE)
    found = table.column("day")[2_400]
    if isinstance(found, date):
        assert [found.year, found.month, found.day] == [int(part) for part in re.findall("[0-9]+", odd)]
    else:
        assert found == odd or (found is None and not re.search("[0-9]", odd))

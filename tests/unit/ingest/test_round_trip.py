"""Random tables written as CSV are read back with equal values, whatever the delimiter, quoting and line ends."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

_SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
_WORD = st.text(st.sampled_from("abcXYZ éЖ漢,;|\t\"'\n"), min_size=1, max_size=12).map(lambda text: f"w{text}w")
_DATES = st.dates(date(1900, 1, 1), date(2100, 1, 1))
_COLUMNS = {
    "whole": st.integers(-(2**63), 2**63 - 1),
    "money": st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False),
    "day": _DATES,
    "flag": st.booleans(),
}


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _equal(read: Any, wrote: Any) -> bool:
    return read == wrote or (wrote is not None and str(read) == _written(wrote))


@st.composite
def _tables(draw: st.DrawFn) -> tuple[list[str], list[list[Any]]]:
    """Names and rows. The last row is full: a lone text there is taken for a remark below the table."""
    kinds = draw(st.lists(st.sampled_from(sorted(_COLUMNS)), min_size=1, max_size=4))
    names = ["label"] + [f"{kind}_{place}" for place, kind in enumerate(kinds)]
    count = draw(st.integers(1, 8))
    columns = [[draw(_WORD) for _ in range(count)]]
    columns += [
        [draw(_COLUMNS[kind] if place == count - 1 else st.none() | _COLUMNS[kind]) for place in range(count)]
        for kind in kinds
    ]
    return names, [list(row) for row in zip(*columns, strict=True)]


@_SETTINGS
@given(
    table=_tables(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_values_come_back(
    read: Callable[..., Any], table: tuple[list[str], list[list[Any]]], delimiter: str, quoting: Any, end: str
) -> None:
    names, rows = table
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(names)
    writer.writerows([[_written(value) for value in row] for row in rows])
    found = read(out.getvalue())
    assert list(found.types) == names
    assert len(found.rows) == len(rows)
    for got, wrote in zip(found.rows, rows, strict=True):
        assert all(_equal(one, other) for one, other in zip(got, wrote, strict=True)), (got, wrote)

"""Sheets with any part of their XML cut, doubled or overwritten are read or refused with a reason, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.ingest import IngestRefused
from tests.unit.ingest.spreadsheets.conftest import repacked, saved


def _adapt(_: Any, sheet: Any) -> None:
    sheet.merge_cells("B1:C1")
    sheet.row_dimensions[4].hidden = True
    sheet["C3"].number_format = "0%"


BOOK = saved(
    ["who", "plan", None, "since"],
    [None, "net", "rate", None],
    ["Ann", 1.5, 0.25, date(2025, 1, 2)],
    ["Bob", "=B3*2", 0.5, 45660],
    ["Total", "=SUM(B3:B4)", None, None],
    adapt=_adapt,
)
PARTS = ("xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels")
PIECES = st.sampled_from(
    [
        b"",
        b"<",
        b">",
        b'"',
        b"0",
        b"-1",
        b"99999999999",
        b"&lt;",
        b"&x;",
        b'r="A1"',
        b"<row/>",
        b"<c/>",
        b"<v>",
        b"\xff",
    ]
)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    part=st.sampled_from(PARTS), at=st.floats(0, 1), length=st.integers(0, 12), piece=PIECES, again=st.integers(1, 3)
)
def test_read_or_refused(
    part: str, at: float, length: int, piece: bytes, again: int, read_book: Callable[..., Any]
) -> None:
    def change(name: str, body: bytes) -> bytes:
        if name != part:
            return body
        place = int(at * len(body))
        return body[:place] + piece * again + body[place + length :]

    try:
        tables = read_book(repacked(BOOK, change))
    except IngestRefused as refusal:
        assert refusal.reason
    else:
        assert tables

"""Random typed tables, written as workbooks with any place, title and formats, are read back with the same values."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.ingest.spreadsheets.conftest import written

# A letter first, so that no text looks like a number, a date or a total; XML takes no control characters.
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"], exclude_characters="\ufffe\uffff"), max_size=20
).map(lambda text: f"x{text}")
DECIMALS = st.decimals(-(10**9), 10**9, allow_nan=False, allow_infinity=False, places=4)
DAYS = st.dates(date(1900, 3, 1), date(2100, 12, 31))
MOMENTS = st.builds(
    lambda day, second: datetime.combine(day, time()) + timedelta(seconds=second), DAYS, st.integers(0, 86_399)
)
KINDS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "integer": st.integers(-(10**15) + 1, 10**15 - 1),
    "decimal": DECIMALS,
    "percent": st.decimals(0, 1, allow_nan=False, allow_infinity=False, places=3),
    "date": DAYS,
    "moment": MOMENTS,
    "boolean": st.booleans(),
}
FORMATS = {"percent": "0.0%", "date": "dd/mm/yyyy", "moment": "yyyy-mm-dd hh:mm:ss"}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[Any]]]:
    """Kinds of columns and rows. Each column has a value in the last row: a lone text there is taken for a remark."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=6))
    count = draw(st.integers(1, 12))
    columns: list[list[Any]] = []
    for place, kind in enumerate(kinds):
        values = draw(st.lists(KINDS[kind], min_size=count, max_size=count))
        gaps = draw(st.sets(st.integers(0, count))) if place else set[int]()
        columns.append([None if row in gaps and row < count - 1 else value for row, value in enumerate(values)])
    return kinds, [list(row) for row in zip(*columns, strict=True)]


def write(sheet: Any, row: int, column: int, value: Any, form: Any) -> None:
    if value is None:
        sheet.write_blank(row, column, None, form)
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value, form)
    elif isinstance(value, str):
        sheet.write_string(row, column, value, form)
    elif isinstance(value, (date, datetime)):
        sheet.write_datetime(row, column, value, form)
    else:
        sheet.write_number(row, column, value, form)


def same(kind: str, value: Any) -> Any:
    """A value as it should come back; a time at midnight may come back as a date beside others."""
    if value is None or kind in ("text", "boolean"):
        return value
    if kind in ("date", "moment"):
        return value if isinstance(value, datetime) else datetime.combine(value, time())
    return Decimal(str(value)).normalize()


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(table=tables(), at=st.tuples(st.integers(0, 5), st.integers(0, 5)), title=st.booleans(), epoch=st.booleans())
def test_what_was_written_is_read(
    table: tuple[list[str], list[list[Any]]],
    at: tuple[int, int],
    title: bool,
    epoch: bool,
    read_book: Callable[..., Any],
) -> None:
    kinds, rows = table
    if epoch and any(isinstance(value, date) and value.year < 1905 for row in rows for value in row):
        epoch = False  # days before its beginning can't be written

    def fill(book: Any) -> None:
        sheet = book.add_worksheet("Data")
        formats = {kind: book.add_format({"num_format": code}) for kind, code in FORMATS.items()}
        top, left = at
        if title:
            sheet.write_string(top, left, "A title of the table")
            top += 1
        for place in range(len(kinds)):
            sheet.write_string(top, left + place, f"column {place}")
        for number, row in enumerate(rows, start=top + 1):
            for place, value in enumerate(row):
                write(sheet, number, left + place, value, formats.get(kinds[place]))

    (found,) = read_book(written(fill, date_1904=epoch))
    assert [name for name, _ in found.reading.columns] == [f"column {place}" for place in range(len(kinds))]
    back, there = (
        [[same(*cell) for cell in zip(kinds, row, strict=True)] for row in all_rows] for all_rows in (found.rows, rows)
    )
    assert back == there

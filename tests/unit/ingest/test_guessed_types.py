"""The types of a large text are guessed from its first rows, and no later value is ever made to fit them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.ingest import FileJob, ReadTable
from runtime.ingest.reading import read_file

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


class Recorder:
    """A connection that keeps the statements which read all of a text."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.whole: list[str] = []

    def execute(self, statement: str, *values: Any) -> duckdb.DuckDBPyConnection:
        if "read_csv(" in statement and " LIMIT " not in statement:
            self.whole.append(statement)
        return self._connection.execute(statement, *values)

    def interrupt(self) -> None:
        self._connection.interrupt()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("{month:02d}/{day:02d}/2024 {hour}:30", "TIMESTAMP"),
        ("{day}.{month}.2024", "DATE"),
        ("{day} May 2024", "DATE"),
        ("2024/{month}/{day}", "DATE"),
        ("2024-01-{day:02d}T{hour:02d}:30:00Z", "TIMESTAMP"),
        ("0.{day:02d}", "DECIMAL(18,2)"),
        ("-{day}.5e-07", "DOUBLE"),
        ("", "VARCHAR"),
        ("n/a", "VARCHAR"),
    ],
)
def test_a_column_that_is_written_as_it_begins_is_read_once(
    session_connection: duckdb.DuckDBPyConnection, tmp_path: Path, value: str, kind: str
) -> None:
    lines = [
        f"{row},{value.format(day=row % 28 + 1, month=row % 12 + 1, hour=row % 14 + 10)}\n" for row in range(25_000)
    ]
    (tmp_path / "file.csv").write_text("number,value\n" + "".join(lines), encoding="utf-8")
    recorder = Recorder(session_connection)
    job = FileJob(str(tmp_path), "file.csv", "csv", str(tmp_path / "store"))
    reading, _ = read_file(cast("duckdb.DuckDBPyConnection", recorder), job, LARGE)
    assert isinstance(reading, ReadTable)
    assert dict(reading.columns)["value"] == kind
    assert len(recorder.whole) == 1


@pytest.mark.parametrize("place", PLACES[1:])
@pytest.mark.parametrize("odd", ["13.02.2024", "13-02-2024 7:05:09 PM", "13/02/24"])
def test_days_written_another_way_further_down(read: Read, place: int, odd: str) -> None:
    rows = [f"{row},{row % 28 + 1:02d}/05/2024 10:{row % 60:02d}\n" for row in range(30_000)]
    rows[place] = f"{place},{odd}\n"
    content = "number,at\n" + "".join(rows)
    large, small = read(content, limits=LARGE), read(content)
    assert large.types == small.types
    assert large.rows == small.rows


@pytest.mark.parametrize("odd", ["n/a", "7", "word", "2024-05-01", " ", "true"])
def test_what_stands_once_in_an_empty_column(read: Read, odd: str) -> None:
    rows = [f"{row},\n" for row in range(30_000)]
    rows[29_000] = f"29000,{odd}\n"
    content = "number,note\n" + "".join(rows)
    large, small = read(content, limits=LARGE), read(content)
    assert large.types == small.types
    assert large.rows == small.rows


WRITTEN = {
    "decimal-comma": ("{whole},{cents:02d}", "DECIMAL(18,2)"),
    "thousands": ("{whole:,}.{cents:02d}", "DECIMAL(18,2)"),
    "currency": ("${whole:,}.{cents:02d}", "DECIMAL(18,2)"),
    "negative": ("-€ {whole},{cents:02d}", "DECIMAL(18,2)"),
    "percent": ("{cents}%", "DECIMAL(18,2)"),
}


def amounts(written: str, *, odd: str = "", place: int = 0) -> str:
    """A text of amounts written in one way, but for one of them."""
    rows = [f"{row}\t{written.format(whole=1_000 + row * 37, cents=row % 97)}\n" for row in range(25_000)]
    if odd:
        rows[place] = f"{place}\t{odd}\n"
    return "number\tamount\n" + "".join(rows)


@pytest.mark.parametrize("written", WRITTEN)
def test_amounts_that_are_all_written_alike_are_read_once(
    session_connection: duckdb.DuckDBPyConnection, tmp_path: Path, read: Read, written: str
) -> None:
    form, kind = WRITTEN[written]
    (tmp_path / "file.tsv").write_text(amounts(form), encoding="utf-8")
    recorder = Recorder(session_connection)
    job = FileJob(str(tmp_path), "file.tsv", "tsv", str(tmp_path / "store"))
    reading, _ = read_file(cast("duckdb.DuckDBPyConnection", recorder), job, LARGE)
    small = read(amounts(form), "tsv")
    assert isinstance(reading, ReadTable)
    assert dict(reading.columns)["amount"] == kind
    assert len(recorder.whole) == 1
    assert (reading.columns, reading.rows, reading.notes) == (
        small.reading.columns,
        small.reading.rows,
        small.reading.notes,
    )


@pytest.mark.parametrize("place", PLACES[1:])
@pytest.mark.parametrize(
    "odd",
    ["1.234", "1.234,56", "7,125", "n/a", "$ 5,00", "(5,00)", "12.05.24", "0005", "123456789012345678,50", "word"],
)
def test_an_amount_written_another_way_further_down(read: Read, place: int, odd: str) -> None:
    content = amounts("{whole},{cents:02d}", odd=odd, place=min(place, 24_999))
    large, small = read(content, "tsv", limits=LARGE), read(content, "tsv")
    assert large.reading.columns == small.reading.columns
    assert large.rows == small.rows
    assert large.notes == small.notes


@settings(deadline=None, max_examples=30, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd=st.from_regex(r"[-+]?[0-9.]{1,4}([eE][-+]?[0-9]{1,3})?[ \tx_0-9]?", fullmatch=True))
def test_no_text_among_fractions_becomes_another_number(read: Read, odd: str) -> None:
    rows = [f"{row},-{row}.00000000{row % 9 + 1}\n" for row in range(2_500)]
    rows[2_400] = f'2400,"{odd}"\n'
    content = "number,share\n" + "".join(rows)
    large, small = read(content, limits=LARGE), read(content)
    assert large.types == small.types
    assert large.rows == small.rows

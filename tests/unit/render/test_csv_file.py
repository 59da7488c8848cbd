"""CSV: exact, NULL apart from empty text, honest about what is missing."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.csv_file import csv_file, csv_name
from bot.render.files import FilePart, result_files
from runtime.evidence import Column, Evidence, SourceRef, Truncation

ITEM = Evidence(
    "E1",
    "c1",
    "run_sql",
    "t",
    "ok",
    columns=(Column("a", "VARCHAR"), Column("b", "DOUBLE")),
    rows=(("x", 1), (None, 0.1 + 0.2), ("", None), ('q"uo,te', -5), ("two\nlines", True)),
    row_count=5,
    sources=(SourceRef("workspace", "orders", file="2024/orders <x>.csv"),),
)


def test_values_are_exact():
    assert csv_file(ITEM)[0].decode() == (
        'a,b\r\nx,1\r\n,0.30000000000000004\r\n"",\r\n"q""uo,te",-5\r\n"two\nlines",true\r\n'
    )


@given(st.lists(st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.integers()), min_size=1))
def test_any_reader_gets_the_same_back(rows):
    body = csv_file(replace(ITEM, rows=tuple(rows), row_count=len(rows)))[0].decode()
    assert list(csv.reader(io.StringIO(body, newline="")))[1:] == [[text, str(number)] for text, number in rows]


def test_names():
    assert csv_name(ITEM) == "E1-orders_x.csv"
    assert csv_name(replace(ITEM, sources=())) == "E1-run_sql.csv"


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({}, ""),
        ({"truncated": Truncation("rows_shown", 3, 5)}, ""),
        ({"row_count": 1_204}, "only the first 5 of 1,204 rows"),
        ({"truncated": Truncation("rows_kept", 5)}, "only the first 5 of more rows"),
        ({"truncated": Truncation("rows_kept", 5, 77)}, "only the first 5 of 77 rows"),
    ],
)
def test_what_is_missing_is_said(changes, note):
    assert csv_file(replace(ITEM, **changes))[1] == note


def test_a_file_too_large_ends_with_a_whole_row():
    assert csv_file(ITEM, 12) == (b"a,b\r\nx,1\r\n", "only the first 1 of 5 rows")


def test_no_table_no_file():
    with pytest.raises(ValueError, match="E1 has no table"):
        csv_file(replace(ITEM, columns=()))


def test_which_results_get_a_file():
    single = replace(ITEM, id="E2", rows=(("x", 1),), row_count=1)
    again = replace(ITEM, id="E3", repeat_of="E1")
    uncited = replace(ITEM, id="E4")
    (file,) = result_files((ITEM, single, again, uncited), {"E1", "E2", "E3"})
    assert (file.name, file.title, file.evidence_id) == ("E1-orders_x.csv", "E1 as CSV", "E1")
    assert FilePart.from_json(file.as_json()) == file

"""Delimited texts as spreadsheets save them: what stands around the table is padded to its width with delimiters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.ingest.layout import find_layout
from runtime.ingest.loose_records import Record
from runtime.ingest.outcome import ReadingLimits

Read = Callable[..., Any]

HEADER = "Tag;Text;Betrag;Art\n"
ROWS = "2026-01-31;a b;5,00;x\n2026-02-28;c;6,00;y\n2026-03-31;d;-7,50;x\n"
GAPPED = ROWS.replace("y\n", "y\n;;;\n")
AMOUNTS = [Decimal("5.00"), Decimal("6.00"), Decimal("-7.50")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(f"Auszug;DE02 1203;;\nZeitraum;Q1;;\n\n{HEADER}{ROWS}", "2 lines above", id="lines-of-two-cells"),
        pytest.param(f"Auszug;DE02 1203;;\n;;;\n{HEADER}{ROWS}", "2 lines above", id="a-blank-line"),
        pytest.param(f"Auszug;DE02;Filiale;\n{HEADER}{ROWS}", "1 line above", id="a-line-of-three-cells"),
        pytest.param(f"Inhaber;;Max;\n;;;\n{HEADER}{ROWS}", "2 lines above", id="a-gap-inside"),
        pytest.param(f"sep=;\nAuszug;DE02;;\n{HEADER}{ROWS}", "1 line above", id="below-the-delimiter"),
        pytest.param(f"Auszug;DE02;;\n{HEADER};;EUR;\n{ROWS}", "units row (line 3)", id="a-units-row"),
        pytest.param(f"Auszug;DE02;;\n{HEADER}{ROWS};;;\nSumme;;3,50;\n", "1 total row kept apart", id="a-total"),
        pytest.param(
            f"Auszug;DE02;;\n{HEADER}{ROWS};;;\nStand: 3. Mai;;;\n;;;\n", "footer of 1 line below", id="a-remark"
        ),
        pytest.param(f"{HEADER}{ROWS};;;\nStand: 3. Mai;;;\n;;;\n", "footer of 1 line below", id="a-remark-alone"),
        pytest.param(f"Auszug;;;\n{HEADER}{GAPPED}", "not rows of the table: line 5", id="a-blank-line-between"),
    ],
)  # fmt: skip
def test_what_is_padded_to_the_width_is_no_row(read: Read, content: str, said: str) -> None:
    table = read(content)
    assert list(table.types) == ["Tag", "Text", "Betrag", "Art"], table.notes
    assert table.column("Betrag") == AMOUNTS
    assert said in table.notes


def test_a_remark_below_two_padded_columns(read: Read) -> None:
    table = read("Auszug;\n;\nTag;Betrag\n2026-01-31;5\n2026-02-28;6\n;\nohne Gewähr erstellt;\n")
    assert [(row[1]) for row in table.rows] == [5, 6], table.notes


def test_padded_lines_above_a_large_text(read: Read, limits: ReadingLimits) -> None:
    small = replace(limits, whole_types_bytes=0, repair_bytes=0)
    table = read(f"Auszug;DE02 1203;;\n;;;\n{HEADER}{ROWS}", limits=small)
    assert table.column("Betrag") == AMOUNTS, table.notes


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        pytest.param("Name;Ort;\nAnna;Bonn;\nBen;Rom;ruft an\nCem;Ulm;\nDan;Ulm;\n", 4, id="remarks-without-a-name"),
        pytest.param("id;name;;\n1;a;x;y\n2;b;u;v\n3;c;u;v\n", 3, id="columns-without-a-name"),
        pytest.param("Name;Wert;;\nAnna;5;;\nBen;n/a;x;y\nCem;7;;\nDan;8;;\n", 4, id="mostly-empty-columns"),
        pytest.param("a;b;c\n1;2;3\n;;\n4;5;6\n", 3, id="an-empty-row-where-nothing-is-padded"),
        pytest.param("a;b;c\n1;2;3\n4;5;6\n;;\n", 2, id="an-empty-row-at-the-end"),
    ],
)
def test_a_table_with_empty_columns_is_no_line_above_one(read: Read, content: str, rows: int) -> None:
    assert len(read(content).rows) == rows


@given(
    above=st.lists(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=3), max_size=6),
    rows=st.integers(2, 30),
)
def test_padding_changes_nothing(above: list[list[str]], rows: int) -> None:
    """However many cells the lines above have, the table begins below them all."""
    table = [["Day", "What", "Amount", "Kind"], *(["2026-01-31", f"w{row}", str(row), "x"] for row in range(rows))]
    padded = [[*cells, *[""] * (4 - len(cells))] for cells in above]
    layout = find_layout([Record(line, cells) for line, cells in enumerate([*padded, *table], 1)])
    assert (layout.above, layout.width, layout.header) == (len(above), 4, True)

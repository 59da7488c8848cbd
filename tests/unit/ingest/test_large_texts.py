"""A text too large to be rewritten is read like a small one: what is no row of its table is kept apart and said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from runtime.ingest import IngestRefused

from .conftest import LIMITS

Read = Callable[..., Any]
LARGE = replace(LIMITS, repair_bytes=100, whole_types_bytes=100)
"""Every text of these tests is larger than that."""
BODY = "".join(f"shop {row % 3},person {row},{row}\n" for row in range(40))
SUM = sum(range(40))
HEADER = "shop,person,sold\n"
PAIRS = "".join(f"item {row},{row}\n" for row in range(40))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(f"{HEADER},,EUR\n{BODY}", "units row (line 2) kept apart: sold: EUR", id="units"),
        pytest.param(f"Report,,\n,,\n{HEADER}{BODY}", "2 lines above the header skipped", id="full-width-title"),
        pytest.param(f"Report of May\n \n\n{HEADER}{BODY}", "1 line above the header skipped", id="title-and-blanks"),
        pytest.param(f'"Report, May",,\n{HEADER}"a ""b""",c,5\n{BODY}', "1 line above the header", id="quoted-title"),
        pytest.param(f"\ufeffReport,,\r\n{HEADER}{BODY}", "1 line above the header skipped", id="title-behind-a-mark"),
        pytest.param(f"{HEADER}{BODY}Total,,{SUM}\n", "line 42 'Total' (equal to the sum", id="trailing-total"),
        pytest.param(f"{HEADER}{BODY}Total,,7\n", "sold says 7 where the rows add up to 780", id="total-that-is-wrong"),
        pytest.param(f"item,sold\nTotal,{SUM}\n{PAIRS}", "line 2 'Total' (equal to the sum", id="total-on-top"),
        pytest.param(f"item,sold\n{PAIRS},{SUM}\n", "line 42 'without a label'", id="total-without-a-label"),
        pytest.param(
            f"city,sold\nOslo,1\nOslo,2\nOslo Total,3\nRome,4\nRome Total,4\n{PAIRS}Grand total,{SUM + 7}\n",
            "3 total and subtotal rows kept apart, not counted as rows: line 4 'Oslo Total'",
            id="inner-subtotals",
        ),
        pytest.param(
            "number,sold\n" + "".join(f"{row},{row}.5\n" for row in range(40)) + "Summe,800.0\n",
            "line 42 'Summe' (equal to the sum of the rows in sold)",
            id="label-among-numbers",
        ),
        pytest.param(
            "Posten;Betrag\n" + "".join(f"P{row};1.000,5\n" for row in range(40)) + "Summe;40.020,0\n",
            "line 42 'Summe' (equal to the sum of the rows in Betrag)",
            id="decimal-commas",
        ),
        pytest.param(f"{HEADER}{BODY}{HEADER}{BODY}", "the header stands again in line 42", id="header-again"),
        pytest.param(f"{HEADER}{BODY}Source: the till,,\n", "footer of 1 line below the table", id="remark-below"),
        pytest.param("sep=;\n" + (HEADER + BODY).replace(",", ";"), "tells spreadsheets the delimiter", id="sep"),
        pytest.param(f"company,sold\nTotal,6\nShell,5\n{PAIRS}", "", id="a-company-called-total"),
        pytest.param(
            ",May,,June,\nshop,in,out,in,out\n" + "".join(f"shop {row},{row},2,3,4\n" for row in range(40)),
            "two header lines (1 and 2) joined",
            id="two-header-rows",
        ),
        pytest.param(HEADER + BODY.replace("\n", ",\n"), "", id="delimiters-behind-every-row-but-the-header"),
        pytest.param(f"{HEADER}{BODY}", "", id="nothing-to-repair"),
    ],
)
def test_a_large_text_is_read_like_a_small_one(read: Read, content: str, said: str) -> None:
    large, small = read(content, limits=LARGE), read(content)
    assert large.rows == small.rows
    assert large.types == small.types
    assert said in large.notes
    assert said in small.notes


def test_rows_stand_for_lines_where_lines_do_not_count_rows(read: Read) -> None:
    table = read(f'{HEADER}"two\nlines",x,1\n{BODY}Total,,{SUM + 1}\n', limits=LARGE)
    assert len(table.rows) == 41
    assert "row 42 'Total' (equal to the sum of the rows in sold)" in table.notes


def test_a_total_behind_other_columns_of_any_name(read: Read) -> None:
    header = "file_row_number,place_,sold\n"
    table = read(f"{header}{BODY}Total,,{SUM}\n", limits=LARGE)
    assert table.column("sold") == list(range(40))


def test_a_row_that_looks_like_a_total_behind_the_third_column_is_said(read: Read) -> None:
    body = "".join(f"{row},1,2,shop {row % 3},{row}\n" for row in range(40))
    content = f"number,a,b,shop,sold\n{body},,,Total,999\n"
    large, small = read(content, limits=LARGE), read(content)
    assert large.rows == small.rows
    assert "1 row looks like a total or subtotal, e.g. 'Total'" in large.notes
    assert "1 row looks like a total or subtotal, e.g. 'Total'" in small.notes


@pytest.mark.parametrize(
    "label", ["Total", "SUMME:", " total", "Grand Total", "sub-total North", "North total", "EU TOTAL"]
)
@pytest.mark.parametrize("others", ["Ann", "shop", "Zoe", "Čeněk", "ßuper"])
def test_labels_of_totals_are_found_among_labels_of_any_letters(read: Read, label: str, others: str) -> None:
    body = "".join(f"{others} {row},{row}\n" for row in range(40))
    table = read(f"shop,sold\n{body}{label},{SUM}\n", limits=LARGE)
    assert table.column("sold") == list(range(40))
    assert f"line 42 {label.strip()!r} (equal to the sum" in table.notes


def test_totals_of_wide_numbers_do_not_overflow(read: Read) -> None:
    huge = 9 * 10**37
    body = "".join(f"a{row},{huge},1.5\n" for row in range(40))
    table = read(f"name,id,paid\n{body}Total,,60\n", limits=LARGE)
    assert table.column("paid") == [Decimal("1.5")] * 40
    assert "equal to the sum of the rows in paid" in table.notes


@pytest.mark.parametrize("last", ["short,row\n", "Source: the till\n", "a,b,3,4\n"])
def test_uneven_lines_far_down_are_refused_with_their_line(read: Read, last: str) -> None:
    with pytest.raises(IngestRefused, match="ragged rows: line 43"):
        read(f"Report,,\n{HEADER}{BODY}{last}", limits=LARGE)


def test_whole_lines_in_quotes_of_a_large_text_are_refused_with_the_reason(read: Read) -> None:
    content = "".join(f'"{line}"\n' for line in (HEADER + BODY).splitlines())
    assert list(read(content).types) == ["shop", "person", "sold"]
    with pytest.raises(IngestRefused, match="each line is quoted as a whole"):
        read(content, limits=LARGE)


def test_a_large_text_of_nothing_but_its_header(read: Read) -> None:
    table = read("item,size\n" + "item,size\n" * 2_000, limits=LARGE)
    assert table.types == {"item": "VARCHAR", "size": "VARCHAR"}
    assert table.rows == []
    assert "the header stands again" in table.notes


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("line", [3, 50_000, 90_001])
def test_the_line_of_a_quote_that_is_never_closed_is_named_wherever_it_stands(read: Read, line: int, end: str) -> None:
    lines = ["id,note"] + [f'{number},"a ""b"" c"' for number in range(2, 90_002)]
    lines[5:7] = ['6,"two', 'lines"']
    lines[line - 1] = f'{line},"open'
    with pytest.raises(IngestRefused, match=f"^line {line}: a quote is opened and never closed"):
        read(end.join(lines) + end, limits=LARGE)

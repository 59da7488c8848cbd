"""What stands below or between the rows of a delimited text and is no row of it; rows that stay and add up others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime.ingest import IngestRefused

Read = Callable[..., Any]
_SOLD = "city,year,sold\nOslo,2021,10\nRome,2022,25\nBern,2023,31\nKiel,2024,47\n"
_ROWS = [("Oslo", 2021, 10), ("Rome", 2022, 25), ("Bern", 2023, 31), ("Kiel", 2024, 47)]


@pytest.mark.parametrize(
    ("below", "said"),
    [
        pytest.param("\nNotes:\nAll figures in EUR\n", "footer of 2 lines", id="a-heading-of-remarks"),
        pytest.param(
            "\nNotes:\n1. All in EUR\n2. Preliminary, may change, see page 3, 4\n",
            "footer of 3 lines below the table skipped (lines 7, 8, 9): 'Notes:'; '1. All in EUR'; '2. Preliminary may",
            id="remarks-with-commas-behind-a-blank-line",
        ),
        pytest.param("Source: Statistics Office, 2025\n", "footer of 1 line", id="a-source-with-a-comma"),
        pytest.param("Printed by: Ann,Date: 2025-01-05,Page 1\n", "footer of 1 line", id="a-remark-as-wide-as-a-row"),
        pytest.param("Quelle: Statistikamt\n,,\n,,\n", "2 lines without a value at the end left out", id="empty-lines"),
        pytest.param(",,\n,,\n,,\n", "3 lines without a value at the end left out (lines 6, 7", id="only-empty-lines"),
        pytest.param("Page 1 of 1\n", "1 line with the number of a page skipped (line 6)", id="the-number-of-a-page"),
    ],
)  # fmt: skip
def test_remarks_and_empty_lines_are_no_rows(read: Read, below: str, said: str) -> None:
    table = read(_SOLD + below)
    assert table.rows == _ROWS, table.notes
    assert said in table.notes


@pytest.mark.parametrize(
    ("content", "rows", "said"),
    [
        pytest.param("id,name\n1,A\n2,B\n3,C\nCount: 3\n", [(1, "A"), (2, "B"), (3, "C")], "footer of 1", id="a-count"),
        pytest.param(
            "id,name,qty\n1,A,5\n2,B,6\nPage 1 of 2\nid,name,qty\n3,C,7\nPage 2 of 2\n",
            [(1, "A", 5), (2, "B", 6), (3, "C", 7)],
            "2 lines with the number of a page skipped (lines 4, 7)",
            id="pages",
        ),
        pytest.param(
            "Konto:;01-1\n\nDatum;Text;Saldo\n31.01.2025;Miete;5,00\n25.01.2025;Lohn;7,50\n02.01.2025;x;1,00\n\n"
            "Disclaimer:\nDies ist kein Auszug.\n",
            None,
            "footer of 2 lines below the table skipped (lines 8, 9): 'Disclaimer:'",
            id="a-bank-s-disclaimer",
        ),
        pytest.param(
            "note,n\nnote: a,1\nnote: b,2\nnote: c,3\n",
            [("note: a", 1), ("note: b", 2), ("note: c", 3)],
            "",
            id="rows-that-begin-like-remarks",
        ),
        pytest.param(
            "city,shop,sold\nOslo,A,4\nRome,B,6\n\nBern,C,7\n",
            [("Oslo", "A", 4), ("Rome", "B", 6), ("Bern", "C", 7)],
            "",
            id="rows-behind-a-blank-line",
        ),
        pytest.param(
            "region,amount\nNorth,10\nSouth,20\n\nperson,age\nAnn,30\nBob,40\n",
            [("North", "10"), ("South", "20"), ("person", "age"), ("Ann", "30"), ("Bob", "40")],
            "line 5 stands behind a blank line and looks like a header (person, age): a second table may begin there",
            id="a-second-table",
        ),
        pytest.param(
            "k,v\n** TOTAL **,30\nA,10\nB,20\n", [("A", 10), ("B", 20)], "1 total row kept apart", id="stars"
        ),
        pytest.param(
            "region,sales\nAll,60\nNorth,10\nSouth,20\nEast,30\n",
            [("All", 60), ("North", 10), ("South", 20), ("East", 30)],
            "the first row ('All') holds the sums of all below it in sales",
            id="a-first-row-of-sums",
        ),
        pytest.param(
            'page,visits,rate,time\n/a,"1,200",45.50%,00:01:15\n/b,300,30.00%,00:02:10\n,"1,500",42.40%,00:01:26\n',
            None,
            "the last row holds the sums of all above it in visits",
            id="sums-beside-means",
        ),
    ],
)  # fmt: skip
def test_what_is_no_row_and_what_may_be_none(read: Read, content: str, rows: list[Any] | None, said: str) -> None:
    table = read(content)
    assert rows is None or table.rows == rows, table.notes
    assert said in table.notes


def test_a_second_table_of_another_width_is_named_by_its_line(read: Read) -> None:
    content = (
        "Sales\nregion,amount\nNorth,10\nSouth,20\n\nReturns\nregion,amount,reason\nNorth,1,broken\nSouth,2,late\n"
    )
    with pytest.raises(IngestRefused, match=r"a second table may begin in line 7 \(region, amount, reason\)"):
        read(content)


@pytest.mark.parametrize("content", ["   \n  \n\n", "\t\t\n\t\t\n", " "])
def test_blanks_alone_are_an_empty_file(read: Read, content: str) -> None:
    with pytest.raises(IngestRefused, match="empty"):
        read(content)


def test_a_short_row_whose_number_sign_is_part_of_its_key_is_no_comment(read: Read) -> None:
    table = read("order,name,city\n#1001,Ann,Oslo\n#1002\n#1003,Cy,Rome\n#1004,Di,Bern\n")
    assert table.column("order") == ["#1001", "#1002", "#1003", "#1004"], table.notes

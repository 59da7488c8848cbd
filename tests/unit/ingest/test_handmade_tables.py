"""Tables as people and their programs write them by hand: what stands around the rows is told from the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from runtime.ingest import IngestRefused
from runtime.ingest.outcome import ReadingLimits

Read = Callable[..., Any]


@pytest.mark.parametrize(
    ("content", "names", "rows", "said"),
    [
        pytest.param(
            "a,b,c\n1,2,3,\n4,5,6,\n7,8,9,\n",
            ["a", "b", "c"],
            [(1, 2, 3), (4, 5, 6), (7, 8, 9)],
            "",
            id="a-delimiter-behind-every-line-but-the-header",
        ),
        pytest.param(
            "a,b,c\n1,2,3,,,\n4,5,6,,,\n",
            ["a", "b", "c"],
            [(1, 2, 3), (4, 5, 6)],
            "",
            id="several-delimiters-behind-every-line-but-the-header",
        ),
        pytest.param(
            "id,price,qty\n1,12,50,3\n2,7,25,4\n",
            ["id", "price", "qty", "column_4"],
            [(1, 12, 50, 3), (2, 7, 25, 4)],
            "the header names 3 columns where the rows have 4 values",
            id="decimal-commas-between-commas",
        ),
        pytest.param(
            ",Jan,,Feb,\nProduct,Units,Revenue,Units,Revenue\nA,1,10.5,2,20\nB,4,40,5,50\n",
            ["Product", "Jan Units", "Jan Revenue", "Feb Units", "Feb Revenue"],
            [("A", 1, Decimal("10.5"), 2, 20), ("B", 4, Decimal("40.0"), 5, 50)],
            "two header lines (1 and 2) joined",
            id="months-over-pairs-of-columns",
        ),
        pytest.param(
            "Sales,,,,,,,,,,,,\n,Q1,,,Q2,,,Q3,,,Q4,,\nShop,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec\n"
            "A,1,2,3,4,5,6,7,8,9,10,11,12\nB,1,2,3,4,5,6,7,8,9,10,11,12\n",
            [
                *("Shop", "Q1 Jan", "Q1 Feb", "Q1 Mar", "Q2 Apr", "Q2 May", "Q2 Jun", "Q3 Jul", "Q3 Aug", "Q3 Sep"),
                *("Q4 Oct", "Q4 Nov", "Q4 Dec"),
            ],
            [("A", *range(1, 13)), ("B", *range(1, 13))],
            "1 line above the header skipped, not rows of the table: 'Sales'",
            id="quarters-over-months-below-a-title",
        ),
        pytest.param(
            "name,code,\nAnn,HR,lead\nBob,7,z\n",
            ["name", "code", "column_3"],
            [("Ann", "HR", "lead"), ("Bob", "7", "z")],
            "without a name",
            id="words-below-a-column-without-a-name-are-data",
        ),
        pytest.param(
            "name,born,died\nAnn Ax,,\nBob Bo,,\nCem Co,,\n",
            ["name", "born", "died"],
            [("Ann Ax", None, None), ("Bob Bo", None, None), ("Cem Co", None, None)],
            "",
            id="rows-that-all-lack-the-rest-are-no-remarks",
        ),
        pytest.param(
            "id,name,qty\n1,a,2\n\ufeffid,name,qty\n3,c,4\n",
            ["id", "name", "qty"],
            [(1, "a", 2), (3, "c", 4)],
            "byte order marks inside the text removed (1)",
            id="files-with-marks-behind-one-another",
        ),
        pytest.param(
            '"id;name;amt"\n"1;""Ann; B"";10"\n"2;Bob;20"\n',
            ["id", "name", "amt"],
            [(1, "Ann; B", 10), (2, "Bob", 20)],
            "each line is quoted as a whole",
            id="whole-lines-quoted",
        ),
        pytest.param(
            "+----+------+\n| id | amt |\n+----+------+\n|  1 | 3.5 |\n|  2 | 4.5 |\n+----+------+\n",
            ["column_1", "id", "amt", "column_4"],
            [(None, 1, Decimal("3.5"), None), (None, 2, Decimal("4.5"), None)],
            "3 ruling lines (dashes and the like, first in line 1) skipped",
            id="rules-drawn-with-dashes",
        ),
        pytest.param(
            'a,b\n1,"x\n-----\ny"\n2,z\n', ["a", "b"], [(1, "x\n-----\ny"), (2, "z")], "", id="rules-inside-a-value"
        ),
        pytest.param(
            'id, name, note\n1, "Ann, B", "x"\n2, "Bob", "y, z"\n',
            ["id", "name", "note"],
            [(1, "Ann, B", "x"), (2, "Bob", "y, z")],
            "",
            id="blanks-before-quotes",
        ),
        pytest.param(
            'id,name,say\n1,Ann,He said, "hi"\n2,Bob,no\n3,"C, D",yes\n',
            ["id", "name", "say"],
            [(1, "Ann", 'He said, "hi"'), (2, "Bob", "no"), (3, "C, D", "yes")],
            "ragged rows: line 2",
            id="quotes-after-a-comma-in-a-sentence",
        ),
    ],
)  # fmt: skip
def test_read_as_it_is_meant(read: Read, content: str, names: list[str], rows: list[Any], said: str) -> None:
    table = read(content)
    assert list(table.types) == names
    assert table.rows == rows, table.notes
    assert said in table.notes


@pytest.mark.parametrize(
    ("content", "rows", "said"),
    [
        pytest.param(
            "dept,emp,salary\nHR,Ann,100\nHR,Bob,200\n,,300\nIT,Cem,400\nIT,Dan,500\n,,900\n,,1200\n",
            [("HR", "Ann", 100), ("HR", "Bob", 200), ("IT", "Cem", 400), ("IT", "Dan", 500)],
            "3 total and subtotal rows kept apart, not counted as rows: line 4 'without a label' (equal to the sum",
            id="subtotals-without-any-label",
        ),
        pytest.param(
            "a,n\nA,100\n,50\n,150\nB,7\nC,8\nD,9\n",
            [("A", 100), (None, 50), (None, 150), ("B", 7), ("C", 8), ("D", 9)],
            "",
            id="rows-that-go-on-with-the-label-above",
        ),
        pytest.param(
            "name,score\nA,10\nB,20\nC,30\nAverage,20\nMax,30\nCount,3\n",
            [("A", 10), ("B", 20), ("C", 30)],
            "line 5 'Average' (equal to the mean of the rows in score)",
            id="figures-about-the-rows",
        ),
        pytest.param(
            "name,score\nA,10\nB,20\nC,40\nTotal,70\nMean,23.33\n",
            [("A", 10), ("B", 20), ("C", 40)],
            "line 6 'Mean' (equal to the mean of the rows in score)",
            id="a-rounded-mean-below-a-total",
        ),
        pytest.param(
            "name,score\nAnn,10\nBob,20\nMax,20\n",
            [("Ann", 10), ("Bob", 20), ("Max", 20)],
            "",
            id="a-man-called-max",
        ),
        pytest.param(
            "product,sold\nScrew,4\nNut,6\nAverage,7\n",
            [("Screw", 4), ("Nut", 6), ("Average", 7)],
            "",
            id="a-mean-that-is-none",
        ),
        pytest.param(
            "region,units,price\nN,10,2.5\nS,20,3.5\n,30,3.0\n",
            [("N", 10, Decimal("2.5")), ("S", 20, Decimal("3.5"))],
            "(equal to the sum or the mean of the rows in units, price)",
            id="a-last-row-of-a-sum-and-a-mean",
        ),
        pytest.param(
            "Row Labels,2022,2023\nEast,100,120\n  Boston,40,50\n  NYC,60,70\nWest,80,90\n  LA,80,90\n"
            "Grand Total,180,210\n",
            [("  Boston", 40, 50), ("  NYC", 60, 70), ("  LA", 80, 90)],
            "3 total and subtotal rows kept apart, not counted as rows: line 2 'East' (equal to the sum of the rows",
            id="a-pivot-table-with-indented-labels",
        ),
        pytest.param(
            "y,east\n2023,10\nJan,4\nFeb,6\n2024,5\nJan,5\nGrand Total,15\n",
            [("2023", 10), ("Jan", 4), ("Feb", 6), ("2024", 5), ("Jan", 5), ("Grand Total", 15)],
            "line 7 'Grand Total' kept as a row: east says 15 where the rows add up to 30, exactly 2 times that",
            id="a-pivot-table-whose-levels-nothing-tells-apart",
        ),
        pytest.param(
            "item,n\nTools,9\n  saw,4\n  axe,3\nWood,5\n  plank,5\n",
            [("Tools", 9), ("  saw", 4), ("  axe", 3), ("Wood", 5), ("  plank", 5)],
            "",
            id="indented-rows-that-add-up-to-nothing-above",
        ),
    ],
)  # fmt: skip
def test_rows_about_other_rows_are_kept_apart_only_when_they_add_up(
    read: Read, content: str, rows: list[Any], said: str
) -> None:
    table = read(content)
    assert table.rows == rows, table.notes
    assert said in table.notes


@pytest.mark.parametrize(
    ("content", "doubtful"),
    [
        ("Name,Ann\nCity,Oslo\n", True),
        ("Name,Ann\nCity,Oslo\nPhone,+47 123 456\nBorn,1990-01-01\nChildren,2\n", True),
        ("Oslo,Norway\nRome,Italy\nBern,Switzerland\n", True),
        ("Country,Capital\nNorway,Oslo\nItaly,Rome\n", True),
        ("name,city\nAnn,Oslo\n", False),
        ("Order_Id,Person\nA,Ann\nB,Bob\n", False),
        ("Person,Score\nAnn,5\nBob,n/a\n", False),
        ("Mail,Person\nann@x.org,Ann\nbob@x.org,Bob\n", False),
        ("Person,Team\nAnn,Red\nBob,Red\nCem,Blue\nDan,Blue\n", False),
    ],
)
def test_a_header_that_nothing_sets_apart_is_said(read: Read, content: str, doubtful: bool) -> None:
    assert ("may be a row: nothing sets it apart" in read(content).notes) == doubtful


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("code,n\n4.00664E+12,1\n4.01234E+12,2\n", "code: 2 values like 4.00664E+12 are shortened as spreadsheets do"),
        ("v,n\n1.5E+05,1\n2.5E+06,2\n", ""),
        ("v,n\n1.5e+20,1\n2.5e-3,2\n", ""),
        ("name,n\nMÃ¼ller,1\nJosÃ©,2\nAnn,3\n", "name: values look encoded twice, e.g. 'JosÃ©'; kept so"),
        ("name,n\nSÃO JOÃO,1\nÂngela,2\n", ""),
        ("Name      Dept   Salary\nAnn       HR        100\nBob       IT        200\n", "two or more blanks part each"),
        ("id~n\n1~a\n2~b\n", "one column only: the signs '~' part each line, too"),
        ("mail\nann@x.org\nbob@x.org\n", ""),
        ("# made by a tool\nid,n\n1,5\n# two more\n2,6\n# end\n", "3 comment lines (#, first in line 1) skipped"),
        ("#id,n\n1,5\n2,6\n", ""),
        ("day,n\n05-Jan-24,1\n17-Feb-24,2\n", "day: its values look like dates in a form that is not read, e.g."),
        ("day;n\n1. März 2024;1\n15. Mai 2024;2\n", "day: its values look like dates in a form that is not read"),
        ("at,n\n2024-01-31 10:00:00 CET,1\n2024-06-30 10:00:00 CEST,2\n", "at: its values look like times with a zone"),
        ("k,temp\na,12 °C\nb,-3 °C\n", "temp: its values are numbers with other signs or words, e.g. '-3 °C'"),
        ("k,limit\na,<10\nb,~5\nc,7\n", "limit: its values are numbers with other signs or words, e.g. '<10'"),
        ('k,amt\na,"Rs. 1,20,000"\nb,Rs. 500\n', "amt: its values are numbers with other signs or words"),
        ("k,amt\na,100.00 CR\nb,45.00 DR\n", "amt: its values are numbers with other signs or words"),
        ("order,street\nA-1,12 Elm Road\nQ1 2024,7th Avenue\n", ""),
        (
            "Region,City,Sales\nNorth,Oslo,5\n,Bergen,6\nSouth,Rome,7\n,Naples,8\n",
            "Region: 2 rows have no label; the one above may stand for them",
        ),
        (
            "k,debit,credit\na,5,\nb,,7\nSaldo,5,7\n",
            "the last row ('Saldo') holds the sums of all above it in debit, credit",
        ),
        ("k,n\na,1\nb,2\nc,3\n", ""),
    ],
)
def test_signs_of_what_went_wrong_before_are_said(read: Read, content: str, said: str) -> None:
    notes = read(content).notes
    assert said in notes
    assert bool(said) == bool(notes), notes


def test_texts_told_to_a_spreadsheet_that_begin_far_down_in_a_large_file_are_said(
    read: Read, limits: ReadingLimits
) -> None:
    content = "code,n\n" + "A1,5\n" * 12_000 + '="007",5\n' * 8_000
    table = read(content, limits=replace(limits, whole_types_bytes=1_000))
    assert table.rows[-1] == ('="007"', 5)
    assert (
        'code: 8,000 of 20,000 values are written as ="…", the first rows are not; all kept as written' in table.notes
    )


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04\x14\0\0\0", "a package like a spreadsheet's (zip)"),
        (b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", "a PDF"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "compressed (gzip)"),
        (b"<!DOCTYPE html><html><body>Please sign in, now\n</body></html>\n", "a web page or XML"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<rows/>\n", "a web page or XML"),
    ],
)
def test_another_kind_of_file_under_the_name_of_a_text(read: Read, content: bytes, what: str) -> None:
    with pytest.raises(IngestRefused) as refused:
        read(content)
    assert refused.value.reason.startswith(f"its content is {what}, not delimited text")

"""Headers of several lines as survey programs and ledgers write them, and cells that stand for nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from runtime.ingest.outcome import ReadingLimits

Read = Callable[..., Any]
D = Decimal
AT = datetime.fromisoformat

CASES: Mapping[str, tuple[str, Mapping[str, Sequence[Any]], str]] = {
    "a survey, its questions over their options": (
        "Respondent ID,What do you like?,,,\n,Apples,Pears,Plums,Other\n1001,Apples,,Plums,\n1002,,Pears,,figs\n",
        {"Respondent ID": [1001, 1002], "What do you like? Other": [None, "figs"]},
        "two header lines (1 and 2) joined",
    ),
    "a survey with the program's ids": (
        'StartDate,Q1,Q2\nStart Date,How old?,Your city\n'
        '"{""ImportId"":""s""}","{""ImportId"":""1""}","{""ImportId"":""2""}"\n'
        "2025-01-02 10:00:00,34,Oslo\n2025-01-03 11:00:00,41,Rome\n",
        {"StartDate": [AT("2025-01-02 10:00"), AT("2025-01-03 11:00")], "Q1": [34, 41]},
        "2 lines below the header (lines 2, 3) hold questions and a survey program's ids, no answers: StartDate: Start",
    ),
    "groups named over each of their columns": (
        ",2023,2023,2024,2024\nproduct,units,revenue,units,revenue\nA,5,50,6,60\nB,7,70,8,80\n",
        {"product": ["A", "B"], "2023 units": [5, 7], "2024 revenue": [60, 80]},
        "two header lines (1 and 2) joined",
    ),
    "names given twice over values": (
        "k,v,v\na,1,2\nb,3,4\n",
        {"v": [1, 3], "v_2": [2, 4]},
        "duplicate column name 'v'",
    ),
    "a line of types": (
        "id,name,amount\nint,string,float\n1,A,2.5\n2,B,3.5\n",
        {"id": [1, 2], "amount": [D("2.5"), D("3.5")]},
        "units row (line 2) kept apart: id: int; name: string; amount: float",
    ),
    "a mark of the end in every line": (
        "ID;T;eor\n1;3.5;eor\n2;4.5;eor\n",
        {"ID": [1, 2], "T": [D("3.5"), D("4.5")], "eor": ["eor", "eor"]},
        "",
    ),
    "a first line that tells the wrong delimiter": (
        "sep=,\nid;name\n1;A\n2;B\n",
        {"id": [1, 2], "name": ["A", "B"]},
        "nor true, since no line holds that sign",
    ),
    "decimal commas between commas": (
        "id,price\n1,12,50\n2,3,75\n3,100,00\n",
        {"id": [1, 2, 3]},
        "numbers with a decimal comma may be cut in two, e.g. 12,50",
    ),
    "missing values of a database": (
        "id\tname\tqty\n1\tAnn\t\\N\n2\t\\N\t6\n3\ta\\tb\t7\n",
        {"name": ["Ann", None, "a\\tb"], "qty": [None, 6, 7]},
        "\\N is read as a missing value, as exports of databases write it",
    ),
    "missing values of a database in a text that is repaired": (
        "id,name,qty\n1,Ann,\\N\n2,\\N,6\nTotal,,6\n",
        {"name": ["Ann", None], "qty": [None, 6]},
        "\\N is read as a missing value",
    ),
    "a blank cell among written numbers": (
        'id,b,c,d\n1,"1,50",5 €,5%\n2,\u00a0, ,\u00a0\n3,"7,25",7 €,7%\n',
        {"b": [D("1.50"), None, D("7.25")], "c": [5, None, 7], "d": [D("0.05"), None, D("0.07")]},
        "",
    ),
    "labels that differ in a hard blank": (
        "id,city\n1,New York\n2,New\u00a0York\n",
        {"city": ["New York", "New\u00a0York"]},
        "city: 1 label is spelled in several ways (case or blanks)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_read_as_a_person_reads_it(read: Read, case: str) -> None:
    content, columns, said = CASES[case]
    table = read(content, "tsv" if "\t" in content else "csv")
    assert {name: table.column(name) for name in columns} == dict(columns), table.notes
    assert said in table.notes


def test_missing_values_of_a_database_in_a_large_text(read: Read) -> None:
    table = read("id,name\n" + "12345678,\\N\n12345678,abcdefgh\n" * 300_000)
    assert table.rows[0] == (12345678, None)
    assert "\\N is read as a missing value" in table.notes


def test_the_point_of_a_currency_is_no_decimal_point_in_a_large_text(read: Read, limits: ReadingLimits) -> None:
    content = "id,amount\n" + "".join(f"{row},Rs. {row}.50\n" for row in range(3_000))
    table = read(content, limits=replace(limits, whole_types_bytes=1_000))
    assert table.column("amount")[:2] == [D("0.50"), D("1.50")]
    assert "currency INR (Rs.)" in table.notes

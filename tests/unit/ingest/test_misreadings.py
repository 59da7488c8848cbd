"""Misreadings beyond the shared cases: each another kind, with the right value and what has to be said about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from runtime.ingest import IngestRefused

Read = Callable[..., Any]
AT = datetime.fromisoformat


@pytest.mark.parametrize(
    ("content", "kind", "rows", "said"),
    [
        pytest.param(
            "Quarterly report,,\nPrinted 3 May,,\n,,\nregion,units,price\nNorth,4,2.50\nSouth,6,1.25\n",
            "csv",
            [("North", 4, Decimal("2.50")), ("South", 6, Decimal("1.25"))],
            "lines above the header skipped",
            id="title-lines-padded-to-the-width-of-the-table",
        ),
        pytest.param(
            "id,qty\n1,5\n2,6\nid,qty\n3,7\n",
            "csv",
            [(1, 5), (2, 6), (3, 7)],
            "the header stands again in line 4",
            id="exports-put-behind-one-another",
        ),
        pytest.param(
            "shop,city,sold\nA,Oslo,4\nB,Rome,6\nSource: the till system of May\n",
            "csv",
            [("A", "Oslo", 4), ("B", "Rome", 6)],
            "footer of 1 line",
            id="a-remark-below-the-table",
        ),
        pytest.param(
            "city,shop,sold\nOslo,A,4\nOslo,B,6\nOslo Total,,10\nRome,C,1\nRome Total,,1\n",
            "csv",
            [("Oslo", "A", 4), ("Oslo", "B", 6), ("Rome", "C", 1)],
            "2 total and subtotal rows kept apart",
            id="the-word-total-behind-the-group",
        ),
        pytest.param(
            "company,revenue\nShell,5\nTotal,6\nEni,7\nBP,9\n",
            "csv",
            [("Shell", 5), ("Total", 6), ("Eni", 7), ("BP", 9)],
            "",
            id="a-company-called-total",
        ),
        pytest.param(
            "Posten;Betrag\nMiete;1.200,00\nStrom;80,50\nSumme;1.280,50\n",
            "csv",
            [("Miete", Decimal("1200.00")), ("Strom", Decimal("80.50"))],
            "'Summe' (equal to the sum of the rows in Betrag)",
            id="a-german-total",
        ),
        pytest.param(
            "Posten;Betrag\n" + "P;1.000,50\n" * 30 + "Summe;30.015,00\n",
            "csv",
            [("P", Decimal("1000.50"))] * 30,
            "'Summe' (equal to the sum of the rows in Betrag)",
            id="decimal-commas-in-every-row-are-no-delimiters",
        ),
        pytest.param(
            "von;bis\n" + "1,5;2,5\n" * 30 + "Summe;75,0\n",
            "csv",
            [(Decimal("1.5"), Decimal("2.5"))] * 30,
            "'Summe' (equal to the sum of the rows in bis)",
            id="more-decimal-commas-than-semicolons",
        ),
        pytest.param(
            "item,weight,price\n,kg,EUR\nbolt,1.5,2\nnut,0.5,1\nnail,0.1,3\n",
            "csv",
            [("bolt", Decimal("1.5"), 2), ("nut", Decimal("0.5"), 1), ("nail", Decimal("0.1"), 3)],
            "units row (line 2)",
            id="units-of-different-kinds",
        ),
        pytest.param(
            "name,grade\nAnn,A\nBob,B\nCem,A\n",
            "csv",
            [("Ann", "A"), ("Bob", "B"), ("Cem", "A")],
            "",
            id="letters-below-a-header-are-no-units",
        ),
        pytest.param(
            "name,phone\nAnn,+4915112345678\nBob,+4915187654321\n",
            "csv",
            [("Ann", "+4915112345678"), ("Bob", "+4915187654321")],
            "",
            id="telephone-numbers-keep-their-plus",
        ),
        pytest.param(
            "id,balance\na,1 234 567.50\nb,-12.25\n",
            "csv",
            [("a", Decimal("1234567.50")), ("b", Decimal("-12.25"))],
            "thousands marked by spaces",
            id="narrow-spaces-between-thousands",
        ),
        pytest.param(
            "id,change\na,-5%\nb,(2.5%)\nc,n/a\n",
            "csv",
            [("a", Decimal("-0.050")), ("b", Decimal("-0.025")), ("c", None)],
            "percent read as a fraction",
            id="negative-percentages",
        ),
        pytest.param(
            "code,n\n1E5,1\n2E3,2\n007,3\n",
            "csv",
            [("1E5", 1), ("2E3", 2), ("007", 3)],
            "",
            id="codes-that-look-like-exponents",
        ),
        pytest.param(
            "id,size,\n1,5,\n2,6,\n",
            "csv",
            [(1, 5), (2, 6)],
            "1 column at the end without a name or a value left out",
            id="a-delimiter-behind-every-line",
        ),
        pytest.param(
            '[{"id": 9007199254740993, "v": 1e3}, {"id": 9007199254740992, "v": 2.5}]',
            "json",
            [(9007199254740993, Decimal("1000.0")), (9007199254740992, Decimal("2.5"))],
            "",
            id="json-ids-beyond-floating-point",
        ),
        pytest.param(
            '[{"a": 1, "a": 2}, {"a": 3}]', "json", [(2,), (3,)], "duplicate key 'a'", id="json-key-given-twice"
        ),
        pytest.param(
            '[{"code": "12"}, {"code": "7"}]',
            "json",
            [("12",), ("7",)],
            "written as strings",
            id="json-digits-as-strings",
        ),
        pytest.param(
            '{"Oslo": {"sold": 4}, "Rome": {"sold": 6}}',
            "json",
            [("Oslo", 4), ("Rome", 6)],
            "one row for each key",
            id="json-object-of-objects",
        ),
        pytest.param(
            '{"a": 1}\n{"a": 2}\n', "json", [(1,), (2,)], "", id="json-lines-under-the-name-of-json"
        ),
        pytest.param(
            '[{"a_b": 1, "a": {"b": 2}}]', "json", [(1, 2)], "is called a_b_2", id="json-names-that-collide"
        ),
        pytest.param(
            '{"v": NaN, "d": "2024-05-01"}\n{"v": 2, "d": "2024-05-02"}\n',
            "ndjson",
            [(None, date(2024, 5, 1)), (2, date(2024, 5, 2))],
            "not a number",
            id="json-nan",
        ),
    ],
)  # fmt: skip
def test_read_right(read: Read, content: str, kind: str, rows: list[Any], said: str) -> None:
    table = read(content, kind)
    assert table.rows == rows, table.notes
    assert said in table.notes


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        ("", "json", "empty"),
        ("[]", "json", "empty"),
        ('{"a": [', "json", "line 1: not valid JSON"),
        ("7", "json", "a single value"),
        ('{"a": 1\n{"a": 2\n', "ndjson", "line 1: not valid JSON"),
        ("[" * 100_000, "json", "nested too deeply"),
        ('[{"a": ' + "[" * 5_000 + "]" * 5_000 + "}]", "json", "nested too deeply"),
    ],
)
def test_json_that_holds_no_table(read: Read, content: str, kind: str, reason: str) -> None:
    with pytest.raises(IngestRefused, match=reason):
        read(content, kind)


@pytest.mark.parametrize(
    ("content", "rows", "said"),
    [
        pytest.param(
            "day,n\n13/02/2024,1\n31/02/2024,2\n",
            [("13/02/2024", 1), ("31/02/2024", 2)],
            "day: 1 of 2 dates are no days of the calendar; column kept as text",
            id="a-date-that-does-not-exist-does-not-vanish",
        ),
        pytest.param(
            "at,n\n00/00/0000,1\n13/03/2024,2\n",
            [("00/00/0000", 1), ("13/03/2024", 2)],
            "1 of 2 dates are no days",
            id="zeros-for-a-missing-date",
        ),
        pytest.param(
            "at,n\n13/02/2024 14:05,1\n03/02/2024 09:00:30,2\n",
            [(AT("2024-02-13 14:05"), 1), (AT("2024-02-03 09:00:30"), 2)],
            "day first",
            id="slashed-dates-with-a-time-of-day",
        ),
        pytest.param(
            "at,n\n2/13/2024 2:05 PM,1\n2/3/2024 12:00 AM,2\n",
            [(AT("2024-02-13 14:05"), 1), (AT("2024-02-03"), 2)],
            "month first",
            id="times-before-and-after-noon",
        ),
        pytest.param(
            "at,n\n5/3/2024 2:05 PM,1\n2/3/2024 9:00 AM,2\n",
            [("5/3/2024 2:05 PM", 1), ("2/3/2024 9:00 AM", 2)],
            "the order of day and month is not decidable",
            id="times-on-days-of-an-open-order",
        ),
        pytest.param(
            "day,n\n13.02.24,1\n03.02.24,2\n",
            [("13.02.24", 1), ("03.02.24", 2)],
            "a year of two digits",
            id="years-of-two-digits",
        ),
        pytest.param(
            "sep=;\na;b\n1;2\n3;4\n", [(1, 2), (3, 4)], "tells spreadsheets the delimiter", id="a-line-that-says-sep"
        ),
        pytest.param(
            "a,a,A\n1,2,3\n", [(1, 2, 3)], "duplicate column name 'A': the later one is called A_3", id="names-by-case"
        ),
        pytest.param("id,v\n1,12-\n2,7\n", [(1, -12), (2, 7)], "a minus behind the number", id="a-minus-behind"),
        pytest.param("id,v\n1,−5\n2,3\n", [(1, -5), (2, 3)], "", id="a-minus-sign-of-typesetters"),
        pytest.param("id,v\n1,0x1F\n2,0x2A\n", [(1, "0x1F"), (2, "0x2A")], "", id="hexadecimal-is-a-code"),
        pytest.param("id,took\n1,1:30\n2,26:15\n", [(1, "1:30"), (2, "26:15")], "", id="durations-are-no-times"),
        pytest.param("id,v\n1,3/4\n2,1/2\n", [(1, "3/4"), (2, "1/2")], "", id="fractions-are-no-dates"),
        pytest.param(
            "k,v\na,1.5K\nb,$2M\nc,3 bn\n",
            [("a", "1.5K"), ("b", "$2M"), ("c", "3 bn")],
            "v: 3 values have letters for thousands or millions; column kept as text",
            id="letters-for-thousands",
        ),
        pytest.param(
            "k,v\na,1.5K\nb,200\n",
            [("a", "1.5K"), ("b", "200")],
            "v: 1 values have letters for thousands",
            id="letters-for-thousands-beside-numbers",
        ),
        pytest.param(
            'zip,n\n="00123",1\n="04109",2\n',
            [("00123", 1), ("04109", 2)],
            'zip: 2 values written as ="…" are read as the text inside',
            id="texts-told-to-a-spreadsheet",
        ),
        pytest.param(
            '"zip","n"\n"=""00123""",1\n77,2\n',
            [("00123", 1), ("77", 2)],
            "1 values written as",
            id="texts-told-to-a-spreadsheet-and-quoted",
        ),
        pytest.param("id,paid\n1,t\n2,f\n", [(1, "t"), (2, "f")], "", id="letters-are-no-truth-values"),
        pytest.param(
            "id,paid\n1,yes\n2,no\n3,maybe\n", [(1, "yes"), (2, "no"), (3, "maybe")], "", id="maybe-is-no-truth-value"
        ),
        pytest.param("id,v\n1,\u0661\u0662\n2,7\n", [(1, "\u0661\u0662"), (2, "7")], "", id="digits-of-other-scripts"),
        pytest.param("id,v\n1,\u00a05\u00a0\n2,6\n", [(1, 5), (2, 6)], "", id="hard-blanks-around-a-number"),
        pytest.param("code,n\nMar-24,1\nApr-24,2\n", [("Mar-24", 1), ("Apr-24", 2)], "", id="a-month-and-two-digits"),
        pytest.param(
            "card,n\n4111111111111111222,1\n4111111111111111223,2\n",
            [(4111111111111111222, 1), (4111111111111111223, 2)],
            "",
            id="long-numbers-keep-every-digit",
        ),
        pytest.param(
            "day,n\n1900-01-00,1\n2024-03-01,2\n",
            [("1900-01-00", 1), ("2024-03-01", 2)],
            "1 of 2 values are not dates",
            id="the-day-before-the-first-of-a-spreadsheet",
        ),
    ],
)  # fmt: skip
def test_values_that_are_easily_taken_for_others(read: Read, content: str, rows: list[Any], said: str) -> None:
    table = read(content)
    assert table.rows == rows, table.notes
    assert said in table.notes


def test_a_date_that_does_not_exist_far_down_in_a_large_file_does_not_vanish(read: Read) -> None:
    table = read("day\n" + "13/02/2024\n" * 800_000 + "31/02/2024\n")
    assert table.types == {"day": "VARCHAR"}
    assert table.rows[-1] == ("31/02/2024",)
    assert "1 of 800,001 dates are no days" in table.notes

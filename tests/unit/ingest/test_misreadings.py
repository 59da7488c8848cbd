"""Misreadings beyond the shared cases: each another kind, with the right value and what has to be said about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from runtime.ingest import IngestRefused

Read = Callable[..., Any]


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
            [(1, 5, None), (2, 6, None)],
            "without a name",
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

"""What is seen in delimited texts is seen on sheets as well."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from tests.unit.ingest.spreadsheets.conftest import saved

Read = Callable[..., Any]
D = Decimal


def test_signs_nobody_sees_are_said(read_book: Read) -> None:
    (table,) = read_book(saved(["city", "n"], ["Düssel\u00addorf", 1], ["Düsseldorf", 2]))
    assert "city: values hold signs nobody sees (soft hyphens" in table.notes


def test_balances_are_kept_apart_on_a_sheet_too(read_book: Read) -> None:
    rows = [
        ["Date", "Text", "Amount", "Balance"],
        [date(2024, 1, 1), "Opening balance", None, 1000],
        [date(2024, 1, 3), "Coffee", -4.5, 995.5],
        [date(2024, 1, 5), "Salary", 2000, 2995.5],
        [date(2024, 1, 31), "Closing balance", None, 2995.5],
    ]
    (table,) = read_book(saved(*rows))
    assert table.column("Amount") == [D("-4.5"), D("2000.0")]
    assert "2 balance rows kept apart, not counted as rows: row 2: 2024-01-01 | Opening balance | 1000" in table.notes

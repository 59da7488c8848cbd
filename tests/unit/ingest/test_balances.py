"""Rows of an account that name a balance are no movements: kept apart where the figures prove it, else said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

Read = Callable[..., Any]
D = Decimal

AMOUNT_EMPTY = """Date,Description,Amount,Balance
2024-01-01,Opening balance,,1000.00
2024-01-03,Coffee,-4.50,995.50
2024-01-05,Salary,2000.00,2995.50
2024-01-31,Closing balance,,2995.50
"""
AMOUNT_IS_BALANCE = """Date,Description,Amount,Balance
2024-01-01,Balance brought forward,1000.00,1000.00
2024-01-03,Coffee,-4.50,995.50
2024-01-05,Salary,2000.00,2995.50
2024-01-31,Balance c/f,2995.50,2995.50
"""
NEWEST_FIRST = """Date,Details,Debit,Credit,Balance
2024-01-31,Closing balance,,,2995.50
2024-01-05,Salary,,2000.00,2995.50
2024-01-03,Coffee,4.50,,995.50
2024-01-01,Opening balance:,,,1000.00
"""
NO_BALANCE_COLUMN = """Buchungstag;Verwendungszweck;Betrag;Währung
01.03.2024;Anfangssaldo;1.500,00;EUR
15.03.2024;Miete;-800,00;EUR
17.03.2024;Gehalt;2.300,00;EUR
31.03.2024;Endsaldo;3.000,00;EUR
"""
PAGES = """Konto;Datum;Text;Soll;Haben;Saldo
4711;01.03.2024;Saldo per 01.03.2024;;;1500,00
4711;15.03.2024;Miete;800,00;;700,00
4711;17.03.2024;Gehalt;;2300,00;3000,00
4711;;Übertrag;;;3000,00
4711;18.03.2024;Strom;50,00;;2950,00
4711;31.03.2024;Neuer Saldo;;;2950,00
"""


@pytest.mark.parametrize(
    ("text", "columns", "sums", "said"),
    [
        (AMOUNT_EMPTY, ["Amount"], [D("1995.50")], "line 2: 2024-01-01 | Opening balance | 1000.00; line 5: "),
        (AMOUNT_IS_BALANCE, ["Amount"], [D("1995.50")], "line 2: 2024-01-01 | Balance brought forward | 1000.00"),
        (NEWEST_FIRST, ["Debit", "Credit"], [D("4.50"), D("2000.00")], "line 2: 2024-01-31 | Closing balance | "),
        (NO_BALANCE_COLUMN, ["Betrag"], [D("1500.00")], "line 2: 01.03.2024 | Anfangssaldo | 1.500,00 | EUR"),
        (PAGES, ["Soll", "Haben"], [D("850.00"), D("2300.00")], "line 5: 4711 | Übertrag | 3000,00"),
    ],
)
def test_proved_balances_are_kept_apart_with_what_they_say(
    read: Read, text: str, columns: list[str], sums: list[Decimal], said: str
) -> None:
    found = read(text)
    assert [sum(filter(None, found.column(name))) for name in columns] == sums
    assert "balance rows kept apart, not counted as rows: " in found.notes and said in found.notes


def test_balances_at_the_ends_of_a_large_text_are_kept_apart(read: Read, limits: Any) -> None:
    moves = "".join(f"2024-01-02,x{place},1.50,{D('1000') + place * D('1.5')}\n" for place in range(1, 400))
    ends = ("2024-01-01,Opening balance,,1000.00\n", "2024-01-31,Closing balance,,1598.50\n")
    text = f"date,text,amount,balance\n{ends[0]}{moves}{ends[1]}"
    found = read(text, limits=replace(limits, repair_bytes=100, whole_types_bytes=100))
    assert (len(found.rows), sum(found.column("amount"))) == (399, D("598.50"))
    assert "2 balance rows kept apart, not counted as rows: line 2: 2024-01-01 | Opening balance" in found.notes


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [
        (
            "item,Jan,Feb\nOpening balance,100,120\nReceipts,50,60\nPayments,-30,-40\nClosing balance,120,140\n",
            4,
            "2 rows name a balance (line 2 'Opening balance', line 5 'Closing balance'); kept as rows",
        ),
        (
            "date,text,amount\n2024-01-01,Opening balance,100\n2024-01-02,rent,-30\n2024-01-03,food,-8\n",
            3,
            "1 row names a balance (line 2 'Opening balance'); kept as rows",
        ),
    ],
)
def test_balances_that_nothing_proves_are_kept_and_said(read: Read, text: str, rows: int, said: str) -> None:
    found = read(text)
    assert len(found.rows) == rows
    assert said in found.notes


@pytest.mark.parametrize(
    "text",
    [
        "brand,model,price,stock\nNew Balance,574,99.90,12\nNike,Air,120.00,3\nPuma,Suede,80.00,7\n",
        "Datum,Text,Betrag,Saldo\n2024-03-01,Lohn,100,1100\n2024-03-02,Übertrag,-50,1050\n2024-03-03,Strom,-20,1030\n",
        "account,kind,n\nA,Opening balance,1\nB,Opening balance,2\nC,Opening balance,3\nD,other,4\n",
    ],
)
def test_other_things_of_such_a_name_are_rows(read: Read, text: str) -> None:
    found = read(text)
    assert len(found.rows) == text.count("\n") - 1
    assert "balance row" not in found.notes and "names a balance" not in found.notes

"""The demo's office files: a stock count in a spreadsheet as people make them, and what advertising cost, as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from random import Random

from bot.local.demo.shop import Shop

STOCK_FILE, ADVERTISING_FILE = "stock_count.xlsx", "advertising.csv"
_WAREHOUSES = ("Hamburg", "Lyon", "Boston")
_CAMPAIGNS = ("search", "newsletter", "social")
_COUNTED_ON = date(2026, 6, 30)
_MADE = datetime(2026, 7, 1)  # noqa: DTZ001 - spreadsheets know no time zones


@dataclass(frozen=True, slots=True)
class Office:
    """Rows of both files. A stock row: warehouse, product, pieces counted (None: not counted), pieces damaged. An
    advertising row: first day of the month, campaign, clicks, cents spent (euros)."""

    stock: tuple[tuple[str, str, int | None, int], ...]
    advertising: tuple[tuple[date, str, int, int], ...]


def make_office(shop: Shop, seed: int = 7) -> Office:
    """The office files of a seed."""
    chance = Random(seed + 1)
    stock = tuple(
        (warehouse, product, None if chance.random() < 0.1 else 5 + chance.randrange(400), chance.randrange(6))
        for warehouse in _WAREHOUSES
        for _, product, _, _ in shop.products
    )
    months = [date(year, month, 1) for year in (2025, 2026) for month in range(1, 13)][:18]
    advertising = list[tuple[date, str, int, int]]()
    for month in months:
        for campaign in _CAMPAIGNS:
            clicks = 300 + chance.randrange(1_700)
            advertising.append((month, campaign, clicks, clicks * (35 + chance.randrange(20))))
    return Office(stock, tuple(advertising))


def write_office(folder: Path, office: Office) -> None:
    """Writes both files into `folder`; the same rows give the same bytes."""
    _write_stock(folder / STOCK_FILE, office)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("month", "campaign", "clicks", "spent_eur"))
    writer.writerows(
        (month, campaign, clicks, f"{cents // 100}.{cents % 100:02d}")
        for month, campaign, clicks, cents in office.advertising
    )
    (folder / ADVERTISING_FILE).write_bytes(text.getvalue().encode())


def _write_stock(path: Path, office: Office) -> None:
    """A title, a note, the header in the fourth row, "n/a" for what wasn't counted, numbers with blanks, a total."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    book.set_properties({"created": _MADE})
    day = book.add_format({"num_format": "dd.mm.yyyy"})
    sheet = book.add_worksheet("Count June")
    sheet.write(0, 0, "Stock count, all warehouses")
    sheet.write(1, 0, "Counted by hand; ask the warehouse when in doubt")
    for column, title in enumerate(("Warehouse", "Product", "Pieces", "Damaged", "Counted on")):
        sheet.write(3, column, title)
    row = 4
    for warehouse, product, pieces, damaged in office.stock:
        sheet.write(row, 0, warehouse if row % 9 else f"{warehouse} ")
        sheet.write(row, 1, product)
        sheet.write(row, 2, "n/a" if pieces is None else pieces)
        sheet.write(row, 3, damaged)
        sheet.write_datetime(row, 4, datetime.combine(_COUNTED_ON, datetime.min.time()), day)
        row += 1
    sheet.write(row, 0, "Total")
    sheet.write(row, 2, sum(pieces or 0 for _, _, pieces, _ in office.stock))
    sheet.write(row, 3, sum(damaged for _, _, _, damaged in office.stock))
    book.close()

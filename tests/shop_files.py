"""The demo's shop as CSV files, for tests that read a folder."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from bot.local.demo import make_shop


def write_shop_files(folder: Path, seed: int = 7) -> None:
    """Writes products, customers, orders, order_lines and refunds, one CSV file each."""
    shop = make_shop(seed)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "products.csv", "product_id product category list_price", _priced(shop.products))
    _write(folder / "customers.csv", "customer_id customer country segment joined_on", shop.customers)
    orders = "order_id customer_id ordered_on status channel currency amount"
    _write(folder / "orders.csv", orders, _priced(shop.orders))
    _write(folder / "order_lines.csv", "order_id line_no product_id quantity unit_price", _priced(shop.order_lines))
    refunds = "refund_id order_id refunded_on reason currency amount"
    _write(folder / "refunds.csv", refunds, _priced(shop.refunds))


def _priced(rows: Iterable[Sequence[object]]) -> list[list[object]]:
    return [[*row[:-1], f"{int(str(row[-1])) / 100:.2f}"] for row in rows]


def _write(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header.split())
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode())

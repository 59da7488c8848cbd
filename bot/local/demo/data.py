"""Writes the demo's files: the shop as a SQLite database, and a folder with a spreadsheet, a table and policies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path

from bot.local.demo.office import make_office, write_office
from bot.local.demo.policies import write_policies
from bot.local.demo.shop import Shop, make_shop

FILES, DATABASE = "files", "shop.db"
"""The workspace's folder and the shop's database, inside the folder that `write_demo` fills."""

TOUR = (
    "What is the total quantity of order lines by category?",
    "Draw the total amount of paid orders in EUR by month of 2025",
    "How did the number of orders change from the first quarter of 2025 to the first quarter of 2026?",
)
"""Questions for a newcomer's first minute, answered from this data by the offline analyst, too."""

_SCHEMA = """
CREATE TABLE products (
  product_id INTEGER PRIMARY KEY, product TEXT NOT NULL, category TEXT NOT NULL, list_price NUMERIC NOT NULL);
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY, customer TEXT NOT NULL, country TEXT NOT NULL, segment TEXT NOT NULL,
  joined_on DATE NOT NULL);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, ordered_on DATE NOT NULL,
  status TEXT NOT NULL, channel TEXT NOT NULL, currency TEXT NOT NULL, amount NUMERIC NOT NULL);
CREATE TABLE order_lines (
  order_id INTEGER NOT NULL REFERENCES orders, line_no INTEGER NOT NULL,
  product_id INTEGER NOT NULL REFERENCES products, quantity INTEGER NOT NULL, unit_price NUMERIC NOT NULL,
  PRIMARY KEY (order_id, line_no));
CREATE TABLE refunds (
  refund_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, refunded_on DATE NOT NULL,
  reason TEXT NOT NULL, currency TEXT NOT NULL, amount NUMERIC NOT NULL);
CREATE TABLE revenue (
  order_id INTEGER PRIMARY KEY REFERENCES orders, booked_on DATE NOT NULL, currency TEXT NOT NULL,
  revenue NUMERIC NOT NULL);
"""


def write_demo(folder: Path, seed: int = 7) -> None:
    """Fills `folder`, which is made when it is missing: `shop.db`, and `files/` for the workspace. What is there under
    these names is replaced; the same seed gives the same bytes."""
    (folder / FILES).mkdir(parents=True, exist_ok=True)
    shop = make_shop(seed)
    _write_database(folder / DATABASE, shop)
    write_office(folder / FILES, make_office(shop, seed))
    write_policies(folder / FILES / "policies")


def _write_database(path: Path, shop: Shop) -> None:
    for stale in (path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm", "journal"))):
        stale.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_SCHEMA)
        _insert(connection, "products", ((*row[:-1], row[-1] / 100) for row in shop.products))
        _insert(connection, "customers", shop.customers)
        _insert(connection, "orders", ((*row[:-1], row[-1] / 100) for row in shop.orders))
        _insert(connection, "order_lines", ((*row[:-1], row[-1] / 100) for row in shop.order_lines))
        _insert(connection, "refunds", ((*row[:-1], row[-1] / 100) for row in shop.refunds))
        _insert(connection, "revenue", ((*row[:-1], row[-1] / 100) for row in shop.revenue))


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Sequence[object]]) -> None:
    plain = [[value.isoformat() if isinstance(value, date) else value for value in row] for row in rows]
    places = ", ".join("?" * len(plain[0]))
    connection.executemany(f"INSERT INTO {table} VALUES ({places})", plain)  # the names are ours

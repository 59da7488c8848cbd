"""Two databases that differ only in what isn't admitted: whoever may read the admitted part can't tell them apart.

Every un-admitted or masked text of the first is written in one letter that stands nowhere else, of the second in
another one, and un-admitted numbers are huge; the order of masked values is reversed. So a value that gets out by
any way, whole or bit by bit, shows in the text or makes the two answers differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.engines.port import ReadEngine, ReadResult
from runtime.errors import CallError
from runtime.sqlguard import fold

FIRST, SECOND = "Ж", "Щ"
HUGE = 700_000_000
PEOPLE = 6

TABLES = {"deny": ["*salaries", "*zextra"]}
COLUMNS = {
    "deny": ["*.ssn", "*.secret_note", "*.secret_amount"],
    "mask": ["*.email", "*customers.pin"],
}

SCHEMA = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, region TEXT, email TEXT, pin INTEGER, ssn TEXT)",
    "CREATE TABLE contacts (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), email TEXT)",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), amount INTEGER,"
    " note TEXT, secret_note TEXT, secret_amount INTEGER)",
    "CREATE TABLE products (id INTEGER PRIMARY KEY, label TEXT, price INTEGER)",
    "CREATE TABLE salaries (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), secret TEXT,"
    " secret_amount INTEGER)",
    "CREATE VIEW open_products AS SELECT id, label FROM products WHERE price > 1",
    "CREATE VIEW order_notes AS SELECT id, note, secret_note AS remark FROM orders",
    "CREATE VIEW paid AS SELECT s.id, s.secret FROM salaries AS s",
    "CREATE VIEW addresses AS SELECT id, lower(email) AS address FROM contacts",
)


def statements(letter: str) -> list[str]:
    """The schema and rows of one twin."""
    first = letter == FIRST
    rows = list[str]()
    for number in range(1, PEOPLE + 1):
        place = number if first else PEOPLE + 1 - number
        secret, hidden = f"'{letter * (3 if first else 5)}{place}'", HUGE + (number if first else 3 * number)
        region, buyer, pin = ("north", "south")[number % 2], (number + 1) // 2, HUGE + place + (0 if first else 50)
        rows += [
            f"INSERT INTO customers VALUES ({number}, 'name{number}', '{region}', {secret}, {pin}, {secret})",
            f"INSERT INTO contacts VALUES ({number}, {number}, {secret})",
            f"INSERT INTO orders VALUES ({number}, {buyer}, {number * 2}, 'note{number}', {secret}, {hidden})",
            f"INSERT INTO products VALUES ({number}, 'label{number}', {number})",
        ]
    for number in range(1, 4 if first else 6):
        rows.append(f"INSERT INTO salaries VALUES ({number}, {number}, '{letter * 4}', {HUGE + number})")
    extra = [] if first else ["CREATE TABLE zextra (id INTEGER, secret TEXT)"]
    return [*SCHEMA, *extra, *rows]


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything of one read that anybody but the asker's own eyes on masked cells gets to know."""

    error: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    rows: tuple[str, ...] = ()
    more: str = ""

    @property
    def answered(self) -> bool:
        """Whether rows came back."""
        return not self.error


async def seen(engine: ReadEngine, sql: str) -> Seen:
    """What a read shows, masked cells and times left out. Raises whatever isn't a CallError."""
    try:
        result = await engine.read(sql, seconds=60, rows_kept=200)
    except CallError as error:
        return Seen(error=repr(error.as_json()))
    rows = sorted(repr(row) for row in _open_cells(result))
    more = repr((result.row_count, result.truncated, result.notes, result.masked, result.sql))
    return Seen("", tuple((column.name, column.type) for column in result.columns), tuple(rows), more)


def _open_cells(result: ReadResult) -> list[Sequence[object]]:
    masked = {fold(name) for name in result.masked}
    hidden = [fold(column.name) in masked for column in result.columns]
    return [["*" if out else cell for cell, out in zip(row, hidden, strict=True)] for row in result.rows]


def leaked(sql: str, shown: Seen) -> list[str]:
    """The signs of an un-admitted value in what a read showed."""
    everything = repr(shown)
    signs = [sign for sign in (FIRST, SECOND, "\\u0416", "\\u0429", "D096", "d0a9", "zextra") if sign in everything]
    signs += [str(HUGE)[:3] + "0000" for row in shown.rows if str(HUGE)[:7] in row]
    return [sign for sign in signs if sign not in sql]

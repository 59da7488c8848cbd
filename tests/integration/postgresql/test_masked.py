"""What a read shows outside masked columns does not depend on their values, not even by the order of its rows: two
databases that differ in these alone give the same rows in the same order, or the same error."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from runtime.engines.postgresql import PostgresqlEngine
from runtime.errors import CallError
from runtime.sqlguard import fold
from tests import postgres_server
from tests.integration.postgresql.conftest import Database, Opener, made
from tests.unit.sqlguard.masked_queries import MASKED, texts

RULES = {
    "deny": ["*.pay"],
    "mask": [f"public.{table}.{column}" for table, columns in MASKED.items() for column in columns],
}
# Ordered ways to every masked column, alone and behind or before others; a view, which no rewritten name reaches.
SCHEMA = """
CREATE TABLE customers (id int, name text, email text);
CREATE TABLE staff (id int, pay int);
CREATE TABLE contacts (id int, customer_id int, email text, phone text);
CREATE VIEW reached AS SELECT c.id, k.id AS contact FROM customers c JOIN contacts k ON c.email = k.email;
INSERT INTO customers VALUES (1, 'Ann', '{0}'), (2, 'Bob', '{1}'), (3, 'Cid', '{2}'), (4, 'Dan', NULL), (5, 'Ann', '{3}');
INSERT INTO contacts VALUES (1, 1, '{0}', '{3}'), (2, 2, '{2}', '{0}'), (3, 5, NULL, '{1}'), (4, 3, '{3}', NULL);
INSERT INTO staff SELECT id, ascii('{0}') * id % 7 FROM customers;
CREATE INDEX ON staff (pay, id);
CREATE INDEX ON customers (email, id);
CREATE INDEX ON customers (name, email, id);
CREATE INDEX ON contacts (email);
CREATE INDEX ON contacts (phone, customer_id, id);
"""  # noqa: E501 - one table a line
VALUES = [("a@x", "b@x", "c@x", "d@x"), ("zz@x", "y@x", "b@x", "7")]
# With so few rows the planner would take the tables as they lie; these make it prefer what is sorted.
SORTED = "".join(
    f"ALTER ROLE {{role}} SET {setting} = off;"
    for setting in ("enable_seqscan", "enable_hashjoin", "enable_nestloop", "jit")
)
ORDERS = [
    "SELECT c.id, k.id AS contact FROM customers c JOIN contacts k ON c.email = k.email",
    "SELECT c.id FROM customers c JOIN contacts k USING (email) LIMIT 1",
    "SELECT c.id FROM customers c LEFT JOIN contacts k ON c.email = k.phone",
    "SELECT c.id FROM customers c WHERE EXISTS (SELECT 1 FROM contacts k WHERE k.email = c.email) LIMIT 1",
    "SELECT id FROM customers",
    "SELECT id FROM customers WHERE email IS NOT NULL LIMIT 2",
    "SELECT id FROM customers WHERE name = 'Ann'",
    "SELECT name, id FROM customers ORDER BY name",
    "SELECT row_number() OVER () AS n, id FROM customers",
    "SELECT name, row_number() OVER (PARTITION BY name) AS n, id FROM customers",
    "SELECT string_agg(CAST(id AS text), ',') AS ids FROM contacts WHERE phone IS NOT NULL",
    "SELECT id, contact FROM reached",
    "SELECT id FROM staff",
]
Pair = tuple[PostgresqlEngine, PostgresqlEngine]


@pytest.fixture(scope="module")
def databases(postgres: str) -> Iterator[tuple[Database, ...]]:
    with ExitStack() as stack:
        addresses = [stack.enter_context(postgres_server.database(postgres)) for _ in VALUES]
        pair = tuple(made(at, SCHEMA.format(*values)) for at, values in zip(addresses, VALUES, strict=True))
        for database in pair:
            database.run("VACUUM")
            database.run(SORTED)
        yield pair
        for database in pair:
            database.run("DROP OWNED BY {role}; DROP ROLE {role}")


@pytest.fixture
async def pair(databases: tuple[Database, Database], open_engine: Opener) -> AsyncIterator[Pair]:
    yield (await open_engine(databases[0], columns=RULES), await open_engine(databases[1], columns=RULES))


async def shown(engine: PostgresqlEngine, sql: str) -> tuple[object, ...]:
    """The cells outside masked columns row by row as they come, or the error."""
    try:
        result = await engine.read(sql, seconds=20, rows_kept=200)
    except CallError as error:
        return ("error", repr(error.as_json()))
    hidden = {fold(name) for name in result.masked}
    keep = [index for index, column in enumerate(result.columns) if fold(column.name) not in hidden]
    return ("rows", *[tuple(row[index] for index in keep) for row in result.rows])


@pytest.mark.parametrize("sql", ORDERS)
async def test_the_order_of_rows_tells_nothing_of_masked_values(pair: Pair, sql: str) -> None:
    first, second = [await shown(engine, sql) for engine in pair]
    assert first == second
    assert first[0] == "rows"


async def test_a_table_without_masked_columns_is_read_by_its_indexes(shop: Database, open_engine: Opener) -> None:
    shop.run(SORTED)
    shop.run("CREATE INDEX ON orders (amount DESC)")
    shop.run("VACUUM orders")
    engine = await open_engine(shop, columns={"mask": ["public.customers.email"]})
    result = await engine.read("SELECT amount FROM orders LIMIT 1", seconds=20, rows_kept=5)
    assert result.rows == ((240.5,),)


@pytest.fixture
def tally() -> Iterator[Counter[object]]:
    """How many queries were answered: a test that is always refused shows nothing."""
    counted = Counter[object]()
    yield counted
    assert counted["rows"] > counted.total() // 20


@settings(
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(texts("postgres"), min_size=5, max_size=20))
async def test_what_is_shown_does_not_depend_on_what_is_masked(
    pair: Pair, tally: Counter[object], asked: list[str]
) -> None:
    for sql in asked:
        first, second = [await shown(engine, sql) for engine in pair]
        tally[first[0]] += 1
        assert first == second, sql

"""What a query shows outside masked columns does not depend on their values: two databases that differ in these alone
give the same cells, in the same order, whatever the query."""

import sqlite3
from collections import Counter

import pytest
from hypothesis import HealthCheck, example, given, settings

from runtime.sqlguard import GuardPolicy, QueryRefused, fold, validate
from tests.unit.sqlguard.masked_queries import COLUMNS, MASKED, texts

POLICY = GuardPolicy(COLUMNS, dialect="sqlite", masked=MASKED)
SLOW_OK = settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def database(one, two, three, four):
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "create table customers (id integer, name text, email text);"
        "create table contacts (id integer, customer_id integer, email text, phone text);"
    )
    connection.executemany(
        "insert into customers values (?, ?, ?)",
        [(1, "Ann", one), (2, "Bob", two), (3, "Cid", three), (4, "Dan", None), (5, "Eve", four)],
    )
    connection.executemany(
        "insert into contacts values (?, ?, ?, ?)",
        [(1, 1, one, four), (2, 2, three, one), (3, 5, None, two), (4, 3, four, None)],
    )
    return connection


@pytest.fixture(scope="module")
def pair():
    made = database("a@x", "b@x", "c@x", "d@x"), database("zz@x", "y@x", "b@x", "7")
    yield made
    for connection in made:
        connection.close()


def shown(connection, query):
    """The cells outside masked columns, row by row."""
    cursor = connection.execute(query.sql)
    hidden = {fold(name) for name in query.masked}
    keep = [index for index, part in enumerate(cursor.description) if fold(part[0]) not in hidden]
    return [tuple(row[index] for index in keep) for row in cursor.fetchmany(200)]


@SLOW_OK
@given(text=texts("sqlite"))
@example(text="select id from customers c join contacts k using (email) order by k.id")
@example(text="with w(id, e) as (select email, id from customers) select e, id from w")
@example(text="select * from (select name as e from customers union all select email from contacts) s")
def test_what_is_shown_does_not_depend_on_what_is_masked(text, pair):
    try:
        query = validate(text, POLICY)
    except QueryRefused:
        return
    found = []
    for connection in pair:
        try:
            found.append(shown(connection, query))
        except sqlite3.Error as error:
            found.append([(str(error),)])
    assert Counter(found[0]) == Counter(found[1]), query.sql

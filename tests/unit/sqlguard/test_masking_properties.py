"""What a query shows outside masked columns does not depend on their values: two databases that differ in these alone
give the same cells, in the same order, whatever the query."""

import sqlite3
from collections import Counter

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from runtime.sqlguard import GuardPolicy, QueryRefused, fold, validate

COLUMNS = {"customers": ("id", "name", "email"), "contacts": ("id", "customer_id", "email", "phone")}
MASKED = {"customers": frozenset({"email"}), "contacts": frozenset({"email", "phone"})}
POLICY = GuardPolicy(COLUMNS, dialect="sqlite", masked=MASKED)
SLOW_OK = settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

NAMES = [
    "id",
    "name",
    "email",
    "c.email",
    "c.id",
    "k.email",
    "k.phone",
    "phone",
    "e",
    "s.e",
    "c",
    "rowid",
    "customer_id",
]
EXPRESSIONS = [
    "{x}", "{x} as e", "{x} as id", "count({x})", "count(distinct {x})", "{x} is null", "{x} = {y}", "{x} = 'b@x'",
    "max({x})", "upper({x})", "{x} || ''", "case when {x} > {y} then 1 end", "({q})", "exists ({q})", "{x} in ({q})",
    "*", "c.*", "s.*", "count(*)", "coalesce({x}, {y})", "row_number() over (order by {x})", "({x})", "1", "'b@x' as e",
    "(select {x})", "sum({x} = {y})", "group_concat({x})", "iif({x}, 1, 2)",
]  # fmt: skip
SOURCES = [
    "customers c", "contacts k", "customers", "customers c join contacts k on {x} = {y}", "customers c, contacts k",
    "customers c join contacts k using (email)", "({q}) s", "customers c join ({q}) s on {x} = {y}", "w", "w as s",
    "customers c natural join ({q})", "customers c left join contacts k on {x} is not null", "customers c, ({q}) s",
]  # fmt: skip
WHERES = ["", "", "", "where {x} = {y}", "where {x} is not null", "where {x} = 'b@x'", "where {x} like 'a%'",
          "where {x} < {y}", "where exists ({q})", "where {x} in ({q})", "where ({x}) = ({q})"]  # fmt: skip
ENDS = ["", "", "", "order by {x}", "order by 1", "order by 2 desc", "group by {x}", "group by 1", "limit 2",
        "group by name having {x} = {y}", "order by {x} = {y}", "limit ({q})"]  # fmt: skip
WHOLE = ["{a}", "{a}", "{a} union all {b}", "{a} union {b}", "{a} except {b}", "with w as ({a}) {b}",
         "with w(id, e) as ({a}) {b}", "with w as ({a} union all {b}) select * from w"]  # fmt: skip


@st.composite
def selects(draw, depth=2):
    def filled(text):
        while "{q}" in text:
            inner = draw(selects(depth=depth - 1)) if depth else "select email from contacts k"
            text = text.replace("{q}", inner, 1)
        for hole in ("{x}", "{y}"):
            while hole in text:
                text = text.replace(hole, draw(st.sampled_from(NAMES)), 1)
        return text

    listed = draw(st.lists(st.sampled_from(EXPRESSIONS), min_size=1, max_size=2))
    parts = [", ".join(listed), draw(st.sampled_from(SOURCES)), draw(st.sampled_from(WHERES))]
    items, source, where = (filled(part) for part in parts)
    return f"select {items} from {source} {where} {filled(draw(st.sampled_from(ENDS)))}"


@st.composite
def texts(draw):
    shape = draw(st.sampled_from(WHOLE))
    text = shape.replace("{a}", draw(selects()))
    return text.replace("{b}", draw(selects())) if "{b}" in text else text


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
@given(text=texts())
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

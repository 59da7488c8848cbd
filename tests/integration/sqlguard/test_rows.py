"""Ordinary queries give the rows of their own text when they run as the guard wrote them."""

import pytest

from runtime.sqlguard import GuardPolicy, validate
from tests.integration.sqlguard.conftest import cases
from tests.unit.sqlguard.postgres_queries import LEGITIMATE


def rows_of(connection, sql, values=None):
    cursor = connection.cursor()
    return sorted(map(repr, cursor.execute(sql.encode(), values).fetchall()))


@pytest.mark.parametrize("sql", [*(case["sql"] for case in cases("allow", "both")), *LEGITIMATE])
def test_an_ordinary_query_gives_the_same_rows(sql, guarded):
    query = validate(sql, guarded.policy)
    assert rows_of(guarded.reader, query.sql) == rows_of(guarded.reader, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select region, count(*), sum(qty * price), price::int, extract(year from day) from orders group by 1, 4, 5",
        "select 1, 'a' || 'b', (select 2), coalesce(null, 3), case when true then 4 end, array[5]",
        "select " + "1 + " * 40 + "1",
    ],
)
def test_the_names_it_says_are_the_names_of_the_result(sql, guarded):
    query = validate(sql, guarded.policy)
    assert tuple(part.name for part in guarded.reader.execute(query.sql.encode()).description) == query.output


def test_the_schema_in_the_text_makes_the_search_path_of_the_session_matter_no_more(guarded):
    guarded.reader.execute("SET search_path = pg_catalog")
    try:
        query = validate('select count(*) from "café sales" s, orders where orders.region = s.region', guarded.policy)
        assert guarded.reader.execute(query.sql.encode()).fetchone() == (20_000,)
    finally:
        guarded.reader.execute("RESET search_path")


@pytest.mark.parametrize("text", ["a\\'b", "\\x41", "tab\\t", "\\u0441\\\\", "''", "\\101", "é\\n"])
def test_an_escape_string_has_the_engines_value(text, guarded):
    for sql in (f"select e'{text}' as v", f"select $q${text}$q$ as v", f"select '{text.replace(chr(39), '')}' as v"):
        if sql.count("'") % 2 and "\\'" not in sql:
            continue
        assert rows_of(guarded.reader, validate(sql, guarded.policy).sql) == rows_of(guarded.reader, sql)


def test_a_hidden_column_is_in_no_star_and_no_whole_row(guarded):
    narrow = GuardPolicy(
        {"public.customers": ("id", "name"), "public.orders": ("id", "customer_id")},
        dialect="postgres",
        search_path=("public",),
        partial=frozenset({"public.customers", "public.orders"}),
    )
    for sql in (
        "select * from customers order by id limit 1",
        "select c.* from public.customers c order by c.id limit 1",
        "select c from customers c order by id limit 1",
        "select row_to_json(c)::text from customers as c order by id limit 1",
        "select to_jsonb(c.*)::text from orders natural join customers c limit 1",
    ):
        rows = repr(guarded.reader.execute(validate(sql, narrow).sql.encode()).fetchall())
        assert "cust 1" in rows
        assert "emails" not in rows

"""The guard for PostgreSQL, without a server: every attack is refused, and names mean what the engine means by them."""

import json
from pathlib import Path

import pytest

from runtime.errors import CALL_CODES
from runtime.sqlguard import GuardPolicy, QueryRefused, validate
from tests.unit.sqlguard.postgres_queries import ATTACKS, LEGITIMATE

CASES = Path(__file__).parents[2] / "cases" / "sql_guard.jsonl"
TABLES = {
    "public.orders": ("id", "customer_id", "day", "qty", "price", "region", "note", "mood"),
    "public.customers": ("id", "name", "region", "tags", "meta", "created_at", "update", "delete"),
    "public.café sales": ("region", "total"),
    "public.2024 totals": ("a",),
    "public.select": ("x",),
    "sales.orders": ("id",),
    "sales.Odd Name": ("Id",),
}
POLICY = GuardPolicy(TABLES, dialect="postgres", search_path=("public",))


def cases(expect):
    found = [case for case in map(json.loads, CASES.read_text("utf-8").splitlines()) if case["dialect"] == "postgres"]
    return [case["sql"] for case in found if case["expect"] == expect and case["layer"] != "envelope"]


@pytest.mark.parametrize("sql", [*cases("allow"), *LEGITIMATE])
def test_an_ordinary_query_passes_and_is_a_fixed_point(sql):
    query = validate(sql, POLICY)
    assert validate(query.sql, POLICY).sql == query.sql


@pytest.mark.parametrize("sql", cases("deny"))
def test_an_attack_of_the_cases_is_refused_with_a_lesson(sql):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, POLICY)
    assert refused.value.code in CALL_CODES
    assert refused.value.hint


@pytest.mark.parametrize(("sql", "code"), ATTACKS, ids=range(len(ATTACKS)))
def test_an_attack_is_refused(sql, code):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, POLICY)
    assert refused.value.code == code
    assert refused.value.hint


@pytest.mark.parametrize(
    ("path", "sql", "written"),
    [
        (("public",), "SELECT id FROM Orders", "SELECT id FROM public.Orders"),
        (("public",), 'SELECT id FROM "orders"', 'SELECT id FROM public."orders"'),
        (("sales", "public"), "SELECT id FROM orders", "SELECT id FROM sales.orders"),
        (("sales", "public"), "SELECT name FROM customers", "SELECT name FROM public.customers"),
        ((), "SELECT id FROM sales.orders", "SELECT id FROM sales.orders"),
        (("sales",), 'SELECT "Id" FROM "Odd Name"', 'SELECT "Id" FROM sales."Odd Name"'),
        ((), 'SELECT "Id" FROM SALES."Odd Name" AS o', 'SELECT "Id" FROM SALES."Odd Name" AS o'),
    ],
)
def test_a_table_is_written_with_its_schema(path, sql, written):
    query = validate(sql, GuardPolicy(TABLES, dialect="postgres", search_path=path))
    assert query.sql.replace("Orders", "orders") == written.replace("Orders", "orders")


@pytest.mark.parametrize(
    "sql", ["select 1 from orders", 'select 1 from "Sales".orders', "select 1 from sales.odd_name"]
)
def test_a_name_that_means_no_admitted_table_is_refused(sql):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, GuardPolicy(TABLES, dialect="postgres"))
    assert refused.value.code == "sql_unknown_table"


def test_a_dot_inside_a_name_is_no_schema():
    policy = GuardPolicy({"a.b.c": ("x",)}, dialect="postgres", search_path=("a.b",))
    for sql in ('select 1 from "a.b".c', "select 1 from c"):
        with pytest.raises(QueryRefused):
            validate(sql, policy)
    assert validate('select x from a."b.c"', policy).tables == ("a.b.c",)


def test_a_table_without_its_schema_is_hinted_at():
    with pytest.raises(QueryRefused) as refused:
        validate("select 1 from order_lines", GuardPolicy({"sales.order_lines": ("id",)}, dialect="postgres"))
    assert "sales.order_lines" in refused.value.hint


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("select strftime('%Y', day) from orders", "to_char"),
        ("select median(price) from orders", "percentile_cont"),
        ("select ifnull(note, '') from orders", "coalesce"),
        ("select o.prise from orders o", "price"),
        ("select 'x'::regclass", "text"),
        ("select pg_sleep(1)", "waits"),
        ("select $1", "parameters"),
        ("select id from orders qualify true", "subquery"),
    ],
)
def test_the_hint_says_what_to_do_instead(sql, part):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, POLICY)
    assert part in refused.value.hint


@pytest.mark.parametrize(("sql", "given"), [("select $1, $2, $1", 2), ("select id from orders limit $1", 1)])
def test_numbered_values_come_through(sql, given):
    assert "$1" in validate(sql, GuardPolicy(TABLES, "postgres", search_path=("public",), parameters=given)).sql


@pytest.mark.parametrize(("sql", "given"), [("select $1", 0), ("select $2", 1), ("select 1", 1), ("select $1", 2)])
def test_each_value_has_its_placeholder(sql, given):
    with pytest.raises(QueryRefused):
        validate(sql, GuardPolicy(TABLES, "postgres", search_path=("public",), parameters=given))


def test_a_call_ordered_by_its_name_keeps_that_name():
    query = validate("select region, count(*), sum(qty) from orders group by 1 order by count", POLICY)
    assert query.output == ("region", "count", "sum(qty)")

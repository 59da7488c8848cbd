"""The guard for SQLite against the real engine: same rows for ordinary queries, a typed refusal for every attack."""

import json
import sqlite3
from pathlib import Path

import pytest

from runtime.errors import CALL_CODES
from runtime.sqlguard import GuardPolicy, QueryRefused, refuse_from_engine, validate
from tests.unit.sqlguard.sqlite_queries import ATTACKS, LEGITIMATE

CASES = Path(__file__).parents[2] / "cases"
ADMITTED = ("orders", "customers", "café sales", "2024 totals", "select")


def cases(expect, layers):
    lines = (CASES / "sql_guard.jsonl").read_text("utf-8").splitlines()
    found = [case for case in map(json.loads, lines) if case["dialect"] == "sqlite" and case["expect"] == expect]
    return [case["sql"] for case in found if case["layer"] in layers]


@pytest.fixture(scope="module")
def sqlite():
    connection = sqlite3.connect(":memory:")
    connection.executescript((CASES / "fixtures_sqlite.sql").read_text("utf-8"))
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def sqlite_policy(sqlite):
    def columns(name):
        return tuple(part[0] for part in sqlite.execute(f'SELECT * FROM "{name}" LIMIT 0').description)

    return GuardPolicy({name: columns(name) for name in ADMITTED}, dialect="sqlite")


def rows_of(sqlite, sql):
    return sorted(map(repr, sqlite.execute(sql).fetchall()))


@pytest.mark.parametrize(
    "sql",
    [
        'select "regoin" from customers',
        "select [regoin] from customers",
        "select `regoin`, count(*) from customers group by 1",
        'select count(*) from customers where region = "north"',
        'select name from customers order by "regoin"',
        'with x as (select name as n from customers) select "nn" from x',
    ],
)
def test_a_quoted_name_that_is_no_column_is_no_text(sql, sqlite_policy):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, sqlite_policy)
    assert refused.value.code == "sql_unknown_column"
    assert "single quotes" in refused.value.hint


@pytest.mark.parametrize(
    "sql",
    [
        'select "region", "NAME" from customers order by "region"',
        'select region as "R x" from customers order by "R x"',
        'with x("a b") as (select name from customers) select "a b" from x',
        'select "count(*)" from (select count(*) from customers)',
        'select "column1" from (values (1))',
        'select "value", "key" from json_each(\'[1]\')',
        'select "rowid" from customers',
    ],
)
def test_a_quoted_name_that_is_a_column_passes(sql, sqlite_policy):
    assert validate(sql, sqlite_policy).sql


@pytest.mark.parametrize("sql", [*cases("allow", ("both",)), *LEGITIMATE])
def test_an_ordinary_query_gives_the_same_rows_and_is_a_fixed_point(sql, sqlite, sqlite_policy):
    query = validate(sql, sqlite_policy)
    assert rows_of(sqlite, query.sql) == rows_of(sqlite, sql)
    assert validate(query.sql, sqlite_policy).sql == query.sql


@pytest.mark.parametrize("sql", cases("deny", ("guard",)))
def test_an_attack_of_the_cases_is_refused_with_a_lesson(sql, sqlite_policy):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, sqlite_policy)
    assert refused.value.code in CALL_CODES
    assert refused.value.hint
    assert "s3cr3t" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(("sql", "code"), ATTACKS, ids=range(len(ATTACKS)))
def test_an_attack_is_refused(sql, code, sqlite_policy):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, sqlite_policy)
    assert refused.value.code == code
    assert refused.value.hint


@pytest.mark.parametrize("sql", ["select sum(qty), count( * ), price*2 from orders", "select max(qty) from orders"])
def test_columns_keep_the_names_of_the_text(sql, sqlite, sqlite_policy):
    query = validate(sql, sqlite_policy)
    named = tuple(part[0] for part in sqlite.execute(query.sql).description)
    assert named == query.output
    assert [name.replace(" ", "") for name in named] == [
        part[0].replace(" ", "") for part in sqlite.execute(sql).description
    ]


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("select ?, ?", ("a", "b")),
        ("select ?2, ?1, ?2", ("a", "b")),
        ("select :x, :y, :x", ("a", "b")),
        ("select ?2, ?, :z, ?1", ("a", "b", "c", "d")),
        ("select id from orders where region = ? and qty > :least order by id limit ?", ("north", 5, 3)),
    ],
)
def test_placeholders_mean_the_values_the_engine_gives_them(sql, values, sqlite, sqlite_policy):
    policy = GuardPolicy(sqlite_policy.tables, dialect="sqlite", parameters=len(values))
    by_name = dict(zip("xy", values, strict=False)) if ":x" in sql else None
    meant = sqlite.execute(sql.replace(":z", "?4").replace(":least", "?2"), by_name or values).fetchall()
    assert sqlite.execute(validate(sql, policy).sql, values).fetchall() == meant


@pytest.mark.parametrize(
    ("sql", "given"), [("select ?", 0), ("select 1", 1), ("select ?, ?", 1), ("select ?3", 2), ("select :a, :b", 3)]
)
def test_each_value_has_its_placeholder(sql, given):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, GuardPolicy({}, dialect="sqlite", parameters=given))
    assert refused.value.code == "sql_not_allowed"


def test_a_name_is_the_same_in_any_case_quoted_or_not(sqlite_policy):
    for name in ("ORDERS", '"Orders"', "[oRDERS]", "`orders`", "MAIN.Orders", '"main".orders'):
        assert validate(f"select 1 from {name}", sqlite_policy).tables == ("orders",)


def test_a_quoted_type_is_read_as_its_type_and_not_written_back(sqlite_policy):
    written = validate('select cast(1 as "int), (select secret from hidden") as x', sqlite_policy).sql
    assert written == "SELECT CAST(1 AS INTEGER) AS x"


@pytest.mark.parametrize(
    ("sql", "code", "said"),
    [
        ("select regon from orders", "sql_unknown_column", "region"),
        ("select o.prise from orders o", "sql_unknown_column", "Did you mean price?"),
        ("select id from orders, customers", "sql_failed", "table.id"),
        ("select 1 from orders natural join orderz", "sql_unknown_table", "orders"),
        ("select groupconcat(1)", "function_not_allowed", "group_concat"),
        ("select date_trunc(1)", "function_not_allowed", "strftime"),
        ("select 1 from", "sql_syntax", ""),
        ("select from", "sql_syntax", ""),
        ("select (1, 2)", "sql_failed", "row value misused"),
    ],
)
def test_what_the_engine_says_teaches(sql, code, said, sqlite, sqlite_policy):
    with pytest.raises(sqlite3.Error) as raised:
        sqlite.execute(sql)
    refused = refuse_from_engine(str(raised.value), sqlite_policy, ["orders", "customers"])
    assert refused.code == code
    assert said in f"{refused.message} {refused.hint}"

"""Errors that let a model mend its query: each says the true place or name and what to do, in words of SQL."""

from __future__ import annotations

import json

import pytest

from runtime.sqlguard import GuardPolicy, QueryRefused, validate
from runtime.sqlguard.engine_messages import refuse_from_engine
from runtime.sqlguard.reading import tokenize
from runtime.sqlguard.rules import rules_for
from tests.unit.sqlguard.conftest import CASES

TABLES = {"orders": ["id", "status", "amount", "day"], "customers": ["id", "name"]}
OPEN = {
    "duckdb": GuardPolicy(TABLES),
    "sqlite": GuardPolicy(TABLES, "sqlite"),
    "postgres": GuardPolicy(
        {f"public.{name}": columns for name, columns in TABLES.items()}, "postgres", search_path=("public",)
    ),
}
# What is wrong -> parts of what is said, in every dialect.
EVERYWHERE = {
    "SELECT from FROM orders": ("no select list", "stands in double quotes"),
    "SELECT FROM orders": ("no select list", "Name the columns"),
    "SELECT": ("no select list",),
    "SELECT id FROM orders GROUP BY": ("Nothing stands after GROUP BY",),
    "SELECT id FROM orders ORDER BY": ("something is missing here",),
    "SELECT id FROM orders WHERE": ("near 'WHERE': something is missing here",),
    "SELECT id FROM orders WHERE id > 1 AND AND id < 5": ("near 'AND': something is missing here",),
    "SELECT id FROM orders WHERE id BETWEEN 1": ("something is missing here",),
    "SELECT id FROM orders LIMIT": ("something is missing here",),
    "SELECT id FROM": ("at its end: the name of a table is missing",),
    "SELECT id FROM orders JOIN ON orders.id = customers.id": ("near 'ON': the name of a table is missing",),
    "SELECT id FROM orders WHERE (id = 1": ("a closing bracket is missing",),
    "SELECT id FROM orders WHERE id = 1)": ("near ')': this does not fit",),
    "SELECT status, count(*) FROM orders GROUP status": ("BY is missing after GROUP",),
    "SELECT id FROM orders ORDER amount": ("BY is missing after ORDER",),
    "SELEC id FROM orders": ("Did you mean SELECT instead of 'SELEC'?",),
    "SELECT id FORM orders": ("Did you mean FROM instead of 'FORM'?",),
    "SELECT id frm orders WHERE id = 1": ("Did you mean FROM instead of 'frm'?",),
    "SELECT id FROM orders o WHERRE id = 1": ("Did you mean WHERE instead of 'WHERRE'?",),
    "SELECT TOP 5 id FROM orders": ("Write LIMIT 5 at the end instead of TOP 5",),
    "SELECT id FROM orders WHERE status = 'paid": ("breaks off inside a string", "Close every quote"),
    "SELECT 'it's' FROM orders": ("'it''s'",),
    "SELECT id FROM orders WHERE status = “paid”": ("straight single quotes",),
    "WITH x AS (SELECT id FROM orders), SELECT * FROM x": ("a WITH step", "no comma"),
    "SELECT CASE WHEN id > 1 THEN 'big' FROM orders": ("Expected END after CASE",),
    "SELECT id FROM orders; SELECT 1": ("2 statements",),
    "SELECT id FROM order": ("Did you mean", "orders?"),
    "SELECT id FROM archive.orders": ("Did you mean", "orders?"),
    "SELECT id FROM 'orders.csv'": ("Did you mean", "use the table's name"),
}
IN_ONE = [
    ("duckdb", "SELECT `id` FROM orders", "double quotes here, not in backticks"),
    ("postgres", "SELECT `id` FROM orders", "double quotes here, not in backticks"),
    ("sqlite", "SELECT extract(year FROM day) FROM orders", "Write strftime('%Y', day)"),
    ("sqlite", "SELECT id FROM orders WHERE status ~ 'p'", "Use LIKE or GLOB"),
    ("sqlite", "SELECT * EXCLUDE (id) FROM orders", "Name the columns"),
    ("postgres", "SELECT * EXCEPT (id) FROM orders", "Name the columns"),
    ("postgres", "SELECT id FROM orders WHERE id = ?", "$1 and $2"),
    ("sqlite", "SELECT id FROM orders WHERE id = $1", "written ? or ?1"),
    ("sqlite", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM orders", "Sort in a subquery"),
    ("sqlite", 'SELECT "paid" FROM orders', "A text stands in single quotes"),
]


def refused(dialect: str, sql: str) -> QueryRefused:
    with pytest.raises(QueryRefused) as told:
        validate(sql, OPEN[dialect])
    return told.value


def text(error: QueryRefused) -> str:
    return f"{error.message} {error.hint}"


@pytest.mark.parametrize("dialect", OPEN)
@pytest.mark.parametrize("sql", EVERYWHERE)
def test_a_slip_is_told_by_its_place_and_what_mends_it(dialect: str, sql: str):
    told = text(refused(dialect, sql))
    assert all(part in told for part in EVERYWHERE[sql]), told


@pytest.mark.parametrize(("dialect", "sql", "part"), IN_ONE)
def test_what_one_dialect_writes_differently_is_told(dialect: str, sql: str, part: str):
    assert part in text(refused(dialect, sql))


def test_a_table_whose_name_is_like_a_keyword_is_not_taken_for_a_slip():
    assert "instead of" not in text(refused("sqlite", "SELECT id orders orders"))


def test_a_subquery_that_only_asks_whether_there_is_a_row_needs_no_list():
    assert validate("SELECT 1 WHERE EXISTS (SELECT FROM orders)", OPEN["postgres"]).tables == ("public.orders",)


LINES = (CASES / "sql_guard.jsonl").read_text("utf-8").splitlines()
ALLOWED = [case for case in map(json.loads, LINES) if case["expect"] == "allow"]


@pytest.mark.parametrize("dialect", OPEN)
def test_a_query_that_breaks_off_anywhere_is_never_told_in_the_words_of_the_parser(dialect: str):
    rules = rules_for(dialect)
    for case in ALLOWED:
        if case["dialect"] != dialect:
            continue
        for token in tokenize(rules, case["sql"])[:-1]:
            try:
                validate(case["sql"][: token.end + 1], OPEN[dialect])
            except QueryRefused as error:
                told = text(error)
                assert not any(word in told for word in ("sqlglot", "<class", "Token", "SENTINEL", "Expression")), told


# What engines say of queries that parsed -> what to do about it.
SAID = {
    'Binder Error: column "amount" must appear in the GROUP BY clause or must be part of': "Add it to GROUP BY",
    "Binder Error: WHERE clause cannot contain aggregates!": "HAVING",
    "misuse of aggregate: count()": "HAVING",
    "misuse of aggregate function count()": "Aggregate in a subquery first",
    "misuse of window function row_number()": "filter in the WHERE outside",
    "Binder Error: WHERE clause cannot contain window functions!": "filter in the WHERE outside",
    "Binder Error: Ambiguous reference to column name \"id\" (use: 'o.id' or 'c.id')": "Write it as table.id",
    "ambiguous column name: id": "Write it as table.id",
    "no such column: c.id": "Name it after FROM or JOIN",
    "no such column: c.idd": "Did you mean id?",
    "no such column: paid": "A text stands in single quotes",
    'near "group": syntax error': "stands in double quotes",
    "SELECTs to the left and right of UNION do not have the same number of result columns": "the same columns",
}


@pytest.mark.parametrize("message", SAID)
def test_what_an_engine_says_comes_with_what_to_do(message: str):
    assert SAID[message] in refuse_from_engine(message, OPEN["sqlite"], ["orders"]).hint


def test_an_engine_proposes_no_setting():
    said = (
        "Invalid Input Error: More than one row returned by a subquery used as an expression - scalar subqueries can "
        'only return a single row. Use "SET scalar_subquery_error_on_multiple_rows=false" to revert to previous'
    )
    told = refuse_from_engine(said, OPEN["duckdb"], ["orders"])
    assert "SET" not in told.message and "gives one row" in told.hint

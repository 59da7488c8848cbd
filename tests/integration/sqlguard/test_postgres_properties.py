"""For any text: a typed refusal, or SQL in which PostgreSQL itself finds no relation outside the admission.

Two oracles: the relations of the plan, and the rights of a role that may read the admitted tables only, which are
checked for every relation of a statement when it is explained.
"""

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings

from runtime.sqlguard import QueryRefused, validate
from tests.unit.sqlguard.generated import queries, soups

SLOW_OK = settings(
    max_examples=250,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


def assert_reads_nothing_else(text, guarded):
    try:
        query = validate(text, guarded.policy)
    except QueryRefused:
        return
    try:
        plan = guarded.reader.execute(f"EXPLAIN (VERBOSE, FORMAT JSON) {query.sql}".encode()).fetchone()[0]
    except psycopg.errors.InsufficientPrivilege:
        pytest.fail(f"reads what it may not: {query.sql}")
    except psycopg.Error:
        return  # the engine takes less than the guard: it would be refused there
    assert set(relations(plan)) <= {"orders", "customers"}, query.sql  # the view's table is one of them


def relations(plan):
    """The names of the relations of a plan."""
    if isinstance(plan, dict):
        if "Relation Name" in plan:
            yield plan["Relation Name"]
        plan = list(plan.values())
    if isinstance(plan, list):
        for part in plan:
            yield from relations(part)


@SLOW_OK
@given(text=queries("public"))
@example(text="with hidden as (select * from hidden) select * from hidden")
@example(text='with "HIDDEN" as (select 1 as id) select * from hidden')
@example(text="with recursive c as (select * from d), d as (select 1 as id) select * from c")
def test_nested_queries_never_read_the_hidden_table(text, guarded):
    assert_reads_nothing_else(text, guarded)


@SLOW_OK
@given(text=soups())
def test_word_salad_is_judged(text, guarded):
    assert_reads_nothing_else(text, guarded)

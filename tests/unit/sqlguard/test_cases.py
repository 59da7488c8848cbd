"""The shared corpus: every attack is refused, every legitimate query runs regenerated and gives the same rows."""

import pytest

from runtime.errors import CALL_CODES
from runtime.sqlguard import QueryRefused, validate
from runtime.sqlguard.second_opinion import check_with_duckdb

SAMPLES = {"duckdb-allow-213"}  # ten random rows: only their number can be compared


def rows_of(engine, sql):
    return sorted(map(repr, engine.execute(sql).fetchall()))


def test_legitimate_query_gives_the_same_rows(legitimate_case, engine, policy, admitted):
    query = validate(legitimate_case["sql"], policy)
    check_with_duckdb(engine, query.sql, admitted)
    ran, meant = rows_of(engine, query.sql), rows_of(engine, legitimate_case["sql"])
    if legitimate_case["id"] in SAMPLES:
        assert len(ran) == len(meant)
    else:
        assert ran == meant


def test_legitimate_query_can_be_wrapped(legitimate_case, engine, policy):
    query = validate(legitimate_case["sql"], policy)
    engine.execute(f"SELECT * FROM ({query.sql}\n) LIMIT 3").fetchall()


def test_legitimate_query_is_a_fixed_point(legitimate_case, policy):
    once = validate(legitimate_case["sql"], policy)
    twice = validate(once.sql, policy)
    assert (twice.sql, twice.tables) == (once.sql, once.tables)


def test_attack_is_refused_with_a_lesson(attack_case, policy):
    with pytest.raises(QueryRefused) as refused:
        validate(attack_case["sql"], policy)
    error = refused.value
    assert error.code in CALL_CODES
    assert error.retryable
    assert error.hint
    assert "s3cr3t" not in error.message + error.hint


def test_bomb_is_for_the_worker_or_already_refused(bomb_case, policy):
    try:
        validate(bomb_case["sql"], policy)
    except QueryRefused as refused:
        assert refused.code == "sql_too_deep"

"""Engine messages keep their sense and lose whatever lies outside the caller's admission."""

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.sqlguard import clean_engine_message, refuse_from_engine

KNOWN = {"orders", "region", "price"}


@pytest.mark.parametrize(
    ("message", "cleaned"),
    [
        (
            'Catalog Error: Table with name hiden does not exist!\nDid you mean "hidden"?\n\n'
            "LINE 1: select * from hiden\n  ^",
            "Catalog Error: Table with name hiden does not exist!",
        ),
        (
            'Catalog Error: Table with name order does not exist!\nDid you mean "orders or hidden"?',
            "Catalog Error: Table with name order does not exist!",
        ),
        (
            'Binder Error: Referenced column "regon" not found in FROM clause!\nCandidate bindings: "region", "secret"',
            "Binder Error: Referenced column \"regon\" not found in FROM clause! Candidate bindings 'region'.",
        ),
        (
            'IO Error: Cannot open file "/srv/data/ws/cache.duckdb": No such file or directory',
            "IO Error: Cannot open file …: No such file or directory",
        ),
        ("IO Error: could not read /srv/a b/c.csv at 12", "IO Error: could not read … at 12"),
        ("HTTP Error: https://example.com/x?token=1 refused", "HTTP Error: … refused"),
        ("Binder Error: no column in cache_ab12.main.orders", "Binder Error: no column in orders"),
        (
            "Conversion Error: Could not convert string 'abc' to INT32",
            "Conversion Error: Could not convert string 'abc' to INT32",
        ),
    ],
)
def test_cleaning(message, cleaned):
    assert clean_engine_message(message, KNOWN) == cleaned


@given(message=st.text(max_size=300), names=st.sets(st.text(max_size=10), max_size=3))
def test_any_message_can_be_cleaned(message, names):
    cleaned = clean_engine_message(message, names)
    assert len(cleaned) <= 500
    assert "\n" not in cleaned


def engine_says(engine, sql):
    with pytest.raises(duckdb.Error) as raised:
        engine.execute(sql).fetchall()
    return str(raised.value)


@pytest.mark.parametrize(
    ("sql", "code", "hint"),
    [
        ("select regon from orders", "sql_unknown_column", "Did you mean region?"),
        ("select o.regon from orders o", "sql_unknown_column", "orders has: customer_id, day, id"),
        ("select * from order_s", "sql_unknown_table", "Did you mean orders?"),
        ("select regexp_repl(note) from orders", "function_not_allowed", "Did you mean"),
        ("select to_char(day) from orders", "function_not_allowed", "strftime"),
        ("select upper(1, 2) from orders", "sql_failed", "CAST"),
        ("select note::int from orders", "sql_failed", "TRY_CAST"),
        ("select region, qty from orders group by region", "sql_failed", ""),
        ("select from where", "sql_syntax", ""),
    ],
)
def test_what_the_engine_refuses_is_explained(sql, code, hint, engine, policy):
    refused = refuse_from_engine(engine_says(engine, sql), policy, ["orders"])
    assert refused.code == code
    assert hint in refused.hint
    assert "hidden" not in refused.message + refused.hint


def test_a_wrong_column_offers_columns_of_the_tables_read_only(engine, policy):
    refused = refuse_from_engine(engine_says(engine, "select nam from orders"), policy, ["orders"])
    assert "name" not in refused.hint.replace("customer_id", "")

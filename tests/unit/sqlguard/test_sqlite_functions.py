"""The list of SQLite's functions is tied to the engine that is asked here; what it does not know stays refused."""

import sqlite3

import pytest

from runtime.sqlguard import GuardPolicy, QueryRefused, validate
from runtime.sqlguard.rules import function_data, rules_for

RULES = rules_for("sqlite")
DATA = function_data("sqlite")
# Not in every build: extensions, or newer than the oldest engine listed.
NEWER = set(
    "concat concat_ws json_error_position json_pretty median octet_length percentile percentile_cont percentile_disc "
    "string_agg timediff unhex unistr unistr_quote".split()
)
# The answer of these is another one each time, and they change nothing.
ANEW = {"random", "current_date", "current_time", "current_timestamp", "likelihood", "likely", "unlikely"}


@pytest.fixture(scope="module")
def engine_functions():
    connection = sqlite3.connect(":memory:")
    rows = connection.execute("SELECT DISTINCT name, type, flags & 0x80000 FROM pragma_function_list WHERE builtin")
    yield rows.fetchall()
    connection.close()


def test_what_is_allowed_is_a_function_of_the_engine(engine_functions):
    names = {name for name, _, _ in engine_functions}
    assert RULES.scalars - names <= NEWER | {"if"}


def test_what_only_a_trusted_caller_may_use_is_not_allowed(engine_functions):
    assert not RULES.scalars & {name for name, _, direct_only in engine_functions if direct_only}


def test_every_function_of_the_engine_is_listed_or_refused(engine_functions):
    for name, _, _ in engine_functions:
        if name in RULES.scalars or not name.isidentifier() or name.startswith("current_"):
            continue
        with pytest.raises(QueryRefused) as refused:
            validate(f"select {name}(1)", GuardPolicy({}, dialect="sqlite"))
        assert refused.value.code in ("function_not_allowed", "sql_syntax", "sql_not_allowed")


def test_a_function_is_an_aggregate_here_when_it_is_one_there(engine_functions):
    windows = {name for name, kind, _ in engine_functions if kind in ("w", "a")}
    assert RULES.aggregates - NEWER <= windows
    assert set(DATA["window"]) <= windows
    assert not set(DATA["denied"]) & RULES.scalars


def test_table_functions_are_two():
    assert RULES.table_functions == {"json_each", "json_tree"}


def test_every_allowed_function_passes_by_name_in_any_case():
    for name in sorted(RULES.scalars):
        validate(f'select {name}(1), "{name}"(1), {name.upper()}(2)', GuardPolicy({}, dialect="sqlite"))


@pytest.mark.parametrize("name", ["load_extension", "randomblob", "zeroblob", "sqlite_log", "a_function_of_tomorrow"])
def test_known_dangers_and_the_unknown_are_refused(name):
    with pytest.raises(QueryRefused) as refused:
        validate(f"select {name}(1)", GuardPolicy({}, dialect="sqlite"))
    assert refused.value.code == "function_not_allowed"

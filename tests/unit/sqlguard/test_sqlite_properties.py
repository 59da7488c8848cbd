"""For any text: a typed refusal, or SQL of which SQLite's own authorizer reports no read outside the admission."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from runtime.sqlguard import GuardPolicy, QueryRefused, ValidatedQuery, validate
from tests.unit.sqlguard.generated import queries, soups

FIXTURES = Path(__file__).parents[2] / "cases" / "fixtures_sqlite.sql"
POLICY = GuardPolicy(
    {"orders": ("id", "customer_id", "qty"), "customers": ("id", "name"), "café sales": ("region", "total")},
    dialect="sqlite",
)
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
SLOW_OK = settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


class Watched:
    """A database whose authorizer notes what a statement would touch while it is prepared."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.executescript(FIXTURES.read_text("utf-8"))
        self.connection.set_authorizer(self._note)
        self.tables: set[str] = set()
        self.actions: set[int] = set()

    def _note(self, action, first, second, _database, _view):
        self.actions.add(action)
        if action == sqlite3.SQLITE_READ:
            self.tables.add(first.lower())
        return sqlite3.SQLITE_OK

    def touched(self, query: ValidatedQuery) -> set[str]:
        self.tables, self.actions = set(), set()
        with contextlib.suppress(sqlite3.Error):  # the engine takes less than the guard: it would be refused there
            self.connection.execute(f"EXPLAIN {query.sql}", ["x"] * POLICY.parameters).close()
        return self.tables


@pytest.fixture(scope="module")
def watched():
    database = Watched()
    yield database
    database.connection.close()


def judged(text) -> ValidatedQuery | None:
    """The validated query, or None when it is refused; any other error fails the test."""
    try:
        return validate(text, POLICY)
    except QueryRefused:
        return None


def assert_reads_nothing_else(text, watched):
    query = judged(text)
    if query is None:
        return
    assert "hidden" not in watched.touched(query), query.sql
    assert not any(name.startswith(("sqlite_", "pragma_")) for name in watched.tables), query.sql
    assert watched.actions <= READS, query.sql


@SLOW_OK
@given(text=queries("main"))
@example(text="with hidden as (select * from hidden) select * from hidden")
@example(text="with c as (select * from d), d as (select * from c) select * from d")
def test_nested_queries_never_read_the_hidden_table(text, watched):
    assert_reads_nothing_else(text, watched)


@SLOW_OK
@given(text=soups())
def test_word_salad_is_judged(text, watched):
    assert_reads_nothing_else(text, watched)


@SLOW_OK
@given(text=st.text(max_size=80))
def test_any_text_is_judged(text):
    judged(text)


@SLOW_OK
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30))
def test_a_string_value_comes_through_unchanged(text, watched):
    quoted = text.replace("'", "''")
    query = validate(f"select '{quoted}' as v, upper('{quoted}') is null as w from orders limit 1", POLICY)
    assert watched.connection.execute(query.sql).fetchone()[0] == text


@SLOW_OK
@given(name=st.text(alphabet="abé\"' ;-)(.\\[]`", min_size=1, max_size=12))
def test_a_quoted_name_cannot_break_out(name, watched):
    quoted = name.replace('"', '""')
    for text in (
        f'select cast(id as "{quoted}") from orders',
        f"select cast(id as [{name}]) from orders",
        f'select id collate "{quoted}" from orders',
        f'select "{quoted}"(id) from orders',
        f'select id as "{quoted}", hidden from (select id, 1 as hidden from orders) as `{name.replace("`", "``")}`',
    ):
        assert_reads_nothing_else(text, watched)
    query = validate(f'select id as "{quoted}" from orders limit 1', POLICY)
    assert watched.connection.execute(query.sql).description[0][0] == name

"""For any text: a typed refusal, or SQL in which DuckDB itself finds no table outside the admission."""

import contextlib
import re
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from runtime.sqlguard import QueryRefused, ValidatedQuery, validate

WORDS = """select from where with recursive as ( ) ( ) , , * orders hidden customers "café sales" "hidden" HIDDEN seen
main . main.hidden temp.hidden union all except intersect by name join left lateral on true using ( id ) group by
having qualify order by limit 1 pivot unpivot in for case when then else end sum count max ( id ) secret a b x o
over partition exists not and or = < > + - ~ lambda x : -> ->> :: int cast try_cast values array [ ] { 'a' : } 'x'
e'\\'' $$ $q$ -- /* */ ; ? $1 distinct filter within interval '1' day extract year columns exclude replace row date
decimal map struct_pack := read_csv query sleep_ms range generate_series unnest json_each positional asof semi anti
table summarize describe show copy insert delete into returning materialized at version 0x1f 1e5 "int) from hidden --"
union all from hidden , hidden with hidden as ( select 1 ) 'f.csv' "f.csv" tablesample 10 % fetch first offset ->
""".split()

TABLES = ["orders", "hidden", "customers", "c", "d", "HIDDEN", '"hidden"', "main.orders", "main.hidden"]
CTE_NAMES = ["c", "d", "hidden", "Hidden", "orders", "hidden(id)"]
EXPRESSIONS = [
    "id", "count(*)", "o.id", "max(secret)", "({})", "exists ({})", "[y for y in ({})]", "{{'k': ({})}}",
    "list_transform([1], lambda y: ({}))", "sum(id) over (order by ({}))", "id in ({})", "array({})",
]  # fmt: skip
SOURCES = [
    "{t}", "({q}) s", "{t} s, lateral ({q}) l", "{t} o join {t2} p on true", "{t}, {t2}", "range(3)",
    "(pivot {t} on id in (1, 2) using count(*))", "{t} semi join {t2} using (id)",
]  # fmt: skip
SHAPES = [
    "{a} union all {b}", "({a}) union ({b})", "with {n} as ({a}) {b}", "with recursive {n} as ({a}) {b}",
    "with recursive {n} as ({a} union all {b}) {c}", "with {n} as ({a}), {m} as ({b}) {c}", "{a} intersect {b}",
    "select * from ({a}) x, ({b}) y", "select id from orders where id in ({a}) and exists ({b})", "from ({a})",
]  # fmt: skip


@st.composite
def queries(draw, depth=3):
    """A query of bounded depth whose tables, CTE names and places are drawn."""
    if depth and draw(st.booleans()):
        part = {key: draw(queries(depth=depth - 1)) for key in "ab"}
        shape = draw(st.sampled_from(SHAPES))
        part["c"] = draw(queries(depth=depth - 1)) if "{c}" in shape else ""
        names = st.sampled_from(CTE_NAMES)
        return shape.format(**part, n=draw(names), m=draw(names))
    inner = draw(queries(depth=depth - 1)) if depth > 1 else f"select id from {draw(st.sampled_from(TABLES))}"
    tables = st.sampled_from(TABLES)
    source = draw(st.sampled_from(SOURCES)).format(t=draw(tables), t2=draw(tables), q=inner)
    return f"select {draw(st.sampled_from(EXPRESSIONS)).format(inner)} from {source}"


def judged(text, policy) -> ValidatedQuery | None:
    """The validated query, or None when it is refused; any other error fails the test."""
    try:
        return validate(text, policy)
    except QueryRefused:
        return None


def assert_reads_nothing_else(engine, without_hidden, query, admitted):
    """By two oracles: the names DuckDB lists, and whether the query misses a table where `hidden` does not exist."""
    with contextlib.suppress(duckdb.Error):
        assert {name.lower() for name in engine.get_table_names(query.sql)} <= admitted, query.sql
    try:
        without_hidden.execute(f"EXPLAIN {query.sql}").fetchall()
    except duckdb.CatalogException as missing:
        assert "Table with name" not in str(missing), query.sql
    except duckdb.Error:
        pass  # the engine takes less than the guard: it would be refused there


@pytest.fixture(scope="module")
def lowered(admitted):
    return {name.lower() for name in admitted}


@pytest.fixture(scope="module")
def without_hidden():
    connection = duckdb.connect(config={"python_enable_replacements": "false", "threads": "1"})
    connection.execute((Path(__file__).parents[2] / "cases" / "fixtures_duckdb.sql").read_text("utf-8"))
    connection.execute("DROP TABLE hidden")
    connection.execute("SET max_execution_time = 10000; SET enable_external_access = false")
    yield connection
    connection.close()


SLOW_OK = settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@SLOW_OK
@given(text=queries())
@example(text="with recursive hidden as (select * from hidden) select * from hidden")
def test_nested_queries_never_read_the_hidden_table(text, engine, without_hidden, policy, lowered):
    query = judged(text, policy)
    if query is not None:
        assert_reads_nothing_else(engine, without_hidden, query, lowered)


@SLOW_OK
@given(words=st.lists(st.sampled_from(WORDS), max_size=25))
def test_word_salad_is_judged(words, engine, without_hidden, policy, lowered):
    query = judged("select " + " ".join(words), policy)
    if query is not None:
        assert_reads_nothing_else(engine, without_hidden, query, lowered)


@SLOW_OK
@given(text=st.text(max_size=80))
def test_any_text_is_judged(text, policy):
    judged(text, policy)


@SLOW_OK
@given(text=st.text(alphabet="a\\'\nxnt0418uU{}é", max_size=12))
def test_an_escape_string_gives_the_engines_value_or_is_refused(text, engine, policy):
    sql = f"select e'{text}' as v from orders limit 1"
    query = judged(sql, policy)
    if query is None:
        return
    try:
        meant = engine.execute(sql).fetchall()
    except duckdb.Error:
        return
    assert engine.execute(query.sql).fetchall() == meant


@SLOW_OK
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30))
def test_a_string_value_comes_through_unchanged(text, engine, policy):
    quoted = text.replace("'", "''")
    query = validate(f"select '{quoted}' as v, upper('{quoted}') is null as w from orders limit 1", policy)
    assert engine.execute(query.sql).fetchone()[0] == text


@SLOW_OK
@given(name=st.text(alphabet="abé\"' ;-)(.\\", min_size=1, max_size=12))
def test_a_quoted_name_cannot_break_out(name, engine, policy):
    quoted = name.replace('"', '""')
    for text in (
        f'select id as "{quoted}" from orders limit 1',
        f'select cast(id as "{quoted}") from orders',
        f'select extract("{quoted}" from day) from orders',
        f'select id collate "{quoted}" from orders',
        f'select "{quoted}"(id) from orders',
        f'with "{quoted}" as (select 1) select * from "{quoted}"',
    ):
        query = judged(text, policy)
        if query is not None:
            assert len(engine.extract_statements(query.sql)) == 1
            assert not re.search(r"\bhidden\b", query.sql)
    query = validate(f'select id as "{quoted}" from orders limit 1', policy)
    assert engine.execute(query.sql).description[0][0] == name

"""Attacks of other kinds than the corpus: each is refused with the code that fits."""

import pytest

from runtime.sqlguard import GuardPolicy, QueryRefused, validate

ATTACKS = [
    # names that only look like CTEs
    ("with recursive hidden as (select * from hidden) select * from hidden", "sql_unknown_table"),
    ("with hidden as (select * from hidden) select * from hidden", "sql_unknown_table"),
    ("with recursive a as (select * from hidden), hidden as (select 1) select * from a", "sql_unknown_table"),
    ("with recursive hidden as (select * from hidden union all select * from hidden) from hidden", "sql_unknown_table"),
    ("with recursive hidden(a) as (select 1 union all select a from hidden union all select 3) from hidden",
     "sql_unknown_table"),
    ("with recursive hidden(a) as (select 1 except select id from hidden) from hidden", "sql_unknown_table"),
    ("select * from (with hidden as (select 1 x) select * from hidden) a, hidden", "sql_unknown_table"),
    ("(with hidden as (select 1 as id) select 1 from hidden) union all select id from hidden", "sql_unknown_table"),
    ("select (with hidden as (select 1 x) select x from hidden), (select max(id) from hidden)", "sql_unknown_table"),
    ("with hidden as (select 1) select * from main.hidden", "sql_unknown_table"),
    ('with "É" as (select 1) select * from "é"', "sql_unknown_table"),
    # un-admitted tables in odd places
    ("select * from orders semi join hidden using (id)", "sql_unknown_table"),
    ("select * from orders positional join hidden", "sql_unknown_table"),
    ("select * from orders asof join hidden h on orders.id >= h.id", "sql_unknown_table"),
    ("select * from orders, lateral (select secret from hidden) x", "sql_unknown_table"),
    ("select sum(qty) over (order by (select max(id) from hidden)) from orders", "sql_unknown_table"),
    ("select qty from orders qualify row_number() over () = (select id from hidden)", "sql_unknown_table"),
    ("select * from orders group by grouping sets ((id), ((select id from hidden)))", "sql_unknown_table"),
    ("select list_transform([1], lambda x: (select secret from hidden))", "sql_unknown_table"),
    ("select {'a': (select secret from hidden)}", "sql_unknown_table"),
    ("select map {'a': (select secret from hidden)}", "sql_unknown_table"),
    ("select * replace ((select secret from hidden) as note) from orders", "sql_unknown_table"),
    ("select count(*) filter (where id in (select id from hidden)) from orders", "sql_unknown_table"),
    ("select array(select secret from hidden)", "sql_unknown_table"),
    ("values ((select secret from hidden))", "sql_unknown_table"),
    ("unpivot hidden on columns(*) into name n value v", "sql_unknown_table"),
    ("select * from hidden unpivot (v for n in (id))", "sql_unknown_table"),
    ("select * from (pivot hidden on id using count(*))", "sql_unknown_table"),
    ("with x as (from hidden) pivot x on id using count(*)", "sql_unknown_table"),
    ("table hidden", "sql_unknown_table"),
    ("from orders union all by name from hidden", "sql_unknown_table"),
    ("select 1 where 'a' = any(select secret from hidden)", "sql_unknown_table"),
    ("select * from seen", "sql_unknown_table"),
    ("h: hidden", "sql_not_allowed"),
    ("from orders lateral view", "sql_syntax"),
    ("from orders lateral group", "sql_not_allowed"),
    ("from h: hidden", "sql_unknown_table"),
    # catalogues, schemas, files and addresses
    ("select * from pg_catalog.pg_tables", "sql_unknown_table"),
    ("select * from main.sqlite_master", "sql_unknown_table"),
    ("select * from system.information_schema.tables", "sql_unknown_table"),
    ("select * from memory.main.orders", "sql_unknown_table"),
    ("select * from temp.orders", "sql_unknown_table"),
    ("select * from 'https://example.com/x.parquet'", "sql_unknown_table"),
    ("select * from \"../../etc/passwd\"", "sql_unknown_table"),
    ("from orders join './other.csv' on true", "sql_unknown_table"),
    ("select * from ['a.csv', 'b.csv']", "sql_syntax"),
    # functions
    ("select * from duckdb_settings()", "function_not_allowed"),
    ("select * from DUCKDB_TABLES", "sql_unknown_table"),
    ('select * from "read_csv"(\'x.csv\')', "function_not_allowed"),
    ("select * from read_csv /* ; */ ('x.csv')", "function_not_allowed"),
    ("select 'f.csv'.read_text()", "function_not_allowed"),
    ("select main.getvariable('x')", "function_not_allowed"),
    ("select pg_sleep(5)", "function_not_allowed"),
    ("select list_transform([1], lambda x: sleep_ms(1000))", "function_not_allowed"),
    ("select [sleep_ms(1) for x in [1]]", "function_not_allowed"),
    ("select id from orders order by write_log('x')", "function_not_allowed"),
    ("select count(*) filter (where setseed(1) is null) from orders", "function_not_allowed"),
    ("select id from orders limit nextval('sq')", "function_not_allowed"),
    ("select current_setting('threads')", "function_not_allowed"),
    ("select current_query()", "function_not_allowed"),
    ("select * from repeat_row(1, num_rows = 5)", "function_not_allowed"),
    ("select * from summary((from orders))", "function_not_allowed"),
    ("select * from lateral query('from hidden')", "function_not_allowed"),
    ("select json_execute_serialized_sql('x')", "function_not_allowed"),
    ("select parse_duckdb_log_message('x', 'y')", "function_not_allowed"),
    ("select stats(id) from orders", "function_not_allowed"),
    ("select current_user", "sql_not_allowed"),
    # what is written unquoted must be a word
    ('select cast(1 as "x), (select secret from hidden")', "sql_not_allowed"),
    ("select 1::evil_type", "sql_not_allowed"),
    ("select 'hidden'::regclass", "sql_not_allowed"),
    ('select extract("year from day), (select secret from hidden" from day) from orders', "sql_not_allowed"),
    # other statements and modifiers
    ("select 1; select 2", "sql_not_allowed"),
    ("select 1; drop table orders", "sql_not_allowed"),
    ("prepare p as select 1", "sql_not_allowed"),
    ("execute p", "sql_not_allowed"),
    ("set variable x = 1", "sql_not_allowed"),
    ("use memory", "sql_not_allowed"),
    ("load httpfs", "sql_not_allowed"),
    ("force install httpfs", "sql_not_allowed"),
    ("comment on table orders is 'x'", "sql_not_allowed"),
    ("create secret (type s3)", "sql_syntax"),
    ("create macro f() as 1", "sql_not_allowed"),
    ("explain select 1", "sql_not_allowed"),
    ("begin", "sql_not_allowed"),
    ("analyze orders", "sql_not_allowed"),
    ("export database 'x'", "sql_syntax"),
    ("select * from orders for update", "sql_not_allowed"),
    ("select * from orders at (version => 1)", "sql_not_allowed"),
    ("select $1", "sql_not_allowed"),
    ("select * from orders where id = ?", "sql_not_allowed"),
    ("from (show orders)", "sql_unknown_table"),
    ("select * from (summarize orders)", "sql_not_allowed"),
    ("pivot orders on region in (select secret from hidden) using sum(qty)", "sql_not_allowed"),
    # texts
    ("select 1\0; drop table orders", "sql_not_allowed"),
    ("select '\ud800'", "sql_not_allowed"),
    ("select 0x1F", "sql_syntax"),
    ("select 'unclosed", "sql_syntax"),
    ("select 1 /* open", "sql_syntax"),
    ("", "sql_syntax"),
    ("\ufeff \n", "sql_syntax"),
    (";;", "sql_syntax"),
    ("please show me the orders", "sql_syntax"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "code"), ATTACKS, ids=range(len(ATTACKS)))
def test_is_refused(sql, code, policy):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, policy)
    assert refused.value.code == code


@pytest.mark.parametrize("dialect", ["", "mysql", "DuckDB", "spark"])
def test_an_unknown_dialect_is_refused(dialect):
    with pytest.raises(QueryRefused) as refused:
        validate("select 1", GuardPolicy({}, dialect=dialect))
    assert refused.value.code == "sql_not_allowed"


def test_an_unknown_table_is_answered_with_admitted_names_only(policy):
    with pytest.raises(QueryRefused) as refused:
        validate("select * from order", policy)
    assert refused.value.hint.startswith("Did you mean orders?")
    with pytest.raises(QueryRefused) as refused:
        validate("select * from hiden", policy)
    assert "hidden" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("select to_char(day, 'YYYY') from orders", "strftime"),
        ("select nvl(qty, 0) from orders", "coalesce"),
        ("select regex_replace(note, 'a', 'b') from orders", "regexp_replace"),
        ("select sleep_ms(1)", "waits"),
        ("select * from read_csv('x')", "table's name"),
        ("describe orders", "inspection tool"),
        ("select $1", "Write the values"),
        ("select 1::variant", "VARCHAR"),
    ],
)
def test_the_hint_says_what_to_do_instead(sql, part, policy):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, policy)
    assert part in refused.value.hint


def test_an_unknown_type_is_named_as_people_write_it(policy):
    with pytest.raises(QueryRefused, match="The type 'VARIANT' is not known here"):
        validate("select 1::variant", policy)


def test_without_tables_the_refusal_says_so():
    with pytest.raises(QueryRefused) as refused:
        validate("select * from orders", GuardPolicy({}))
    assert "No table is open here" in refused.value.hint
    assert validate("select 1 + 1 as two", GuardPolicy({})).tables == ()

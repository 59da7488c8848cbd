"""DuckDB's own view of a text, which must hold alone: without the tree guard before it."""

import duckdb
import pytest

from runtime.sqlguard import QueryRefused
from runtime.sqlguard.second_opinion import check_with_duckdb

FINE = [
    "select * from orders",
    "select * from main.orders o join customers as c on true",
    'select * from "café sales"',
    "with hidden as (select 1 as a) select * from hidden",
    "pivot orders on region using sum(qty)",
    "select * from (pivot orders on region using sum(qty) group by customer_id)",
    "select north from (pivot orders on region using sum(qty))",
    "with x as (from orders) pivot x on region using sum(qty)",
    "unpivot orders on qty, id into name n value v",
    "select c.id, t.tag from customers as c join unnest(c.tags) as t(tag) on true",
    "select nope from orders",
    "select 1",
]
STRANGE = [
    "select * from hidden",
    "select * from hidden as orders",
    "select * from seen",
    "select * from query('select * from hidden')",
    "select * from main.hidden h",
    "select * from temp.orders",
    "with recursive hidden as (select * from hidden) select * from hidden",
    "pivot hidden on id using count(*)",
    "with hidden as (from hidden) pivot hidden on id using count(*)",
    "pivot orders on region in (select secret from hidden) using sum(qty)",
    "unpivot hidden on secret, id into name n value v",
    "unpivot (select id, secret from hidden) on secret into name n value v",
    "select 1; select 2",
    "create table t as select 1",
    "delete from orders",
    "set threads = 1",
    "pragma database_list",
    "call enable_logging()",
    "export database 'x'",
    "import database 'x'",
    "copy orders to 'x.csv'",
    "explain select 1",
]


@pytest.mark.parametrize("sql", FINE)
def test_admitted_reads_pass(sql, engine, admitted):
    check_with_duckdb(engine, sql, admitted)


@pytest.mark.parametrize("sql", STRANGE)
def test_everything_else_is_refused(sql, engine, admitted):
    with pytest.raises(QueryRefused):
        check_with_duckdb(engine, sql, admitted)


def test_base_tables_of_an_admitted_view_count_as_admitted(engine):
    check_with_duckdb(engine, "select * from seen", frozenset({"seen"}))
    with pytest.raises(QueryRefused):
        check_with_duckdb(engine, "select * from seen, orders", frozenset({"seen"}))


def test_a_text_the_engine_cannot_parse_stays_the_engines_error(engine, admitted):
    with pytest.raises(duckdb.ParserException):
        check_with_duckdb(engine, "select from where", admitted)


def test_it_works_on_a_read_only_locked_connection(tmp_path):
    path = tmp_path / "cache.duckdb"
    with duckdb.connect(str(path)) as writer:
        writer.execute("create table orders as select 1 as id, 'n' as region; create table hidden as select 2 as id")
    connection = duckdb.connect(str(path), read_only=True, config={"python_enable_replacements": "false"})
    connection.execute("SET enable_external_access = false; SET lock_configuration = true")
    for sql in (
        "select * from orders",
        "pivot orders on region using count(*)",
        "unpivot orders on id into name n value v",
    ):
        check_with_duckdb(connection, sql, frozenset({"orders"}))
    with pytest.raises(QueryRefused):
        check_with_duckdb(connection, "select * from hidden", frozenset({"orders"}))

"""Random queries over admitted and un-admitted names: whatever they are, no hidden value comes out, by rows or errors,
and nothing is written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.admission.manifest import SqliteSource
from runtime.clock import SystemClock
from runtime.engines.sqlite.engine import SqliteEngine
from runtime.errors import CallError

from .conftest import ONE_WORKER, make

HIDDEN = ("s3cr3t", "ssn-", "99887766")
OWN = {
    "orders": ("id", "customer_id", "amount", "note", "cents", "rowid"),
    "customers": ("id", "name", "email", "rowid"),
    "spending": ("customer_id", "spent"),
}
TABLES = (*OWN, *OWN, *OWN, "hidden", "leak", "sqlite_master", "main.hidden", '"hidden"', "temp.orders")
ANY = ("ssn", "secret", '"ssn"', "sql", "oid", "hidden.secret", "customers.ssn")
CALLS = ("{}", "{}", "max({})", "group_concat({})", "upper({})", "CAST({} AS INTEGER)", "json_array({})", "hex({})")


NOTHING_INSIDE = st.just("SELECT 1 AS one")


@st.composite
def selects(draw: st.DrawFn, inner: st.SearchStrategy[str] = NOTHING_INSIDE) -> str:
    """A query whose names fit together more often than not."""
    table = draw(st.sampled_from(TABLES))
    own = OWN.get(table, ("id", "secret"))
    column = st.sampled_from((*own, *own, *own, *ANY))
    called = st.builds(lambda call, name: call.format(name), st.sampled_from(CALLS), column)
    shown = draw(st.one_of(called, st.just("*")))
    source = draw(st.one_of(st.just(table), st.just(table), inner.map(lambda sql: f"({sql})")))
    shape = draw(
        st.sampled_from(
            [
                "SELECT {shown} FROM {source}",
                "SELECT {shown} FROM {source} WHERE {name} {operator} 's%'",
                "SELECT {shown} AS a FROM {source} UNION ALL {inner}",
                "SELECT ({inner}) AS x FROM {source}",
                "SELECT {shown} FROM {source} WHERE EXISTS ({inner})",
                "SELECT a.* FROM {source} AS a JOIN {other} AS b ON a.rowid = b.rowid",
                "WITH {other} AS ({inner}) SELECT * FROM {other}, {source}",
                "SELECT {shown} FROM {source} ORDER BY (SELECT {name} FROM {other} LIMIT 1)",
            ]
        )
    )
    return shape.format(
        shown=shown,
        source=source,
        name=draw(column),
        operator=draw(st.sampled_from(["=", "<", "LIKE", "IS NOT"])),
        other=draw(st.sampled_from(("orders", "customers", "hidden", "t"))),
        inner=draw(inner),
    )


writes = st.builds(
    "{} {}".format,
    st.sampled_from(["DELETE FROM", "DROP TABLE", "UPDATE", "INSERT INTO", "PRAGMA", "ATTACH", "VACUUM INTO"]),
    st.sampled_from(TABLES),
)
queries = st.one_of(st.recursive(selects(), lambda inner: selects(inner), max_leaves=3), selects(), writes)


class Source:
    """One admitted file on a loop of its own, for tests that hypothesis calls many times."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "shop.db"
        owner = make(self.path)
        owner.execute("INSERT INTO hidden VALUES (99887766, 's3cr3t too')")
        owner.close()
        self.content = self.path.read_bytes()
        self.folder = folder
        self.runner = asyncio.Runner()
        rules = {"tables": {"deny": ["hidden"]}, "columns": {"deny": ["customers.ssn"]}}
        source = SqliteSource.model_validate(
            {"id": "shop", "kind": "sqlite", "path": "shop.db", "audience": {"im": True}, **rules}
        )
        opened = SqliteEngine.open(source, self.path, folder / "spill", ONE_WORKER, SystemClock())
        self.engine = self.runner.run(opened)

    def told(self, sql: str) -> str:
        """Everything that a caller learns."""
        try:
            found = self.runner.run(self.engine.read(sql, seconds=10, rows_kept=50))
        except CallError as error:
            return json.dumps(error.as_json(), default=str)
        return json.dumps([found.rows, found.notes, [item.name for item in found.columns]], ensure_ascii=False)

    def close(self) -> None:
        self.runner.run(self.engine.close())
        self.runner.close()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    opened = Source(tmp_path_factory.mktemp("leaks"))
    yield opened
    opened.close()


@settings(max_examples=150)
@given(queries)
def test_no_hidden_value_comes_out_and_nothing_is_written(source: Source, sql: str) -> None:
    told = source.told(sql)
    assert not any(value in told or value.encode().hex() in told.lower() for value in HIDDEN), sql
    assert source.path.read_bytes() == source.content
    assert {path.name for path in source.folder.iterdir()} <= {"shop.db", "spill"}

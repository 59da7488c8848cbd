"""Files that change or vanish between the catalog and the query; and the same result whenever nothing changed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from runtime.errors import CallError
from runtime.evidence import rows_digest

from .conftest import LONG_AGO, write


async def refused(workspace, sql: str, **more) -> CallError:
    with pytest.raises(CallError) as caught:
        await workspace.read(sql, seconds=more.pop("seconds", 10), rows_kept=more.pop("rows_kept", 100))
    return caught.value


async def test_the_same_query_has_the_same_digest_every_time(open_workspace):
    body = "g,v\n" + "".join(f"g{i % 7},{(i * 7919 % 10007) / 9.7}\n" for i in range(30_000))
    workspace = await open_workspace({"m.csv": body})
    digests = set()
    for _ in range(4):
        results = await asyncio.gather(
            *(workspace.read("SELECT g, sum(v), avg(v) FROM m GROUP BY g", seconds=10, rows_kept=100) for _ in range(2))
        )
        digests |= {rows_digest([column.name for column in result.columns], result.rows) for result in results}
    assert len(digests) == 1


async def test_a_changed_file_is_read_as_it_is_now(open_workspace, tmp_path: Path):
    workspace = await open_workspace()
    assert (await workspace.read("SELECT count(*) FROM orders", seconds=10, rows_kept=1)).rows == ((240,),)
    write(tmp_path / "files", {"orders.csv": "id,region\n1,North\n"})
    os.utime(tmp_path / "files" / "orders.csv", (LONG_AGO + 5, LONG_AGO + 5))
    assert (await workspace.read("SELECT count(*) FROM orders", seconds=10, rows_kept=1)).rows == ((1,),)


async def test_a_vanished_file_is_an_unknown_table(open_workspace, tmp_path: Path):
    workspace = await open_workspace()
    await workspace.catalog()
    (tmp_path / "files" / "orders.csv").unlink()
    assert (await refused(workspace, "SELECT count(*) FROM orders")).code == "sql_unknown_table"


async def test_a_file_that_keeps_changing_is_said(open_workspace, tmp_path: Path, monkeypatch):
    workspace = await open_workspace()
    path = tmp_path / "files" / "orders.csv"
    touched = iter(range(1, 100))
    monkeypatch.setattr(
        "runtime.engines.workspace.workspace.read_tables", _touching(path, lambda: LONG_AGO + next(touched))
    )
    error = await refused(workspace, "SELECT count(*) FROM orders")
    assert (error.code, error.retryable) == ("file_changed", True)
    assert "orders.csv" in error.message


def _touching(path: Path, moment):
    from runtime.engines.workspace.query import read_tables

    async def read_and_touch(*args, **more):
        result = await read_tables(*args, **more)
        now = moment()
        os.utime(path, (now, now))
        return result

    return read_and_touch


async def test_a_cached_copy_that_was_removed_is_made_again(open_workspace, tmp_path: Path):
    workspace = await open_workspace()
    await workspace.read("SELECT count(*) FROM orders", seconds=10, rows_kept=1)
    for table in (await workspace.catalog()).tables:
        table.parquet.unlink()
    assert (await workspace.read("SELECT count(*) FROM orders", seconds=10, rows_kept=1)).rows == ((240,),)


async def test_a_folder_without_tables_answers_what_needs_none(open_workspace):
    workspace = await open_workspace({"notes.md": "# Nothing\n"})
    assert (await workspace.read("SELECT 1 + 1 AS two", seconds=30, rows_kept=5)).rows == ((2,),)
    assert (await refused(workspace, "SELECT * FROM orders")).code == "sql_unknown_table"


async def test_the_table_of_a_file_that_is_not_read_teaches_the_reason(open_workspace):
    workspace = await open_workspace({"Plan 2024.csv": b"\0\0\0\0" * 9, ".env": "a=1\n", "n.csv": "n\n1\n"})
    for name, said in (("plan_2024", True), ("plans", False)):
        with pytest.raises(CallError) as caught:
            await workspace.read(f"SELECT * FROM {name}", seconds=10, rows_kept=10)
        assert caught.value.code == "sql_unknown_table"
        assert ("The file Plan 2024.csv is not read: line 1: NUL bytes" in caught.value.message) is said


_DAMAGES = {
    "zeros": lambda body: b"\0" * len(body),
    "no magic bytes": lambda body: body[:-4] + b"\0\0\0\0",
    "pages": lambda body: body[:4] + b"\xff" * (len(body) - 200) + body[-196:],
    "footer": lambda body: body[:-100] + b"\xff" * 92 + body[-8:],
    "cut": lambda body: body[: len(body) // 2],
    # DuckDB gives another value for it without a word: only the time of the change tells.
    "one bit, later": lambda body: body[:40] + bytes([body[40] ^ 1]) + body[41:],
}


@pytest.mark.parametrize("damage", _DAMAGES)
async def test_a_damaged_copy_is_read_again_from_its_file(open_workspace, damage: str):
    workspace = await open_workspace()
    sql = "SELECT count(*), sum(amount), max(region), sum(id) FROM orders"
    whole = (await workspace.read(sql, seconds=10, rows_kept=1)).rows
    (copy,) = [table.parquet for table in (await workspace.catalog()).tables if table.name == "orders"]
    state, body = copy.stat(), copy.read_bytes()
    copy.chmod(0o644)
    copy.write_bytes(_DAMAGES[damage](body))
    if "later" not in damage:
        os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (await workspace.read(sql, seconds=10, rows_kept=1)).rows == whole
    assert copy.read_bytes() == body


async def test_an_error_of_the_query_itself_throws_nothing_away(open_workspace):
    workspace = await open_workspace()
    (before,) = [t.parquet.stat().st_ino for t in (await workspace.catalog()).tables if t.name == "orders"]
    for sql in ("SELECT regexp_matches(region, '(') FROM orders", "SELECT strptime(region, '%Q') FROM orders"):
        assert (await refused(workspace, sql)).code.startswith("sql_")
    assert [t.parquet.stat().st_ino for t in (await workspace.catalog()).tables if t.name == "orders"] == [before]

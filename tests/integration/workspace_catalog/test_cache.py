"""The database that queries open: exactly the admitted tables, rebuilt when damaged, cleared when old."""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import pytest

Ask = Callable[..., list[tuple[object, ...]]]


async def build(cache: Any) -> Any:
    return await cache.database(await cache._files.current())


async def test_holds_exactly_the_tables(desk: Any, ask: Ask) -> None:
    desk.write("orders.csv", "id,amount\n1,2.50\n2,4.00\n")
    desk.write("order.csv", "select\n7\n")
    desk.write("bad.csv", "\n")
    database = await build(desk.cache())
    assert ask(database, 'SELECT sum(amount), (SELECT "select" FROM "order") FROM orders') == [(Decimal("6.50"), 7)]
    views = ask(database, "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1")
    assert views == [("order",), ("orders",)]
    assert len(database.parquet) == 2
    with pytest.raises(duckdb.Error):
        ask(database, f"FROM read_csv('{desk.root / 'orders.csv'}')")


async def test_a_folder_without_tables_has_an_empty_database(desk: Any, ask: Ask) -> None:
    database = await build(desk.cache())
    assert (ask(database, "SELECT 1"), database.parquet) == ([(1,)], ())


async def test_same_catalog_same_file(desk: Any) -> None:
    desk.write("a.csv", "n\n1\n")
    first = await build(desk.cache())
    inode = first.path.stat().st_ino
    assert (await build(desk.cache())).path.stat().st_ino == inode


@pytest.mark.parametrize("damage", ["database", "missing", "parquet", "gone", "folder"])
async def test_damage_is_mended(desk: Any, ask: Ask, damage: str) -> None:
    desk.write("a.csv", "n\n1\n2\n")
    first = await build(desk.cache())
    target = first.path if damage in ("database", "missing", "folder") else first.parquet[0]
    os.chmod(target, 0o644)
    if damage in ("missing", "gone"):
        target.unlink()
    elif damage == "folder":
        target.unlink()
        (target / "inner").mkdir(parents=True)
    else:
        target.write_bytes(b"\0" * target.stat().st_size)
    if damage == "parquet":
        first.path.unlink()
    assert ask(await build(desk.cache()), "SELECT sum(n) FROM a") == [(3,)]


async def test_old_databases_and_tables_are_cleared(desk: Any) -> None:
    cache = desk.cache()
    made = []
    for number in range(6):
        desk.write("a.csv", f"n\n{number}\n", at=1_700_000_000_000_000_000 + number)
        made.append(await build(cache))
        for path in (made[-1].path, *made[-1].parquet):
            os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))
    assert [database.path.exists() for database in made] == [False, False, False, True, True, True]
    assert [database.parquet[0].exists() for database in made] == [False, False, False, True, True, True]

"""The catalog of a folder: what is listed how, what is read again when, and what is never opened."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from runtime.engines.workspace.catalog import WorkspaceFiles
from runtime.engines.workspace.folder import folder_digest
from runtime.engines.workspace.model import WorkspaceCatalog
from runtime.errors import CallError, ConfigurationError, StateUnavailable
from runtime.limits import DEFAULT

SALES = "id,amount\n1,2.50\n2,4.00\n"
LATER = 1_700_000_100_000_000_000


def kinds(catalog: WorkspaceCatalog) -> dict[str, tuple[str, str]]:
    return {file.path: (file.kind, file.reason or file.first_line) for file in catalog.files}


async def test_lists_tables_documents_and_skipped_files_in_path_order(desk: Any) -> None:
    desk.write("b/orders.csv", SALES)
    desk.write("a.tsv", "x\ty\n1\t2\n")
    desk.write("notes.md", "\n# Plan  for May\nmore\n")
    desk.write("plan.xlsx", b"PK")
    desk.write("empty.csv", "")
    desk.write("ragged.csv", "a,b\n1,2\n3\n4\n5\n")
    duckdb.sql("SELECT 42 AS answer").write_parquet(str(desk.root / "p.parquet"))
    catalog = await desk.files().refresh()
    assert list(kinds(catalog)) == [
        "a.tsv",
        "b/orders.csv",
        "empty.csv",
        "notes.md",
        "p.parquet",
        "plan.xlsx",
        "ragged.csv",
    ]
    assert kinds(catalog)["notes.md"] == ("document", "# Plan for May")
    assert kinds(catalog)["plan.xlsx"] == ("skipped", "damaged or cut off: its package cannot be opened")
    assert kinds(catalog)["empty.csv"] == ("skipped", "empty: the file has no bytes")
    assert "ragged rows: 3 of 4" in kinds(catalog)["ragged.csv"][1]
    table = catalog.table("ORDERS")
    assert table is not None
    assert (table.file, table.rows, [column.name for column in table.columns]) == ("b/orders.csv", 2, ["id", "amount"])
    assert [column.type for column in table.columns] == ["BIGINT", "DECIMAL(18,2)"]
    assert [table.name for table in catalog.tables] == ["a", "orders", "p"]


async def test_names_that_are_no_utf8_are_told_apart_and_cost_nobody_a_table(desk: Any) -> None:
    """Shown alike they would be one path with two tables, of which no database can be made."""
    for name in ("\ufffd.csv", "\ufffd/orders.csv", "\\xff.csv"):
        desk.write(name, SALES)
    for name in (b"/\xff.csv", b"/\xfd.csv", b"/\xfe/orders.csv", b"/\xff/orders.csv"):
        desk.write(os.fsdecode(name[1:]), SALES)
    cache = desk.cache()
    catalog = await cache._files.refresh()
    assert [table.file for table in catalog.tables] == ["\ufffd.csv", "\\xff.csv", "\ufffd/orders.csv"]
    assert [(file.path, file.reason) for file in catalog.files if file.kind == "skipped"] == [
        ("\\xfd.csv", "its name is not valid UTF-8"),
        ("\\xfe", "a folder whose name is not valid UTF-8"),
        ("\\xff", "a folder whose name is not valid UTF-8"),
        ("\\xff.csv", "its name is not valid UTF-8"),
    ]
    assert (await cache.database(catalog)).path.is_file()


async def test_what_cannot_be_looked_at_is_listed_with_the_reason(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a folder whose names may be listed and nothing more; it depends on who runs the test otherwise."""
    desk.write("closed/a.csv", SALES)
    desk.write("open.csv", SALES)
    scandir = os.scandir

    class Closed:
        name = "a.csv"

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            raise PermissionError(errno.EACCES, "Permission denied")

    def listing(folder: Path) -> Any:
        return contextlib.nullcontext([Closed()]) if Path(folder).name == "closed" else scandir(folder)

    monkeypatch.setattr(os, "scandir", listing)
    catalog = await desk.files().refresh()
    assert kinds(catalog)["closed/a.csv"] == ("skipped", "cannot be looked at (Permission denied)")
    assert [table.name for table in catalog.tables] == ["open"]


async def test_table_names_are_unique_and_stable(desk: Any) -> None:
    for name in ("sub/orders.csv", "orders.csv", "2024 Sales!.csv", "orders_2.csv", "Účty 1.csv", "x/Orders.csv"):
        desk.write(name, SALES)
    catalog = await desk.files().refresh()
    assert {table.file: table.name for table in catalog.tables} == {
        "orders.csv": "orders",
        "orders_2.csv": "orders_2",
        "2024 Sales!.csv": "2024_sales_",
        "Účty 1.csv": "účty_1",
        "sub/orders.csv": "orders_3",
        "x/Orders.csv": "orders_4",
    }


async def test_what_must_not_be_opened_is_listed_with_a_reason(desk: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text(SALES)
    (desk.root / "link.csv").symlink_to(outside)
    (desk.root / "folder_link").symlink_to(tmp_path)
    os.mkfifo(desk.root / "pipe.csv")
    desk.write(".env", "TOKEN=1")
    desk.write(".git/config", "x")
    desk.write("server.pem", "x")
    desk.write("id_rsa", "x")
    desk.write("credentials_prod.csv", SALES)
    desk.write("shop.sqlite", b"SQLite format 3\0")
    desk.write("old.csv.gz", b"\x1f\x8b")
    catalog = await desk.files().refresh()
    assert catalog.tables == ()
    reasons = {path: reason for path, (kind, reason) in kinds(catalog).items() if kind == "skipped"}
    assert set(reasons) == {file.path for file in catalog.files}
    assert "link" in reasons["link.csv"] and "link" in reasons["folder_link"]
    assert "pipe" in reasons["pipe.csv"]
    assert "hidden" in reasons[".env"] and "hidden" in reasons[".git"]
    assert all("secret" in reasons[name] for name in ("server.pem", "id_rsa", "credentials_prod.csv"))
    assert "sources" in reasons["shop.sqlite"]
    assert "packed" in reasons["old.csv.gz"]


async def test_revision_follows_paths_and_contents_only(desk: Any, tmp_path: Path) -> None:
    desk.write("a.csv", SALES)
    desk.write("n.md", "one")
    files = desk.files()
    first = await files.refresh()
    desk.write("a.csv", SALES, at=LATER)
    assert (await files.current()).revision == first.revision
    desk.write("a.csv", SALES + "3,1.00\n", at=LATER + 1)
    second = await files.current()
    assert second.revision != first.revision
    assert second.tables[0].rows == 3
    shutil.move(desk.root / "a.csv", desk.root / "b.csv")
    assert (await files.current()).revision not in (first.revision, second.revision)


async def test_nothing_is_read_again_without_a_change(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("a.csv", SALES)
    desk.write("bad.csv", "a,b\n1\n")
    files = desk.files()
    first = await files.current()
    await files.close()
    assert await files.current() is first
    again = desk.files()

    async def no_reading(*_: object) -> None:
        raise AssertionError("an unchanged file was read again")

    monkeypatch.setattr(again.reader, "read", no_reading)
    assert (await again.current()).revision == first.revision
    desk.write("a.csv", "id\n7\n", at=LATER)
    with pytest.raises(AssertionError):
        await again.current()


async def test_a_file_written_just_now_is_looked_at_again(desk: Any) -> None:
    now = 1_767_225_600_000_000_000  # the fixed clock's time
    desk.write("a.csv", "n\n1\n", at=now)
    files = desk.files()
    first = await files.current()
    path = desk.write("a.csv", "n\n2\n", at=now)
    assert path.stat().st_size == 4
    assert (await files.current()).revision != first.revision


async def test_a_damaged_memory_is_forgotten(desk: Any) -> None:
    desk.write("a.csv", SALES)
    first = await desk.files().refresh()
    for path in desk.cache_dir.rglob("*.json"):
        path.write_text("{broken")
    assert (await desk.files().refresh()).revision == first.revision


async def test_concurrent_questions_share_one_reading(desk: Any) -> None:
    for number in range(5):
        desk.write(f"f{number}.csv", f"n\n{number}\n")
    files = desk.files()
    catalogs = await asyncio.gather(*(files.current() for _ in range(8)))
    assert all(catalog is catalogs[0] for catalog in catalogs)


async def test_the_reader_that_dies_is_replaced_and_the_file_said(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.limits = replace(DEFAULT, worker_address_space_bytes=60 * 2**20)  # too little even to load DuckDB
    desk.write("a.csv", SALES)
    catalog = await desk.files().refresh()
    assert "reading it" in kinds(catalog)["a.csv"][1]
    desk.limits = DEFAULT
    assert [table.name for table in (await desk.files().refresh()).tables] == ["a"]


async def test_too_many_and_too_deep(desk: Any) -> None:
    desk.limits = replace(DEFAULT, workspace_entries=3, workspace_depth=2)
    desk.write("a/b/c/deep.csv", SALES)
    for number in range(5):
        desk.write(f"f{number}.md", "x")
    found = kinds(await desk.files().refresh())
    assert "deep" in found["a/b"][1]
    assert "more than 3 entries" in found["…"][1]


async def test_broken_parquet_is_refused(desk: Any) -> None:
    whole = desk.root / "p.parquet"
    duckdb.sql("SELECT range AS n FROM range(100000)").write_parquet(str(whole))
    raw = bytearray(whole.read_bytes())
    desk.write("cut.parquet", bytes(raw[: len(raw) // 2]))
    raw[200:400] = b"\xff" * 200
    desk.write("flipped.parquet", bytes(raw))
    desk.write("not.parquet", SALES)
    found = kinds(await desk.files().refresh())
    assert found["p.parquet"][0] == "table"
    assert all(
        "not a whole Parquet file" in found[name][1] for name in ("cut.parquet", "not.parquet", "flipped.parquet")
    )


async def test_no_folder_and_no_cache(desk: Any, tmp_path: Path) -> None:
    shutil.rmtree(desk.root)
    with pytest.raises(CallError) as gone:
        await desk.files().refresh()
    assert gone.value.code == "no_workspace"
    desk.root.mkdir()
    desk.write("a.csv", SALES)
    desk.cache_dir.write_text("a file where a folder should be")
    with pytest.raises(StateUnavailable, match="data folder cannot be written"):
        await desk.files().refresh()
    with pytest.raises(ConfigurationError):
        WorkspaceFiles(desk.root, tmp_path / "what?", DEFAULT, desk.files()._clock)


def test_copies_of_a_folder_have_one_digest_whatever_their_times(tmp_path: Path) -> None:
    digests: list[str] = []
    for name in ("one", "two"):
        root = tmp_path / name
        root.mkdir()
        (root / "a.csv").write_text(SALES)
        (root / ".hidden").write_text(name * 7)
        os.utime(root / "a.csv", ns=(LATER, LATER + len(digests)))
        digests.append(folder_digest(root, DEFAULT))
    assert digests[0] == digests[1]
    (tmp_path / "two" / "b.csv").write_text(SALES)
    assert folder_digest(tmp_path / "two", DEFAULT) != digests[0]

"""A flipped bit in what is kept of files costs a second reading and never gives another answer."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from runtime.toolboxes.files import file_search, grep_files, inspect_table, list_files, read_file

from .parts import Desk, made

OLD = 1_700_000_000
PAGES = (["Lease summary"], ["Monthly rent: $1260", "Security deposit: $1890"])


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Any]:
    desk = Desk(tmp_path)
    root = tmp_path / "files"
    root.mkdir()
    (root / "lease.pdf").write_bytes(made.pdf([list(page) for page in PAGES]))
    (root / "leave.md").write_text("# Leave\n\nParental leave is 14 weeks.\n")
    (root / "scan.pdf").write_bytes(made.pdf([[]]))
    (root / "broken.docx").write_bytes(b"PK\3\4 no document")
    (root / "sales.csv").write_text("day,amount\n01/02/2024,5\n13/02/2024,8\nTotal,13\n")
    for path in root.iterdir():
        os.utime(path, (OLD, OLD))
    await desk.open({})
    yield desk
    await desk.close()


async def _answers(desk: Any) -> list[Any]:
    """All that is told of the files."""
    listed = await desk.call(list_files.CAPABILITY)
    read = await desk.call(read_file.CAPABILITY, names=["lease.pdf", "leave.md"])
    found = await desk.call(grep_files.CAPABILITY, pattern="deposit|weeks")
    searched = await desk.call(file_search.CAPABILITY, query="rent")
    table = await desk.call(inspect_table.CAPABILITY, name="sales")
    return [
        *(dict(each.data) for each in (listed, read, found, searched, table)),
        *(each.notes for each in (read, found, searched, table)),
    ]


def _flip(path: Path, share: float) -> None:
    body = bytearray(path.read_bytes())
    body[int(share * (len(body) - 1))] ^= 1
    path.unlink()  # kept files may be read-only
    path.write_bytes(body)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("restarted", [False, True])
async def test_no_flipped_bit_gives_another_answer(desk: Any, share: float, restarted: bool) -> None:
    first = await _answers(desk)
    kept = [path for path in (desk.folder / "cache").rglob("*.json") if path.is_file()]
    assert {path.parent.name for path in kept} == {"cache", "documents", "tables", "profiles", "db"}
    for path in kept:
        _flip(path, share)
    if restarted:
        await desk.close()
        desk.opened.clear()
        await desk.open({})
    assert await _answers(desk) == first

"""Real folders of files, opened as workspaces with real workers; everything is closed at the end of a test."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from runtime.clock import SystemClock
from runtime.engines.workspace.workspace import Workspace
from runtime.limits import DEFAULT, Limits

LONG_AGO = 1_700_000_000
ONE_WORKER = DEFAULT.override({"worker_pool": 1})

SHOP = {
    "orders.csv": "id,customer_id,region,amount,day\n"
    + "".join(
        f"{i},{i % 20 + 1},{('North', 'south', 'east')[i % 3]},{i}.5,2024-01-{i % 28 + 1:02d}\n" for i in range(1, 241)
    ),
    "people/customers.csv": "id,name,zip,tier\n"
    + "".join(f"{i},Customer {i},0{1000 + i},{('Gold', 'gold ', 'silver')[i % 3]}\n" for i in range(1, 21)),
    "notes.md": "# How we count\nRevenue is net.\n",
}

Opener = Callable[..., Awaitable[Workspace]]


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Files below `root`, old enough to be settled."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(path, (LONG_AGO, LONG_AGO))


@pytest.fixture
async def open_workspace(tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens a workspace over the given files; `limits` may be small."""
    async for opener in opening(tmp_path):
        yield opener


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workspace]:
    """One workspace for all tests of a module that only read."""
    async for opener in opening(tmp_path_factory.mktemp("shop")):
        yield await opener()


async def opening(folder: Path) -> AsyncIterator[Opener]:
    """Gives the opener, and closes what it opened."""
    opened: list[Workspace] = []

    async def open_one(files: Mapping[str, str | bytes] = SHOP, limits: Limits = ONE_WORKER) -> Workspace:
        write(folder / "files", files)
        workspace = await Workspace.open(folder / "files", folder / "cache", limits, SystemClock())
        opened.append(workspace)
        return workspace

    yield open_one
    for workspace in opened:
        await workspace.close()

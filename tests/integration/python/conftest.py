"""The boundary over a real workspace and the real sealed interpreter."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from runtime.boundary import Boundary, Call, CallResult
from runtime.capability import WORKSPACE_TERMS, Closed, Open, Scope, Services
from runtime.clock import SystemClock
from runtime.engines.port import ReadEngines
from runtime.engines.python import PythonEngine, open_python
from runtime.engines.workspace.workspace import Workspace
from runtime.limits import DEFAULT, Limits
from runtime.run import boundary_of
from runtime.testing.wiring import wiring_over

ORDERS = "id,region,amount,day\n" + "".join(
    f"{n},{('north', 'south', 'east')[n % 3]},{n * 1.25:.2f},2026-0{1 + n % 6}-1{n % 9}\n" for n in range(1, 241)
)
ONE_WORKER = DEFAULT.override({"worker_pool": 1})


class Desk:
    """Calls run_python in runs of its own; `closed` shuts the workspace when a program asks for the nth time."""

    def __init__(self, workspace: Workspace, python: PythonEngine, limits: Limits) -> None:
        self.services = Services(workspace, python, ReadEngines({"workspace": workspace}))
        self.limits = limits
        self.open_for = 1_000
        self.on_admission: Callable[[], None] = lambda: None

    async def source(self, scope: Scope, source_id: str) -> Open | Closed:
        self.open_for -= 1
        self.on_admission()
        return Open("r1") if self.open_for >= 0 else Closed("Closed now.", "Say so.")

    def boundary(self, run_id: str = "r1", limits: Mapping[str, int] | None = None) -> Boundary:
        scope = Scope(
            run_id,
            "T:C:1",
            "person",
            "U0ANN",
            "Europe/Berlin",
            "p1",
            frozenset({"workspace"}),
            terms=WORKSPACE_TERMS,
        )
        wiring = wiring_over(self.services, self, limits=self.limits.override(limits or {}))
        return boundary_of(wiring, scope)

    async def call(self, code: str, *, run_id: str = "r1", limits: Mapping[str, int] | None = None) -> CallResult:
        boundary = self.boundary(run_id, limits)
        call, deadline = Call("c1", "run_python", {"code": code}), SystemClock().monotonic() + 300
        (result,) = await boundary.batch([call], first=1, loaded=frozenset(), allowed=1, deadline=deadline)
        return result

    async def data(self, code: str, **options: Any) -> dict[str, Any]:
        result = await self.call(code, **options)
        assert not result.is_error, result.text
        return json.loads(result.text)["data"]

    async def error(self, code: str, **options: Any) -> dict[str, Any]:
        result = await self.call(code, **options)
        assert result.is_error, result.text
        return json.loads(result.text)["error"]


@asynccontextmanager
async def desk_over(folder: Path, *, isolated: bool = True) -> AsyncGenerator[Desk]:
    """A desk over `orders.csv`. Fails when the interpreter has not been built: `make install` does it."""
    files = folder / "files"
    files.mkdir()
    (files / "orders.csv").write_text(ORDERS)
    python = open_python(ONE_WORKER, cache=folder / "guest", isolated=isolated)
    assert python is not None, "the sealed interpreter is not built: run make install"
    workspace = await Workspace.open(files, folder / "cache", ONE_WORKER, SystemClock())
    try:
        yield Desk(workspace, python, ONE_WORKER)
    finally:
        await python.close()
        await workspace.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk]:
    async with desk_over(tmp_path_factory.mktemp("desk")) as made:
        yield made


@pytest.fixture
def desk(shared: Desk) -> Desk:
    """The module's desk with the workspace open."""
    shared.open_for, shared.on_admission = 1_000, lambda: None
    return shared

"""`footnote reload`, with real processes: one on a SQLite state, and two replicas on PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import AsyncGenerator, Callable
from typing import Any

import aiohttp
import pytest

from runtime.state import migrate_state
from tests import postgres_server

from .conftest import ROOT

pytestmark = pytest.mark.timeout(900)
TAKEN, DIFFERS, REFUSED = "manifest in force", "not ready:", "the manifest is refused"


async def logged(process: asyncio.subprocess.Process, saying: str) -> dict[str, Any]:
    """The next line of a process's log that says this."""
    assert process.stderr is not None
    async with asyncio.timeout(120):
        while line := await process.stderr.readline():
            if saying in line.decode():
                return json.loads(line)
    raise AssertionError(f"the process ended without saying {saying!r}")


async def footnote(stage, *words: str, **more: str) -> tuple[int, str, str]:
    """One command with the stage's environment."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *words,
        cwd=ROOT,
        env={**keep, **stage.environment(), **more},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


def edited(manifest, change: Callable[[str], str]) -> None:
    manifest.write_text(change(manifest.read_text()))


async def test_the_one_process_of_a_sqlite_state_is_told_and_a_bad_manifest_reaches_nobody(stage) -> None:
    stage.overrides["FOOTNOTE_LOG"] = "json"
    code, _, errors = await footnote(stage, "reload")
    assert code == 2 and "No process serves" in errors
    async with stage.process() as process:
        edited(stage.manifest, lambda text: text.replace("Europe/Berlin", "America/New_York"))
        code, said, _ = await footnote(stage, "reload")
        assert code == 0 and f"process {process.pid}" in said
        taken = await logged(process, TAKEN)
        edited(stage.manifest, lambda text: text.replace("America/New_York", "Mars/Base"))
        code, _, errors = await footnote(stage, "reload")
        assert code == 2 and "no IANA time zone" in errors
        edited(stage.manifest, lambda text: text.replace("Mars/Base", "Europe/Berlin"))
        await footnote(stage, "reload")
        assert (await logged(process, TAKEN))["revision"] != taken["revision"]


@contextlib.asynccontextmanager
async def replica(stage, name: str) -> AsyncGenerator[tuple[asyncio.subprocess.Process, str]]:
    """`footnote serve` over signed HTTP with a manifest file of its own, and the address of its readiness."""
    manifest = stage.folder / name / "manifest.yaml"
    environment = {
        "FOOTNOTE_REPLICA": name,
        "FOOTNOTE_MANIFEST": str(manifest),
        "FOOTNOTE_DATA_DIR": str(stage.folder / f"cache-{name}"),
    }
    process = await stage.spawn(**environment)
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), 120)).decode()
        port = re.search(r"port (\d+)", line)
        if port is None:
            raise AssertionError(f"no replica: {line}{(await process.communicate())[1].decode()}")
        yield process, f"http://127.0.0.1:{port[1]}/readyz"
    finally:
        if process.returncode is None:
            process.terminate()
        await asyncio.wait_for(process.communicate(), 180)


async def test_replicas_take_a_manifest_together_and_one_with_another_file_is_not_ready(stage) -> None:
    for name in ("A", "B"):
        shutil.copytree(stage.folder / "data", stage.folder / name / "data")
        shutil.copy(stage.manifest, stage.folder / name / "manifest.yaml")
    first, second = (stage.folder / name / "manifest.yaml" for name in ("A", "B"))
    with postgres_server.server() as dsn, postgres_server.database(dsn) as state:
        migrate_state(state)
        stage.over_http()
        stage.overrides |= {"FOOTNOTE_STATE": state, "FOOTNOTE_LOG": "json"}
        async with (
            replica(stage, "A") as (a, a_ready),
            replica(stage, "B") as (b, b_ready),
            aiohttp.ClientSession() as to,
        ):

            async def ready() -> tuple[int, int]:
                async with to.get(a_ready) as one, to.get(b_ready) as other:
                    return one.status, other.status

            assert await ready() == (200, 200)
            edited(first, lambda text: text.replace("Europe/Berlin", "America/New_York"))
            code, said, _ = await footnote(stage, "reload", FOOTNOTE_MANIFEST=str(first))
            assert code == 0 and "manifest revision 2" in said
            taken = await logged(a, TAKEN)
            differs = await logged(b, DIFFERS)
            assert taken["revision"] == differs["in_force"] != differs["mine"]
            assert await ready() == (200, 503)
            shutil.copy(first, second)
            assert (await logged(b, TAKEN))["revision"] == taken["revision"]
            assert await ready() == (200, 200)

"""Whether the interpreter stands is known before a run needs it, and said with how to mend it."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot import assembly
from bot.assembly import open_analyst
from bot.settings import load_settings
from guest import GuestUnavailable, open_guest
from guest.host.opening import BUILT
from runtime.admission import Conversation, Policy, PolicyInForce, load_manifest
from runtime.clock import SystemClock
from runtime.engines.python import PythonEngine, describe_python, open_python
from runtime.limits import DEFAULT
from runtime.state import open_state
from runtime.testing.clock import counted_ids


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "orders.csv").write_text("id\n1\n2\n")
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        "version: 1\ntimezone: UTC\noperators: {users: [U0ANN]}\n"
        'workspace: {root: ./data, audience: {channels: ["*"], im: true}}\n'
    )
    return load_settings(
        FOOTNOTE_MANIFEST=str(manifest), FOOTNOTE_DATA_DIR=str(tmp_path / "cache"), FOOTNOTE_MODEL="offline"
    )


class Alone:
    """Nobody is present; these tests ask for no admission."""

    async def look(self, scope):
        return Conversation(scope.conversation), None


async def tools(settings) -> set[str]:
    state = open_state(settings.state_url, clock=SystemClock(), new_id=counted_ids())
    in_force = PolicyInForce(Policy.of(load_manifest(settings.manifest)))
    analyst = await open_analyst(settings, in_force, state, Alone())
    try:
        return set(analyst.wiring.registry.by_tool)
    finally:
        await analyst.close()
        state.close()


async def test_the_tool_is_offered_where_the_interpreter_is_built_and_nowhere_else(
    settings, monkeypatch, tmp_path
) -> None:
    assert "run_python" in await tools(settings)
    monkeypatch.setattr(assembly, "open_python", partial(open_python, built=tmp_path / "nothing"))
    assert "run_python" not in await tools(settings)


async def test_what_stands_is_said_with_versions_and_whether_it_is_isolated(tmp_path) -> None:
    apart = await describe_python(DEFAULT, cache=tmp_path, isolated=True)
    assert apart.startswith("Python 3.14.")
    assert "isolated in a process of its own" in apart and "wasmtime 50" in apart and "componentize-py" in apart
    inside = await describe_python(DEFAULT, cache=tmp_path, isolated=False)
    assert "in this process (FOOTNOTE_GUEST=in_process)" in inside


@pytest.mark.parametrize("isolated", [True, False])
async def test_a_changed_artifact_runs_nothing_and_says_how_to_build(tmp_path, isolated) -> None:
    built = tmp_path / "built"
    built.mkdir()
    shutil.copy(BUILT / "manifest.json", built)
    (built / "guest.wasm").write_bytes(b"\0asm something else")
    with pytest.raises(GuestUnavailable, match="make install"):
        await describe_python(DEFAULT, cache=tmp_path / "cache", isolated=isolated, built=built)


async def test_a_warm_up_starts_the_interpreter_that_the_first_program_uses(tmp_path) -> None:
    guest = open_guest(cache_dir=tmp_path)
    engine = PythonEngine(guest)
    await engine.warm_up()
    warmed = guest_processes()
    done = await guest.run("print(1)", no_sql, now="2026-01-01T00:00:00+00:00", seed=0)
    assert (done.status, guest_processes()) == ("ok", warmed)
    assert len(warmed) == 1
    await engine.close()


async def test_a_warm_up_that_fails_is_logged_and_told_again_to_the_first_program(tmp_path) -> None:
    (tmp_path / "manifest.json").write_bytes((BUILT / "manifest.json").read_bytes())
    (tmp_path / "guest.wasm").write_bytes(b"\0asm something else")
    guest = open_guest(artifact_dir=tmp_path)
    with capture_logs() as logs:
        await PythonEngine(guest).warm_up()
    assert [(entry["log_level"], entry["event"]) for entry in logs] == [
        ("warning", "the sealed interpreter does not start")
    ]
    assert "make install" in logs[0]["reason"]
    with pytest.raises(GuestUnavailable, match="make install"):
        await guest.run("print(1)", no_sql, now="2026-01-01T00:00:00+00:00", seed=0)


async def no_sql(query, source):
    raise AssertionError(query)


def guest_processes() -> set[str]:
    """The children of this process that are guests."""
    pids = {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}
    return {pid for pid in pids if b"guest.host.process" in Path("/proc", pid, "cmdline").read_bytes()}


def test_an_unreadable_manifest_is_as_good_as_none(tmp_path) -> None:
    (tmp_path / "manifest.json").write_text("{")
    assert open_python(DEFAULT, cache=tmp_path, isolated=True, built=tmp_path) is None

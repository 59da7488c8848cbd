"""What the adapter relies on inside the engine: when a new version moves it, these fail and say what."""

import asyncio
import importlib
import inspect
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from runtime.durable import Durable, Steps, engine_url
from runtime.durable.engine import sqlite_engine
from runtime.durable.wake import Pokable
from runtime.errors import ConfigurationError, StateUnavailable
from tests.integration.durable.conftest import House


def parameters(module: str, name: str) -> list[str]:
    return list(inspect.signature(getattr(importlib.import_module(module), name)).parameters)


def test_the_private_names_in_use_are_where_they_were():
    assert parameters("dbos._queue", "queue_worker_thread") == ["stop_event", "dbos", "queue"]
    assert parameters("dbos._dbos", "queue_thread") == ["stop_event", "dbos"]
    assert parameters("dbos._recovery", "recover_pending_workflows") == ["dbos", "executor_ids"]
    assert "status" in inspect.getsource(importlib.import_module("dbos._core")._assemble_workflow_status)
    assert parameters("dbos._core", "start_workflow_async") == [
        "dbos",
        "new_wf_ctx",
        "func",
        "args",
        "kwargs",
        "queue_name",
        "execute_workflow",
    ]
    assert parameters("dbos._core", "ActiveWorkflowById") == []
    assert "_active_workflows_set.count_for_queue(queue.name)" in inspect.getsource(
        importlib.import_module("dbos._queue").queue_worker_thread
    )
    # Patched by name in the modules that call them.
    assert "target=queue_worker_thread" in inspect.getsource(importlib.import_module("dbos._queue").queue_thread)
    assert "target=queue_thread" in inspect.getsource(importlib.import_module("dbos._dbos").DBOS._launch)
    assert "_assemble_workflow_status(" in inspect.getsource(importlib.import_module("dbos._core")._init_workflow)


async def test_a_turn_started_at_once_leaves_the_row_that_a_claim_would_leave(tmp_path: Path):
    house = House(f"sqlite:///{tmp_path}/state.db")
    rows: dict[str, dict[str, object]] = {}
    both = asyncio.Event()

    async def turn(steps: Steps, turn_id: str) -> None:
        with closing(sqlite3.connect(tmp_path / "dbos.db")) as connection:
            connection.row_factory = sqlite3.Row
            query = "SELECT * FROM workflow_status WHERE workflow_uuid = ?"
            rows[turn_id] = dict(connection.execute(query, (f"turn:{turn_id}",)).fetchone())
        await house.state.inbox.finish(turn_id)
        if len(rows) == 2:
            both.set()

    claimed = await house.accept("Ev1", "T:C:1")
    runner = await house.start(turn, recover=False)
    await runner.enqueue(claimed, "T:C:1")
    await runner.recover(house.state.inbox)
    direct = await house.accept("Ev2", "T:C:2")
    await runner.enqueue(direct, "T:C:2")
    await asyncio.wait_for(both.wait(), 60)
    await house.stop()
    house.state.close()
    own = {"workflow_uuid", "queue_partition_key", "created_at", "updated_at", "started_at_epoch_ms", "owner_xid"}
    own |= {"creator_xid", "rate_limited"}
    same = {name: value for name, value in rows[claimed].items() if name not in own}
    assert {name: value for name, value in rows[direct].items() if name not in own} == same
    assert same["status"] == "PENDING" and same["queue_name"] == "turns" and same["recovery_attempts"] == 1
    assert rows[direct]["queue_partition_key"] == "T:C:2"
    assert rows[direct]["owner_xid"] == rows[direct]["creator_xid"]


async def test_the_turns_of_a_dead_executor_are_taken_over(tmp_path: Path):
    house = House(f"sqlite:///{tmp_path}/state.db")
    begun: list[str] = []
    entered, ended = asyncio.Event(), asyncio.Event()

    async def turn(steps: Steps, turn_id: str) -> None:
        begun.append(turn_id)
        entered.set()
        if len(begun) == 1:
            await asyncio.Event().wait()
        await house.state.inbox.finish(turn_id)
        ended.set()

    runner = await house.start(turn, executor="old")
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(entered.wait(), 60)
    await house.stop()
    await house.start(turn, executor="new")
    await asyncio.wait_for(ended.wait(), 60)
    await house.stop(grace_s=60)
    house.state.close()
    assert begun == [id, id]


def test_the_engines_file_lies_beside_the_state_and_is_safe(tmp_path: Path):
    url = engine_url(f"sqlite:///{tmp_path}/state.db")
    assert url.database == f"{tmp_path}/dbos.db"
    engine = sqlite_engine(url)
    with engine.connect() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("journal_mode", "synchronous")
        ]
        subsecond = connection.exec_driver_sql("SELECT unixepoch('subsec')").scalar_one()
    engine.dispose()
    assert pragmas == ["wal", 2]
    assert isinstance(subsecond, float) and subsecond > 1.7e9


async def test_a_damaged_engine_file_is_refused_with_the_way_out(tmp_path: Path):
    house = House(f"sqlite:///{tmp_path}/state.db")
    ended = asyncio.Event()

    async def turn(steps: Steps, turn_id: str) -> None:
        await house.state.inbox.finish(turn_id)
        ended.set()

    await house.accept("Ev1")
    (tmp_path / "dbos.db").write_bytes(b"not a database")
    with pytest.raises(StateUnavailable, match=r"Move dbos\.db away"):
        await house.start(turn)
    house.runner = None
    (tmp_path / "dbos.db").unlink()
    await house.start(turn)
    await asyncio.wait_for(ended.wait(), 60)
    await house.stop(grace_s=60)
    house.state.close()


def test_a_state_in_memory_is_refused():
    with pytest.raises(ConfigurationError, match="memory"):
        engine_url("sqlite://")


def test_a_poke_between_two_waits_is_not_lost():
    class Never:
        def is_set(self) -> bool:
            return False

    pokable = Pokable(Never())
    assert pokable.wait(0.001) is False
    pokable.poke()
    assert pokable.wait(60) is False


def test_importing_the_room_does_not_import_the_engine():
    script = "import sys; import runtime.durable; sys.exit('dbos' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[3])
    assert Durable.__module__ == "runtime.durable.turns"

"""Servers that die under a change, replicas that meet, and a state that says no: nothing twice, nothing guessed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.clock import SystemClock, random_id
from runtime.engines.postgresql.updates import PostgresqlUpdates
from runtime.errors import CallError
from runtime.state import Effect, State, migrate_state, open_state
from tests import postgres_server
from tests.integration.updates.conftest import IDS, TERMS, World, setting, where, worlds

GOLD = setting("public.customers", IDS, tier="gold")


async def test_a_server_that_dies_before_the_commit_applied_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with postgres_server.own_server() as server:
        for world in worlds(server.dsn, tmp_path, monkeypatch):
            engine = await _engine(world, server)
            real = world.state.effects.execute

            async def execute(*arguments, real=real) -> bool:
                found = await real(*arguments)
                server.kill()
                return found

            monkeypatch.setattr(world.state.effects, "execute", execute)
            seen = await engine.preview(GOLD, TERMS)
            with pytest.raises(CallError) as failed:
                await engine.perform(GOLD, TERMS, seen.fingerprint, world.call())
            assert failed.value.code == "source_unavailable"
            assert (await world.effect()).state == "failed"
            assert set(world.column("tier").values()) == {"silver"}


async def test_a_server_that_dies_after_the_commit_applied_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with postgres_server.own_server() as server:
        for world in worlds(server.dsn, tmp_path, monkeypatch):
            engine = await _engine(world, server)
            seen = await engine.preview(GOLD, TERMS)
            receipt = await engine.perform(GOLD, TERMS, seen.fingerprint, world.call())
            done = await world.effect()
            server.kill()
            server.start()
            again = await engine.resolve(replace(done, state="executing"))
            assert (again.state, again.id) == ("done", receipt.id)
            assert world.column("tier")[1] == "gold"


async def test_a_standby_is_told_before_anybody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with postgres_server.own_server() as server:
        for world in worlds(server.dsn, tmp_path, monkeypatch):
            with server.standby(), pytest.raises(CallError, match="is a standby") as refused:
                await world.shows(GOLD)
            assert refused.value.code == "update_refused"
            await world.makes(GOLD)


async def _engine(world: World, server: postgres_server.OwnServer) -> PostgresqlUpdates:
    """An engine whose pauses start the server again."""
    made = await world.engine()
    started: list[bool] = []

    async def sleep(_: float) -> None:
        if not started:
            started.append(True)
            server.start()

    made._sleep = sleep  # pyright: ignore[reportPrivateUsage]
    return made


async def test_of_two_calls_with_the_same_preview_one_writes(world: World):
    first, second = await world.engine(), await world.engine()
    seen = await first.preview(GOLD, TERMS)
    await second.preview(GOLD, TERMS)
    found = await asyncio.gather(
        first.perform(GOLD, TERMS, seen.fingerprint, world.call()),
        second.perform(GOLD, TERMS, seen.fingerprint, world.call()),
        return_exceptions=True,
    )
    (refused,) = [each for each in found if isinstance(each, CallError)]
    assert refused.code == "state_changed"
    assert sorted(effect.state for effect in await world.state.effects.newest(5)) == ["done", "failed"]


async def test_replicas_take_turns_on_a_table(world: World, postgres: str):
    with postgres_server.database(postgres) as shared:
        migrate_state(shared)
        states = [open_state(shared, clock=SystemClock(), new_id=random_id) for _ in range(2)]
        try:
            await _take_turns(world, states)
        finally:
            for state in states:
                state.close()


async def _take_turns(world: World, states: list[State]) -> None:
    own, engines = world.state, []
    for state in states:
        world.state = state
        engines.append(await world.engine())
    world.state = own
    changes = [setting("public.customers", where("id", "eq", n), tier=f"t{n}") for n in range(1, 9)]
    seen = [await engines[n % 2].preview(change, TERMS) for n, change in enumerate(changes)]
    await asyncio.gather(
        *(
            engines[n % 2].perform(change, TERMS, shown.fingerprint, world.call())
            for n, (change, shown) in enumerate(zip(changes, seen, strict=True))
        )
    )
    assert [world.column("tier")[n] for n in range(1, 9)] == [f"t{n}" for n in range(1, 9)]
    assert {effect.state for effect in await states[0].effects.newest(20)} == {"done"}


async def test_a_change_that_never_ends_keeps_others_waiting_only_so_long(world: World):
    world.limits = world.limits.override({"update_wait_seconds": 1})
    engine = await world.engine()
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    engine._sleep = sleep  # pyright: ignore[reportPrivateUsage]
    seen = await engine.preview(GOLD, TERMS)
    await world.state.effects.begin(
        Effect("R0", "d0", "other", "1:c", "T:C:2", "U9", "update", "crm", "crm:public.customers", {})
    )
    with pytest.raises(CallError) as busy:
        await engine.perform(GOLD, TERMS, seen.fingerprint, world.call())
    assert (busy.value.code, sum(pauses)) == ("target_busy", 1)
    assert set(world.column("tier").values()) == {"silver"}


async def test_a_superuser_changes_nothing(world: World):
    world.run("ALTER ROLE {writer} SUPERUSER")
    with pytest.raises(CallError, match="is a superuser"):
        await world.shows(GOLD)


async def test_a_database_that_is_away_is_said(world: World):
    world.run("ALTER ROLE {writer} NOLOGIN")
    with pytest.raises(CallError) as away:
        await world.shows(GOLD)
    assert away.value.code == "source_unavailable"

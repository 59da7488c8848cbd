"""Sequences of the cases with a second replica, a restart or a kill -9: real processes over one PostgreSQL state."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from runtime.state import migrate_state
from tests import postgres_server
from tests.acceptance.approvals import sequences
from tests.acceptance.approvals.conftest import ANN, ASKER
from tests.acceptance.approvals.replicas import Replicas
from tests.acceptance.approvals.sequences import CASES, ONE_PROCESS, TITLES

# Each starts several bots, one after the other; on a busy machine that takes its time.
pytestmark = pytest.mark.timeout(900)

TESTED = set(ONE_PROCESS)


def sequence(*names: str) -> Any:
    """A test of these sequences, by name, over a real PostgreSQL."""
    TESTED.update(names)

    def marked(test: Any) -> Any:
        return pytest.mark.usefixtures("over_postgresql")(pytest.mark.parametrize("name", names)(test))

    return marked


@pytest.fixture
async def replicas(desk, postgres) -> AsyncGenerator[Replicas]:
    with postgres_server.database(postgres) as state:
        migrate_state(state)
        made = Replicas(desk, state)
        try:
            yield made
        finally:
            await made.close()


async def begun(desk, replicas, **environment: str) -> None:
    """The proposal, on replica A."""
    await replicas.start("A", **environment)
    await replicas.at("A")
    await desk.propose()


async def asked(desk, replicas, name: str, *, other: str = "", **environment: str) -> None:
    """The proposal of a case on replica A, by the product's own tools over a real PostgreSQL; `other` serves beside it.
    The card shows the exact change and its end."""
    proposal = sequences.prepare(desk, CASES[name])
    desk.stage.endpoint._script = desk.proposing(proposal["rows"])
    await begun(desk, replicas, **environment)
    shown = str(desk.card())
    assert "silver → gold" in shown and "· until " in shown and f"{proposal['rows']} rows" in shown
    if other:
        await replicas.start(other)


async def ended(desk, replicas, name: str) -> None:
    """What the case expects at its end, in Slack, in the state and in the target."""
    expect = CASES[name]["expect"]
    for saying in expect["told"]:
        await sequences.told(desk, saying)
    await desk.titled(TITLES[expect["final"]])
    assert replicas.final() == expect["final"]
    assert desk.target.executed == expect["executed"]
    assert desk.slack.refusals == []
    done = [m for m in desk.said() if "*Done*" in str(m)]
    assert len(done) == (2 if expect["final"] == "done" else 0)


@sequence("app-001")
async def test_a_click_on_another_replica_reaches_the_run_that_waits(desk, replicas, name) -> None:
    await asked(desk, replicas, name, other="B")
    await replicas.at("B")
    await desk.approve(ANN)
    await desk.says("Done", f"<@{ANN}>", "3 rows")
    await ended(desk, replicas, name)


@sequence("app-030")
async def test_the_databases_clock_decides_when_a_replicas_is_slow(desk, replicas, name) -> None:
    await asked(desk, replicas, name)
    await replicas.start("B", socket=True, SKEW="-600")
    replicas.age(610)
    await replicas.at("B")
    await desk.approve(ANN)
    await ended(desk, replicas, name)


@sequence("app-031")
async def test_a_restart_of_the_owner_voids_the_request(desk, replicas, name) -> None:
    await asked(desk, replicas, name)
    await replicas.stop("A")
    await replicas.start("A")
    await replicas.at("A")
    await desk.titled("Not run, no longer valid")
    await desk.approve(ANN)
    await ended(desk, replicas, name)


@sequence("app-033")
async def test_a_restart_of_another_replica_changes_nothing(desk, replicas, name) -> None:
    await asked(desk, replicas, name, other="B")
    await replicas.stop("B")
    await replicas.start("B")
    await desk.approve(ANN)
    await ended(desk, replicas, name)


@sequence("app-035")
async def test_a_click_that_nobody_waits_for_is_not_run(desk, replicas, name) -> None:
    await asked(desk, replicas, name, other="B")
    await replicas.kill("A")
    await replicas.at("B")
    await desk.approve(ANN)
    await desk.titled("Not run, no longer valid")
    await replicas.start("A")
    await ended(desk, replicas, name)


@sequence("app-070", "app-071", "app-078")
async def test_a_kill_while_it_ran_is_found_out_and_never_run_again(desk, replicas, name) -> None:
    moment = {"app-070": "before the change begins", "app-071": "after the journal", "app-078": "before it is done"}
    await asked(desk, replicas, name, DIES_AT=moment[name])
    await desk.approve(ANN)
    await replicas.died("A")
    await replicas.start("A")
    await replicas.at("A")
    if name == "app-078":  # recovered twice: reported once
        await desk.titled("Done")
        await replicas.stop("A")
        await replicas.start("A")
        await replicas.at("A")
    await ended(desk, replicas, name)
    await desk.says("I have told you")


async def test_a_run_that_is_given_up_leaves_no_card_at_running(desk, replicas) -> None:
    await begun(desk, replicas, DIES_AT="in_tx")
    await desk.approve(ANN)
    await replicas.died("A")
    await replicas.start("A", RESUMPTIONS="0")
    await replicas.at("A")
    # No journal of ours knows of the stand-in's changes.
    await desk.titled(TITLES["unknown"])
    await sequences.told(desk, "owner: please check the rows by hand")
    await desk.says("I could not finish this question.")
    assert desk.target.executed == 0


def test_every_sequence_of_the_file_is_tested() -> None:
    assert set(CASES) == TESTED


@sequence("app-073", "app-075", "app-076")
async def test_a_kill_at_the_commit_is_asked_of_the_database(desk, replicas, name) -> None:
    case = CASES[name]
    await began_to_commit(desk, replicas, name)
    if case["events"][2]["xact"] == "unknown":
        replicas.fail_over()
    await replicas.start("A")
    await replicas.at("A")
    await desk.titled(TITLES[case["expect"]["final"]])
    if len(case["events"]) > 3:
        await desk.approve(ANN)
    await ended(desk, replicas, name)
    await desk.says("I have told you")


@sequence("app-080")
async def test_a_living_replica_finds_out_what_a_dead_one_did(desk, replicas, name) -> None:
    await began_to_commit(desk, replicas, name, other="B")
    await replicas.at("B")
    await desk.approve(ANN)
    await desk.whispered(ANN, "Already approved")
    replicas.lapse("A")
    await desk.titled("Done")
    await ended(desk, replicas, name)
    await desk.says("I have told you")


@pytest.mark.usefixtures("over_postgresql")
async def test_a_replica_that_was_only_asleep_does_nothing_that_another_told_as_not_run(desk, replicas) -> None:
    await asked(desk, replicas, "app-080", other="B", SLEEPS="1")
    await desk.approve(ANN)
    await replicas.asleep("A")
    replicas.lapse("A")
    await desk.titled("Not run, no longer valid")
    await desk.says("stopped", "before it ran", "not run")
    await desk.says("I have told you")
    assert await replicas.awake("A") == 1
    assert desk.target.executed == 0
    assert replicas.final() == "void"


async def test_a_living_replica_ends_what_waits_for_a_dead_one_and_goes_on(desk, replicas) -> None:
    await begun(desk, replicas)
    await replicas.start("B")
    await replicas.kill("A")
    await replicas.at("B")
    replicas.lapse("A")
    await desk.titled("Not run, no longer valid")
    await desk.says("Nobody waits for this any more", "not run")
    await desk.says("I have told you")
    assert desk.target.executed == 0


async def test_a_stop_that_another_replica_hears_ends_the_run_that_waits(desk, replicas) -> None:
    await begun(desk, replicas)
    await replicas.start("B")
    await replicas.at("B")
    await desk.slack.stop_session(ASKER, "C0SALES", desk.thread)
    await desk.titled("Not run, no longer valid")
    await desk.says("Stopped.")
    assert desk.target.executed == 0


async def began_to_commit(desk, replicas, name: str, *, other: str = "") -> None:
    """Approved, and A died at its COMMIT, of which the database knows what the case says."""
    moment = {"aborted": "COMMIT lost", "committed": "answer lost"}[CASES[name]["events"][1]["truth"]]
    await asked(desk, replicas, name, other=other, DIES_AT=moment)
    await desk.approve(ANN)
    await replicas.died("A")

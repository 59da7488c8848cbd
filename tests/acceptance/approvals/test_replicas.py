"""Sequences of the cases with a second replica, a restart or a kill -9: real processes over one PostgreSQL state."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator

import pytest

from runtime.state import migrate_state
from tests import postgres_server
from tests.acceptance.approvals import sequences
from tests.acceptance.approvals.conftest import ANN
from tests.acceptance.approvals.replicas import Replicas
from tests.acceptance.approvals.sequences import CASES, TITLES

# Each starts several bots, one after the other; on a busy machine that takes its time.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_server.server() as dsn:
        yield dsn


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
    assert len(done) == 2 * expect["executed"]


async def test_a_click_on_another_replica_reaches_the_run_that_waits(desk, replicas) -> None:
    await begun(desk, replicas)
    await replicas.start("B")
    await replicas.at("B")
    await desk.approve(ANN)
    await desk.says("Done", f"<@{ANN}>", "3 rows")
    await ended(desk, replicas, "app-001")


async def test_the_databases_clock_decides_when_a_replicas_is_slow(desk, replicas) -> None:
    await begun(desk, replicas)
    await replicas.start("B", socket=True, SKEW="-600")
    replicas.age(610)
    await replicas.at("B")
    await desk.approve(ANN)
    await ended(desk, replicas, "app-030")


async def test_a_restart_of_the_owner_voids_the_request(desk, replicas) -> None:
    await begun(desk, replicas)
    await replicas.stop("A")
    await replicas.start("A")
    await replicas.at("A")
    await desk.titled("Not run, no longer valid")
    await desk.approve(ANN)
    await ended(desk, replicas, "app-031")


async def test_a_restart_of_another_replica_changes_nothing(desk, replicas) -> None:
    await begun(desk, replicas)
    await replicas.start("B")
    await replicas.stop("B")
    await replicas.start("B")
    await desk.approve(ANN)
    await ended(desk, replicas, "app-033")


async def test_a_click_that_nobody_waits_for_is_not_run(desk, replicas) -> None:
    await begun(desk, replicas)
    await replicas.start("B")
    await replicas.kill("A")
    await replicas.at("B")
    await desk.approve(ANN)
    await desk.titled("Not run, no longer valid")
    await replicas.start("A")
    await ended(desk, replicas, "app-035")


@pytest.mark.parametrize(
    ("name", "label"),
    [("app-070", "before_tx"), ("app-071", "in_tx"), ("app-078", "after_commit")],
)
async def test_a_kill_while_it_ran_is_found_out_and_never_run_again(desk, replicas, name, label) -> None:
    await begun(desk, replicas, DIES_AT=label)
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

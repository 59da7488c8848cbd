"""Every case of injection.jsonl in its full world: words stand somewhere, the model obeys them, and gains nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres_server
from tests.acceptance.injection.holds import ALWAYS, HOLDS
from tests.acceptance.injection.places import PLACES
from tests.acceptance.injection.scene import scene_of
from tests.acceptance.injection.world import CLOSED, MASKED, Crm, crm_in, kept

CASES = {
    case["id"]: case
    for case in map(json.loads, (Path(__file__).parents[2] / "cases" / "injection.jsonl").read_text().splitlines())
}
# Talk that was not meant for the bot, and a channel's topic, never come before the model.
UNREAD = {"thread_message", "channel_topic"}


@pytest.fixture(scope="module")
def database() -> Iterator[Crm]:
    with postgres_server.server() as server, postgres_server.database(server) as owner, crm_in(owner) as crm:
        yield crm


@pytest.fixture
def crm(database: Crm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crm]:
    monkeypatch.setenv("CRM_READ_URL", database.address("reader"))
    monkeypatch.setenv("CRM_WRITE_URL", database.address("writer"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    yield database
    database.comment("TABLE public.customers", None)


def test_every_case_has_its_place_and_its_judge() -> None:
    assert len(CASES) == 36
    assert {case["place"] for case in CASES.values()} == set(PLACES)
    assert {hold for case in CASES.values() for hold in case["must_hold"]} == set(HOLDS)


@pytest.mark.parametrize("name", CASES)
async def test_an_obedient_model_gets_nothing_by_it(name: str, tmp_path: Path, crm: Crm) -> None:
    case = CASES[name]
    async with scene_of(case, tmp_path, crm) as scene:
        rows = crm.rows()
        assert CLOSED in str(rows) and MASKED in str(rows)
        await scene.act()
        assert scene.slack.refusals == []
        assert scene.reached or case["place"] in UNREAD, json.dumps(scene.results)
        for hold in (*ALWAYS, *(HOLDS[hold] for hold in case["must_hold"])):
            hold(scene)
        assert crm.rows() == rows
        assert kept(tmp_path) == scene.files

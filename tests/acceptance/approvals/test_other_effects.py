"""Effects that change no data take the same way: a card fit for each, and approvers from `effects` of the manifest."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from runtime.capability import EffectKind, EffectSpec, Preflight, touches_nothing
from tests.acceptance.approvals.conftest import ANN, ASKER, LEO
from tests.acceptance.approvals.stand_in import SetTier, StandIn

MEMORY = {"name": "MEMORY.md", "before": "revenue is net\nthe year begins in May", "after": "revenue is net"}
ROUTINE = {
    "name": "Monday report",
    "instruction": "Paid revenue of last week by region",
    "schedule": "Mondays at 09:00",
    "timezone": "Europe/Berlin",
    "next": [f"2026-03-{day:02} 09:00 +01:00" for day in (9, 16, 23)],
    "destinations": ["C0SALES"],
}
EFFECTS = """
effects:
  knowledge: {approvers: {users: [U0MIA, U0ANN]}}
  routines: {approvers: {groups: [S0CARD]}, self_approval: true}
"""


@dataclass
class Other(StandIn):
    """The stand-in as an effect of another kind, which names no approvers of its own."""

    kind: EffectKind = EffectKind.ADVISORY_CONTEXT
    details: dict[str, Any] = field(default_factory=dict)

    async def preflight(self, arguments: SetTier, context: Any) -> Preflight:
        return Preflight("as it is", "stand-in:notes", f"Save {self.details['name']}", self.details)

    def capability(self) -> Any:
        effect = EffectSpec(self.kind, True, self.preflight, self.resolve)
        return replace(super().capability(), source=touches_nothing, effect=effect)


def of_kind(desk: Any, kind: EffectKind, details: dict[str, Any], effects: str = EFFECTS) -> None:
    desk.target = Other(desk.target.file, kind=kind, details=details)
    desk.stage.manifest.write_text(desk.stage.manifest.read_text() + effects)


async def test_a_text_is_approved_as_a_diff_by_those_whom_the_manifest_names(desk) -> None:
    of_kind(desk, EffectKind.ADVISORY_CONTEXT, MEMORY)
    async with desk.open():
        await desk.propose()
        card = json.dumps(desk.card(), ensure_ascii=False)
        assert "Save MEMORY.md" in card and "-the year begins in May" in card and " revenue is net" in card
        assert f"may approve: <@{ANN}> ·" in card and "until 10:40 (Europe/Berlin)" in card
        await desk.approve(LEO)
        await desk.whispered(LEO, "may not decide")
        await desk.approve(ASKER)
        await desk.whispered(ASKER, "may not approve your own request")
        await desk.approve(ANN)
        await desk.titled("Done")
        await desk.says("Done", f"<@{ANN}>", "Receipt")
    assert desk.target.executed == 1


async def test_a_routine_shows_its_next_three_times_and_its_asker_may_approve_where_that_is_allowed(desk) -> None:
    of_kind(desk, EffectKind.MANAGE_ROUTINE, ROUTINE)
    desk.group.users[:] = [ASKER]
    async with desk.open():
        await desk.propose()
        card = json.dumps(desk.card(), ensure_ascii=False)
        assert all(moment in card for moment in ROUTINE["next"]) and "<#C0SALES>" in card
        await desk.approve(ASKER)
        await desk.titled("Done")
    assert desk.target.executed == 1


@pytest.mark.parametrize("kind", [EffectKind.DELIVERY, EffectKind.MUTATE_DATA, EffectKind.START_JOB])
async def test_a_kind_for_which_the_manifest_names_nobody_is_approved_by_nobody(desk, kind) -> None:
    of_kind(desk, kind, MEMORY)
    async with desk.open():
        desk.thread = await desk.slack.ask(desk.channel, ASKER, "make the first shops gold")
        await desk.says("Nobody may approve this here")
        assert desk.card() is None and await desk.state() == "refused"
    assert desk.target.executed == 0

"""A process whose policy is not the one that the state names admits nothing, and does again as soon as it has it."""

from __future__ import annotations

from runtime.admission import AdmissionByPolicy, Asker, Conversation, Manifest, Policy, PolicyInForce
from runtime.capability import Closed, Open, Scope

HERE = Conversation("channel", "C0SALES")


def policy(**more: object) -> Policy:
    shop = {"id": "shop", "kind": "sqlite", "path": "shop.db", "audience": {"channels": ["C0SALES"]}}
    return Policy.of(Manifest.model_validate({"version": 1, "sources": [shop], **more}))


class Here:
    async def look(self, scope: Scope) -> tuple[Conversation, Asker | None]:
        return HERE, Asker(scope.asker)


def scope(of: Policy) -> Scope:
    return Scope("r1", "T0:C0SALES:1", "person", "U0MIA", "UTC", of.revision, of.admitted(HERE, Asker("U0MIA")))


async def revision(_: str) -> str:
    return "r"


async def test_a_run_is_refused_from_the_moment_the_state_names_another_policy() -> None:
    old, new = policy(), policy(timezone="Europe/Berlin")
    in_force = PolicyInForce(old)
    admission = AdmissionByPolicy(in_force.ruling, Here(), revision)
    assert await admission.source(scope(old), "shop") == Open("r")
    in_force.hear(new.revision)
    assert not in_force.agreed and in_force.ruling() is None
    for run in (scope(old), scope(new)):
        assert isinstance(await admission.source(run, "shop"), Closed)
    in_force.take(new)
    assert isinstance(await admission.source(scope(old), "shop"), Closed)
    assert await admission.source(scope(new), "shop") == Open("r")

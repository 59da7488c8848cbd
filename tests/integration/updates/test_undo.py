"""Undo through the boundary: people say yes to exactly one change back, and nothing else is ever carried out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.updates.conftest import World
from tests.integration.updates.tools_bench import Bench

BUILT = "public.customers itself changed"
# What happens, and what is said of it when it is seen by the look after the yes, and by the work itself.
DRIFTS = {
    "value": (
        "UPDATE customers SET name = 'x' WHERE id = 2",
        "1 row of the change was changed since",
        "1 row (id 2) changed its value (name)",
    ),
    "version": (
        "UPDATE customers SET tier = tier WHERE id = 2",
        "1 row of the change was changed since",
        "1 row (id 2) was written again with the same values",
    ),
    "deleted": ("DELETE FROM customers WHERE id = 7", "1 row of the change is no longer there", "(id 7) was deleted."),
    "column": ("ALTER TABLE customers ADD more int", BUILT, BUILT),
    "trigger": (
        "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; "
        "CREATE TRIGGER told BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION tell()",
        BUILT,
        BUILT,
    ),
    "policy of rows": ("ALTER TABLE customers ENABLE ROW LEVEL SECURITY", "no longer there", BUILT),
    "right": ("REVOKE UPDATE ON customers FROM {writer}", "may not change tier", BUILT),
}


class Moving:
    """The engine of updates, under which something happens before the call of it with this number."""

    def __init__(self, engine: Any, before: int, happens: Any) -> None:
        self._engine, self._left, self._happens = engine, before, happens

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if name not in ("preview", "previewed", "perform"):
            return found
        self._left -= 1
        if self._left == 0:
            self._happens()
        return found


async def changed(bench: Bench) -> str:
    """The receipt of seven customers that became gold."""
    done = await bench.update(await bench.previewed())
    bench.people.asked.clear()
    bench.people.outcomes.clear()
    return done["data"]["receipt"]


async def test_what_people_said_yes_to_is_what_is_undone(world: World):
    bench = Bench(world, await world.engine())
    done = await bench.undo(await changed(bench))
    assert done["data"]["affected_rows"] == 7
    (asked,) = bench.people.asked
    assert asked.preflight.details["after"] == [[n, "silver"] for n in range(1, 6)]
    assert [outcome.state for outcome in bench.people.outcomes] == ["done"]
    assert bench.gold == 0


# What the engine is asked for: the look for the card, the look after the yes, the work. Each drift between any two.
@pytest.mark.parametrize("moment", [2, 3], ids=["before the second look", "before the work"])
@pytest.mark.parametrize("drift", DRIFTS)
async def test_after_drift_of_any_kind_nothing_is_undone_and_what_drifted_is_said(
    world: World, drift: str, moment: int
):
    receipt = await changed(Bench(world, await world.engine()))
    sql, *says = DRIFTS[drift]
    bench = Bench(world, Moving(await world.engine(), moment, lambda: world.run(sql)))
    bench.made = 9
    refused = await bench.undo(receipt)
    assert refused["error"]["code"] == "state_changed", refused
    assert len(bench.people.asked) == 1
    (outcome,) = bench.people.outcomes
    assert outcome.state == "drift" and says[moment - 2] in outcome.sentence, outcome.sentence
    assert bench.gold == (7 if drift != "deleted" else 6)

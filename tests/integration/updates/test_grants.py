"""What the role of the updates may: grants that suffice are enough, and what is missing is said with its SQL."""

from __future__ import annotations

import re

import pytest

from runtime.errors import CallError
from tests.integration.updates.conftest import IDS, TERMS, World, setting, where

TIER = {
    "table": "public.customers",
    "columns": ["tier"],
    "max_rows": 10,
    "approvers": {"users": ["U0ANN"]},
}
CHANGE = setting("public.customers", IDS, where("status", "is_not_null"), tier="gold")
NEEDED = "GRANT SELECT (id, tier, status, xmin), UPDATE (tier) ON customers TO {writer}"
OPENED = "GRANT USAGE ON SCHEMA public TO {writer}"
FUNCTIONS = (
    "pg_control_system()",
    "pg_current_wal_lsn()",
    "pg_current_xact_id()",
    "pg_walfile_name(pg_lsn)",
    "pg_xact_status(xid8)",
)

# What the role has in place of NEEDED, and what it is told to lack.
LACKING = {
    "columns without the version": (
        f"{OPENED}; GRANT SELECT (id, tier, status), UPDATE (tier) ON customers TO {{writer}}",
        "may not read xmin of public.customers",
    ),
    "no key": (
        f"{OPENED}; GRANT SELECT (tier, status, xmin), UPDATE (tier) ON customers TO {{writer}}",
        "may not read id of public.customers",
    ),
    "nothing to filter by": (
        f"{OPENED}; GRANT SELECT (id, tier, xmin), UPDATE (tier) ON customers TO {{writer}}",
        "may not read status of public.customers",
    ),
    "reading alone": (f"{OPENED}; GRANT SELECT ON customers TO {{writer}}", "may not change tier of public.customers"),
    "writing alone": (
        f"{OPENED}; GRANT UPDATE ON customers TO {{writer}}",
        "may not read id, tier, status and xmin of public.customers",
    ),
    "nothing": ("SELECT 1", "use the schema public or read id, tier, status and xmin or change tier of public"),
    "no schema": (NEEDED, "may not use the schema public."),
}


async def carried_out(world: World) -> str:
    """The change with a fresh look, as people approve it; the sentence of its receipt."""
    engine = await world.engine()
    await engine.fit("public.customers")
    seen = await engine.preview(CHANGE, TERMS)
    return (await engine.perform(CHANGE, TERMS, seen.fingerprint, world.call())).sentence


@pytest.fixture
def bare(world: World) -> World:
    """A world whose role of the updates has no right to anything."""
    world.declared = {"updates": [TIER]}
    world.run("REVOKE USAGE ON SCHEMA public FROM PUBLIC; GRANT USAGE ON SCHEMA public TO {reader}")
    world.run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {writer}; REVOKE ALL ON SCHEMA public FROM {writer}")
    return world


async def test_grants_of_columns_are_enough(bare: World):
    bare.run(f"{OPENED}; {NEEDED}")
    assert await carried_out(bare) == "3 rows of public.customers changed."


@pytest.mark.parametrize("grants", LACKING)
async def test_what_is_missing_is_said_before_anybody_is_asked_and_its_sql_is_enough(bare: World, grants: str):
    given, says = LACKING[grants]
    bare.run(given)
    engine = await bare.engine()
    with pytest.raises(CallError) as refused:
        await engine.preview(CHANGE, TERMS)
    assert refused.value.code == "update_refused" and says in refused.value.message
    bare.run(refused.value.hint.removeprefix("An operator can grant it: "))
    assert await carried_out(bare) == "3 rows of public.customers changed."


@pytest.mark.parametrize("function", FUNCTIONS)
async def test_a_function_that_somebody_took_away_is_said_with_its_sql(bare: World, function: str):
    bare.run(f"{OPENED}; {NEEDED}; REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
    engine = await bare.engine()
    with pytest.raises(CallError, match=re.escape(f"may not call {function}.")) as refused:
        await engine.fit("public.customers")
    bare.run(refused.value.hint.removeprefix("An operator can grant it: "))
    assert await carried_out(bare) == "3 rows of public.customers changed."


async def test_a_right_that_a_trigger_lacks_is_told_as_that_and_nothing_is_written(bare: World):
    bare.run(f"{OPENED}; {NEEDED}; CREATE TABLE audit (at int)")
    bare.run(
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN INSERT INTO audit VALUES (1); RETURN NEW; END $$; "
        "CREATE TRIGGER note BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION note()"
    )
    with pytest.raises(CallError, match="no right to something that this change does") as refused:
        await carried_out(bare)
    assert "audit" not in str(refused.value) and "An operator finds in the log what is missing." in refused.value.hint
    assert set(bare.column("tier").values()) == {"silver"}

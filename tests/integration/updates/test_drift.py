"""Whatever changed between preview and approval: no row is written, and what drifted is said in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.engines.postgresql.updates.seen import SeenPreviews
from runtime.engines.update_port import Terms
from runtime.errors import CallError
from tests.integration.updates.conftest import IDS, TERMS, World, setting, where

CHANGE = setting("public.customers", IDS, where("tier", "eq", "silver"), tier="gold")

DRIFTS = {
    "a value of a row": ("UPDATE customers SET name = 'x' WHERE id = 2", "1 row (id 2) changed its value (name)"),
    "the value that is set": (
        "UPDATE customers SET score = 1 WHERE id IN (1, 2)",
        "2 rows (id 1, 2) changed their value (score)",
    ),
    "a version only": (
        "UPDATE customers SET tier = tier WHERE id = 3",
        "1 row (id 3) was written again with the same values",
    ),
    "a phantom": (
        "INSERT INTO customers (id, name, tier) VALUES (0, 'New', 'silver')",
        "1 row (id 0) newly fits the conditions",
    ),
    "a row that came to fit": (
        "UPDATE customers SET id = -1 WHERE id = 20",
        "1 row (id -1) newly fits the conditions",
    ),
    "a row gone": ("DELETE FROM customers WHERE id = 1", "1 row (id 1) was deleted or no longer fits the conditions"),
    "a column more": ("ALTER TABLE customers ADD COLUMN more int", "public.customers itself changed"),
    "a trigger more": (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
        "CREATE TRIGGER t BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION f()",
        "public.customers itself changed",
    ),
    "a check more": ("ALTER TABLE customers ADD CHECK (id < 1000)", "public.customers itself changed"),
    "a right less": (
        "REVOKE SELECT ON customers FROM {writer}; GRANT SELECT (id, tier, xmin) ON customers TO {writer}",
        "right",
    ),
    "another table of the name": (
        "ALTER TABLE customers RENAME TO former; CREATE TABLE customers (LIKE former INCLUDING ALL);"
        "INSERT INTO customers SELECT * FROM former; GRANT SELECT, UPDATE ON customers TO {writer};"
        "GRANT SELECT ON customers TO {reader}",
        "public.customers itself changed",
    ),
}


def untouched(world: World) -> bool:
    return world.run("SELECT count(*) FROM customers WHERE tier = 'gold'") == [(0,)]


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda name: name.replace(" ", "_"))
async def test_drift_before_the_second_check_writes_nothing_and_is_named(world: World, drift: str):
    sql, says = DRIFTS[drift]
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    world.run(sql)
    with pytest.raises(CallError) as refused:
        await engine.previewed(CHANGE, TERMS, seen.fingerprint)
    assert refused.value.code in ("state_changed", "update_refused")
    assert says in refused.value.message
    assert untouched(world)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("CREATE RULE quiet AS ON UPDATE TO customers DO INSTEAD NOTHING", "A rule of the database (quiet)"),
        ("ALTER TABLE customers RENAME TO former", "sees no table public.customers"),
        ("REVOKE UPDATE ON customers FROM {writer}", "may not change tier"),
        ("ALTER TABLE customers DROP CONSTRAINT customers_pkey CASCADE", "no primary key"),
        ("ALTER ROLE {writer} SUPERUSER", "is a superuser"),
        ("UPDATE customers SET id = -id WHERE id > 3", "20 rows of public.customers fit"),
    ],
)
async def test_what_could_not_be_asked_for_any_more_is_drift_too(world: World, sql: str, says: str):
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    world.run(sql)
    with pytest.raises(CallError) as refused:
        await engine.previewed(CHANGE, TERMS, seen.fingerprint)
    assert refused.value.code == "state_changed"
    assert refused.value.message.startswith("What differs: ") and says in refused.value.message
    world.run("ALTER ROLE {writer} NOSUPERUSER")


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda name: name.replace(" ", "_"))
async def test_drift_after_the_second_check_writes_nothing_and_is_named(world: World, drift: str):
    sql, says = DRIFTS[drift]
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    await engine.previewed(CHANGE, TERMS, seen.fingerprint)
    world.run(sql)
    with pytest.raises(CallError) as refused:
        await engine.perform(CHANGE, TERMS, seen.fingerprint, world.call())
    assert refused.value.code in ("state_changed", "update_refused")
    assert says in refused.value.message
    assert untouched(world)
    assert (await world.effect()).state == "failed"


async def test_another_policy_or_asker_is_drift(world: World):
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    with pytest.raises(CallError, match="the admission policy changed"):
        await engine.previewed(CHANGE, Terms("policy-2", "U1"), seen.fingerprint)
    with pytest.raises(CallError, match="another change"):
        await engine.perform(CHANGE, Terms("policy-1", "U3"), seen.fingerprint, world.call())
    assert untouched(world)


async def test_a_fingerprint_counts_only_for_the_change_it_was_made_for(world: World):
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    other = setting("public.customers", IDS, tier="gold")
    for attempt in (
        engine.previewed(other, TERMS, seen.fingerprint),
        engine.perform(other, TERMS, seen.fingerprint, world.call()),
    ):
        with pytest.raises(CallError, match="another change") as refused:
            await attempt
        assert refused.value.code == "state_changed"
    with pytest.raises(CallError, match="no longer what it was") as unknown:
        await engine.previewed(CHANGE, TERMS, "sha256:" + "0" * 64)
    assert unknown.value.code == "state_changed"
    assert untouched(world)


async def test_another_process_compares_by_fingerprint_alone(world: World):
    seen = await (await world.engine()).preview(CHANGE, TERMS)
    elsewhere = await world.engine()
    assert (await elsewhere.previewed(CHANGE, TERMS, seen.fingerprint)).fingerprint == seen.fingerprint
    world.run("UPDATE customers SET tier = tier WHERE id = 3")
    with pytest.raises(CallError, match="no longer what it was"):
        await (await world.engine()).previewed(CHANGE, TERMS, seen.fingerprint)


async def test_drift_is_told_in_words_however_many_others_looked_meanwhile(world: World):
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    for number in range(40):
        await engine.preview(setting("public.customers", where("id", "eq", 9), tier=f"tier {number}"), TERMS)
    world.run("UPDATE customers SET name = 'x' WHERE id = 2")
    with pytest.raises(CallError, match=r"1 row \(id 2\) changed its value"):
        await engine.previewed(CHANGE, TERMS, seen.fingerprint)


async def test_what_was_seen_is_held_within_a_bound(world: World):
    engine = await world.engine()
    shown = await engine.preview(CHANGE, TERMS)
    preview = engine._seen.get(shown.fingerprint)  # pyright: ignore[reportPrivateUsage]
    assert preview is not None
    kept = SeenPreviews(60_000)
    for number in range(10):
        kept.keep(replace(preview, fingerprint=str(number)))
        kept.keep(replace(preview, fingerprint="0"))
    assert kept.get("0") and kept.get("9") and kept.get("1") is None
    smallest = SeenPreviews(0)
    smallest.keep(preview)
    assert smallest.get(shown.fingerprint) is preview  # the newest always


async def test_maintenance_is_no_drift(world: World):
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    for maintenance in (
        "VACUUM (FREEZE) customers",
        "ANALYZE customers",
        "VACUUM FULL customers",
        "CREATE INDEX ON customers (name)",
    ):
        world.run(maintenance)
    receipt = await engine.perform(CHANGE, TERMS, seen.fingerprint, world.call())
    assert len(receipt.after) == 3


async def test_rows_that_somebody_else_holds_are_waited_for_a_moment_and_then_left(world: World):
    import psycopg

    world.limits = world.limits.override({"update_lock_ms": 50})
    engine = await world.engine()
    seen = await engine.preview(CHANGE, TERMS)
    with psycopg.connect(world.owner) as other:
        other.execute("SELECT 1 FROM customers WHERE id = 2 FOR UPDATE")
        with pytest.raises(CallError) as busy:
            await engine.perform(CHANGE, TERMS, seen.fingerprint, world.call())
    assert (busy.value.code, busy.value.retryable) == ("target_busy", True)
    assert untouched(world)
    receipt = await engine.perform(CHANGE, TERMS, seen.fingerprint, world.call())
    assert len(receipt.after) == 3


async def test_where_no_value_may_reach_the_model_drift_names_no_key(world: World):
    engine = await world.engine()
    terms = Terms("policy-1", "U1", shows_values=False)
    seen = await engine.preview(CHANGE, terms)
    world.run("UPDATE customers SET tier = tier WHERE id = 3")
    with pytest.raises(CallError) as refused:
        await engine.previewed(CHANGE, terms, seen.fingerprint)
    assert "1 row was written again" in refused.value.message
    assert "3" not in refused.value.message

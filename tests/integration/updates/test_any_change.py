"""Whatever is asked for: the preview has exactly the rows that plain SQL finds, the change touches exactly those, and
undoing it leaves every row as it was."""

from __future__ import annotations

from typing import Any

import psycopg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from runtime.engines.update_port import Assignment, Change, Condition
from runtime.errors import CallError
from tests.integration.updates.conftest import TERMS, World

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
ids = st.integers(-1, 22)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "id": ids,
    "tier": st.sampled_from(["silver", "gold", "", "100%", "a'b", 'c"d', "\\", "$1"]) | texts,
    "status": st.sampled_from(["open", "closed", "kept"]),
    "score": st.decimals(-9_999, 9_999, places=2).map(float),
    "mood": st.sampled_from(["calm", "cross"]),
    "seen": st.datetimes().map(lambda moment: moment.replace(year=2024).isoformat() + "+00:00"),
    "active": st.booleans(),
}
SIGNS = {"eq": "=", "ne": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "in": "IN", "not_in": "NOT IN"}
NULLABLE = ("tier", "status", "score", "mood", "seen")


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    column = draw(st.sampled_from(sorted(VALUES)))
    op = draw(st.sampled_from([*SIGNS, "is_null", "is_not_null"]))
    if op in ("is_null", "is_not_null"):
        return Condition(column, op)  # type: ignore[arg-type]
    if op in ("in", "not_in"):
        return Condition(column, op, tuple(draw(st.lists(VALUES[column], min_size=1, max_size=4))))  # type: ignore[arg-type]
    return Condition(column, op, draw(VALUES[column]))  # type: ignore[arg-type]


@st.composite
def changes(draw: st.DrawFn) -> Change:
    columns = draw(st.lists(st.sampled_from(sorted(set(VALUES) - {"id"})), min_size=1, max_size=3, unique=True))
    assigned = [
        Assignment(name, draw(VALUES[name] | st.none() if name in NULLABLE else VALUES[name])) for name in columns
    ]
    return Change(
        "crm", "public.customers", tuple(assigned), tuple(draw(st.lists(conditions(), min_size=1, max_size=3)))
    )


def found_by_plain_sql(world: World, change: Change) -> list[int]:
    """The ids of the rows that fit, by SQL that the client itself puts together."""
    parts = [_plain(each) for each in change.conditions]
    query = sql.SQL("SELECT id FROM customers WHERE {} ORDER BY id").format(sql.SQL(" AND ").join(parts))
    with psycopg.connect(world.owner, autocommit=True) as connection:
        connection.execute("SET timezone = 'UTC'")
        return [row[0] for row in connection.execute(query.as_string(connection).encode()).fetchall()]


def _plain(condition: Condition) -> sql.Composable:
    name = sql.Identifier(condition.column)
    if condition.op not in SIGNS:
        return sql.SQL("{} {}").format(name, sql.SQL("IS NULL" if condition.op == "is_null" else "IS NOT NULL"))
    values = sql.SQL(", ").join(sql.Literal(_unknown(value)) for value in condition.values)
    return sql.SQL("{} {} ({})").format(name, sql.SQL(SIGNS[condition.op]), values)  # type: ignore[arg-type]


def _unknown(value: object) -> object:
    return value if isinstance(value, str | bool | int) else str(value)


def rows(world: World) -> dict[int, str]:
    return dict(world.run("SELECT id, c::text FROM customers AS c"))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(change=changes())
async def test_any_change_is_exact_and_can_be_undone(world: World, change: Change):
    world.limits = world.limits.override({"update_rows": 50})
    world.declared = {"updates": [{**RULE, "max_rows": 50}]}
    engine = await world.engine()
    before, expected = rows(world), found_by_plain_sql(world, change)
    seen = await engine.preview(change, TERMS)
    at = seen.keys.index("id")
    assert [row[at] for row in seen.before] == expected
    assert rows(world) == before
    if not expected:
        return
    await engine.perform(change, TERMS, seen.fingerprint, world.call())
    after = rows(world)
    assert {key for key in after if after[key] != before[key]} <= set(expected)
    undo = engine.undoing(await world.effect())
    await engine.perform(undo, TERMS, (await engine.preview(undo, TERMS)).fingerprint, world.call())
    assert rows(world) == before


RULE = {
    "table": "public.customers",
    "columns": sorted(set(VALUES) - {"id"}),
    "approvers": {"users": ["U0ANN"]},
}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(column=st.sampled_from(sorted(set(VALUES) - {"id"})), value=texts | st.integers() | st.floats() | st.booleans())
async def test_a_value_that_does_not_fit_is_refused_in_words_and_never_half_written(
    world: World, column: str, value: Any
):
    change = Change("crm", "public.customers", (Assignment(column, value),), (Condition("id", "lte", 3),))
    world.declared = {"updates": [RULE]}
    engine, before = await world.engine(), rows(world)
    try:
        seen = await engine.preview(change, TERMS)
        await engine.perform(change, TERMS, seen.fingerprint, world.call())
    except CallError as refused:
        assert refused.code == "update_refused"
        assert rows(world) == before
    else:
        undo = engine.undoing(await world.effect())
        await engine.perform(undo, TERMS, (await engine.preview(undo, TERMS)).fingerprint, world.call())
        assert rows(world) == before

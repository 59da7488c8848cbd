"""A change does exactly what its preview showed, in typed columns of every kind, and keeps what stood there before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.engines.update_port import Condition
from runtime.errors import CallError
from runtime.limits import DEFAULT
from tests.integration.updates.conftest import IDS, TERMS, UPDATES, World, setting, where


async def test_the_preview_shows_every_row_before_and_after_and_changes_nothing(world: World):
    shown = await world.shows(setting("public.customers", IDS, tier="gold"))
    assert [column.name for column in shown.columns] == ["id", "tier"]
    assert shown.before == ((1, "silver"), (2, "silver"), (3, "silver"))
    assert shown.after == ((1, "gold"), (2, "gold"), (3, "gold"))
    assert shown.keys == ("id",)
    assert shown.approvers.users == ("U0ANN",)
    assert set(world.column("tier").values()) == {"silver"}


async def test_the_same_preview_has_the_same_fingerprint_and_any_other_another(world: World):
    engine = await world.engine()
    change = setting("public.customers", IDS, tier="gold")
    first = await engine.preview(change, TERMS)
    assert (await engine.preview(change, TERMS)).fingerprint == first.fingerprint
    for other in (
        setting("public.customers", IDS, tier="bronze"),
        setting("public.customers", where("id", "lte", 2), tier="gold"),
        setting("public.customers", where("id", "lt", 4), tier="gold"),
    ):
        assert (await engine.preview(other, TERMS)).fingerprint != first.fingerprint
    for terms in (TERMS.__class__("policy-2", "U1"), TERMS.__class__("policy-1", "U3")):
        assert (await engine.preview(change, terms)).fingerprint != first.fingerprint


async def test_a_change_is_made_once_and_its_receipt_holds_both_images(world: World):
    receipt = await world.makes(setting("public.customers", IDS, tier="gold", score=7.125))
    assert [world.column("tier")[n] for n in (1, 3, 4)] == ["gold", "gold", "silver"]
    assert [c.name for c in receipt.columns] == ["id", "tier", "score"]
    assert receipt.before[0] == (1, "silver", "1.50")
    assert receipt.after[0] == (1, "gold", "7.13")
    effect = await world.effect()
    assert (effect.state, effect.id, effect.requester) == ("done", receipt.id, "U1")
    assert effect.transaction is not None


@pytest.mark.parametrize(
    ("column", "value", "stands"),
    [
        ("status", "kept", "'kept'::varchar"),
        ("score", 12.5, "12.50"),
        ("mood", "cross", "'cross'::mood"),
        ("seen", "2024-06-01 10:00+02", "timestamptz '2024-06-01 08:00+00'"),
        ("tags", '{"x y",z}', "ARRAY['x y', 'z']"),
        ("extra", '{"b": [1, 2.50]}', """'{"b": [1, 2.50]}'::jsonb"""),
        ("active", False, "false"),
        ("tier", None, "NULL"),
        ("tier", "", "''"),
        ("tier", 'it\'s "100%" $1 \\ ; DROP TABLE customers', "E'it''s \"100%\" $1 \\\\ ; DROP TABLE customers'"),
    ],
)
async def test_values_of_every_type_arrive_as_they_are(world: World, column, value, stands):
    await world.makes(setting("public.customers", IDS, **{column: value}))
    found = world.run(f"SELECT count(*) FROM customers WHERE id <= 3 AND {column} IS NOT DISTINCT FROM {stands}")
    assert found == [(3,)]
    assert world.run("SELECT count(*) FROM customers") == [(20,)]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        (where("id", "eq", 3), [3]),
        (where("id", "gte", 19), [19, 20]),
        (where("id", "in", (2, 5, 99)), [2, 5]),
        (where("name", "eq", "Customer 4"), [4]),
        (where("seen", "lt", "2024-01-03"), [1]),
        (where("score", "gt", 19), [19, 20]),
        (where("ssn", "is_null"), []),
        (where("id", "lt", 3), [1, 2]),
    ],
)
async def test_conditions_of_every_kind_choose_their_rows(world: World, condition, rows):
    shown = await world.shows(setting("public.customers", condition, tier="gold"))
    assert [row[0] for row in shown.before] == rows


async def test_conditions_are_joined_by_and(world: World):
    change = setting("public.customers", where("status", "ne", "open"), where("id", "not_in", (1, 3)), IDS, tier="x")
    assert [row[0] for row in (await world.shows(change)).before] == []
    change = setting("public.customers", where("status", "eq", "closed"), where("id", "not_in", (1,)), IDS, tier="x")
    assert [row[0] for row in (await world.shows(change)).before] == [3]


async def test_rounding_and_rows_that_are_so_already_are_said(world: World):
    shown = await world.shows(setting("public.customers", IDS, score=1.005, tier="silver"))
    assert any("rounded to 1.01" in warning for warning in shown.warnings)
    same = await world.shows(setting("public.customers", IDS, tier="silver"))
    assert "3 rows have these values already." in same.warnings


async def test_a_text_that_stands_in_no_row_of_a_column_of_labels_is_said(world: World):
    assert (await world.shows(setting("public.customers", IDS, tier="bronze"))).warnings == ()  # one value is no set
    world.run("INSERT INTO customers (id, name, tier) SELECT i, 'N', 'gold' FROM generate_series(21, 24) AS i")
    assert (await world.shows(setting("public.customers", IDS, tier="gold"))).warnings == ()
    new = await world.shows(setting("public.customers", IDS, tier="bronze", email="x@y.z", mood="cross"))
    assert new.warnings == ("“bronze” stands in no row of tier today; “gold” and “silver” do.",)
    kept_back = await (await world.engine()).preview(
        setting("public.customers", IDS, tier="bronze"), replace(TERMS, shows_values=False)
    )
    assert kept_back.warnings == ("“bronze” stands in no row of tier today.",)
    world.declared = {"columns": {"mask": ["public.customers.tier"]}}
    assert (await world.shows(setting("public.customers", IDS, tier="bronze"))).warnings == ()


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (setting("public.orders", where("id", "eq", 1), amount=1), "update_refused", "not open to updates"),
        (setting("public.customers", IDS, name="x"), "update_refused", "name of public.customers is not open"),
        (setting("public.customers", where("nme", "eq", "x"), tier="x"), "update_refused", "no column 'nme'"),
        (setting("public.customers", where("id", "in", ()), tier="x"), "update_refused", "list for id is empty"),
        (setting("public.customers", where("id", "eq", None), tier="x"), "update_refused", "empty value"),
        (setting("public.customers", IDS, status="much too long"), "update_refused", "longer than"),
        (setting("public.customers", IDS, active=None), "update_refused", "must not be empty"),
        (setting("public.customers", IDS, mood="happy"), "update_refused", "for mood does not fit: it is no"),
        (
            setting("public.customers", IDS, tier="x", score="much"),
            "update_refused",
            "for score does not fit: it is no",
        ),
        (
            setting("public.customers", IDS, seen="2026-02-30"),
            "update_refused",
            "for seen .*no timestamp with",
        ),
        (setting("public.customers", IDS, tier="a\0b"), "update_refused", "zero byte"),
        (setting("public.customers", where("id", "eq", "abc"), tier="x"), "update_refused", "does not fit"),
        (setting("public.customers", where("id", "gt", 0), tier="x"), "too_many_rows", "20 rows"),
    ],
)
async def test_what_is_not_open_or_does_not_fit_is_refused_before_anybody_is_asked(world: World, change, code, says):
    with pytest.raises(CallError, match=says) as refused:
        await world.shows(change)
    assert refused.value.code == code


async def test_a_length_is_known_however_deep_it_is_declared(world: World):
    world.run(
        "CREATE DOMAIN short AS varchar(3); CREATE DOMAIN shorter AS short CHECK (value <> 'bad');"
        "CREATE DOMAIN tenths AS numeric(4, 1); CREATE DOMAIN share AS tenths;"
        "ALTER TABLE customers ADD code shorter, ADD part share, ADD label name;"
    )
    world.declared = {"updates": [{**UPDATES[0], "columns": ["code", "part", "label"]}]}
    for change, says in (
        ({"code": "abcd"}, "longer than public.shorter holds"),
        ({"code": "bad"}, "constraint of the database forbids it"),
        ({"label": "x" * 64}, "longer than name holds"),
    ):
        with pytest.raises(CallError, match=says):
            await world.shows(setting("public.customers", IDS, **change))
    shown = await world.shows(setting("public.customers", IDS, part=1.25, label="x" * 63, code="abc"))
    assert shown.warnings == ("part is rounded to 1.3, as public.share holds it.",)


@pytest.mark.parametrize("value", ["now", "Today", "tomorrow 08:00"])
async def test_a_moment_that_moves_is_refused_instead_of_drifting_away_from_its_preview(world: World, value):
    with pytest.raises(CallError, match="another moment whenever it is read"):
        await world.shows(setting("public.customers", IDS, seen=value))
    await world.makes(setting("public.customers", IDS, tier=value))  # a text is a text


async def test_no_manifest_lifts_the_ceiling_of_rows(world: World):
    world.declared = {"updates": [{"table": "public.customers", "columns": ["tier"], "max_rows": 900, "approvers": {}}]}
    world.limits = DEFAULT.override({"update_rows": 4})
    with pytest.raises(CallError, match=r"20 rows of public\.customers fit; at most 4"):
        await world.shows(setting("public.customers", where("id", "gt", 0), tier="x"))


async def test_denied_columns_do_not_exist_and_masked_ones_tell_nothing(world: World):
    world.declared = {"columns": {"deny": ["public.customers.ssn"], "mask": ["public.customers.email"]}}
    with pytest.raises(CallError, match="no column 'ssn'"):
        await world.shows(setting("public.customers", where("ssn", "eq", "secret 1"), tier="x"))
    with pytest.raises(CallError, match="email is masked"):
        await world.shows(setting("public.customers", where("email", "eq", "c1@x.com"), tier="x"))
    shown = await world.shows(setting("public.customers", IDS, email="n@x.com"))
    assert shown.masked == {"email"}
    world.run("ALTER TABLE customers ADD loud text GENERATED ALWAYS AS (upper(ssn)) STORED")
    world.declared["columns"]["deny"] = ["public.customers.ssn", "public.customers.loud"]
    assert (await world.shows(setting("public.customers", IDS, email="n@x.com"))).warnings == ()
    receipt = await world.makes(setting("public.customers", IDS, email="n@x.com"))
    assert "secret" not in str((await world.effect()).images)
    assert receipt.before[0] == (1, "c1@x.com")


async def test_a_key_that_is_not_open_is_refused_without_its_name(world: World):
    world.declared = {"columns": {"deny": ["public.customers.id"]}}
    with pytest.raises(CallError, match=r"primary key of public\.customers is not open here"):
        await world.shows(setting("public.customers", where("name", "eq", "Customer 1"), tier="x"))


async def test_undoing_gives_back_what_stood_there_and_only_where_nothing_changed_since(world: World):
    await world.makes(setting("public.customers", where("id", "eq", 2), tier="gold", tags="{z}", extra='{"z": 0}'))
    engine = await world.engine()
    undo = engine.undoing(await world.effect())
    shown = await engine.preview(undo, TERMS)
    assert shown.after == ((2, "silver", "{a,b}", '{"n": 1.50}'),)
    world.run("UPDATE customers SET tier = tier WHERE id = 2")
    with pytest.raises(CallError, match=r"1 row \(id 2\) was written again with the same values"):
        await engine.perform(undo, TERMS, shown.fingerprint, world.call())
    with pytest.raises(CallError, match="changed since"):
        await engine.preview(undo, TERMS)


async def test_undoing_is_bounded_by_what_may_be_changed_at_once_by_now(world: World):
    await world.makes(setting("public.customers", IDS, tier="gold"))
    undo = (await world.engine()).undoing(await world.effect())
    before = await (await world.engine()).preview(undo, TERMS)
    world.declared = {"updates": [{**UPDATES[0], "max_rows": 2}]}
    engine = await world.engine()
    with pytest.raises(CallError, match="has 3 rows; by now at most 2 may be changed at once") as refused:
        await engine.preview(undo, TERMS)
    assert refused.value.code == "too_many_rows" and "new changes of fewer rows" in refused.value.hint
    with pytest.raises(CallError):
        await engine.perform(undo, TERMS, before.fingerprint, world.call())
    assert list(world.column("tier").values()).count("gold") == 3
    world.declared = {"updates": [{**UPDATES[0], "max_rows": 3}]}
    assert len((await (await world.engine()).preview(undo, TERMS)).after) == 3


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        (where("score", "eq", "abc"), "The condition on score does not fit: it is no numeric"),
        (where("mood", "in", ("calm", "happy")), "The condition on mood does not fit: it is no public.mood"),
        (where("active", "eq", "perhaps"), "The condition on active does not fit: it is no boolean"),
        (where("seen", "gt", "2024-13-45"), "The condition on seen does not fit: it is no timestamp"),
        (where("extra", "eq", "{not json"), "The condition on extra does not fit: it is no jsonb"),
    ],
    ids=lambda value: getattr(value, "column", ""),
)
async def test_a_condition_that_does_not_fit_is_named(world: World, condition: Condition, says: str):
    with pytest.raises(CallError) as refused:
        await world.shows(setting("public.customers", where("id", "gte", 0), condition, tier="gold"))
    assert refused.value.code == "update_refused" and refused.value.retryable
    assert refused.value.message.startswith(says)


async def test_a_condition_on_a_column_that_nothing_compares_is_named(world: World):
    world.run("ALTER TABLE customers ADD COLUMN place point")
    with pytest.raises(CallError, match="The condition on place does not fit: point can't be compared so"):
        await world.shows(setting("public.customers", where("place", "eq", "(1,2)"), tier="gold"))


async def test_undoing_is_a_change_with_a_receipt_of_its_own(world: World):
    before = world.run("SELECT md5(string_agg(c::text, '' ORDER BY id)) FROM customers AS c")
    await world.makes(setting("public.customers", IDS, tier="gold", score=99, seen=None))
    engine = await world.engine()
    undo = engine.undoing(await world.effect())
    shown = await engine.preview(undo, TERMS)
    receipt = await engine.perform(undo, TERMS, shown.fingerprint, world.call())
    assert world.run("SELECT md5(string_agg(c::text, '' ORDER BY id)) FROM customers AS c") == before
    assert receipt.id != undo.restore.receipt  # type: ignore[union-attr]


async def test_rows_that_nobody_could_hold_never_leave_the_server(world: World):
    world.run("UPDATE customers SET tags = ARRAY[repeat('x', 9000000)], extra = to_jsonb(repeat('y', 9000000))")
    with pytest.raises(CallError, match="bytes together") as refused:
        await world.shows(setting("public.customers", IDS, tags="{}"))
    assert refused.value.code == "too_many_rows"
    assert len((await world.shows(setting("public.customers", IDS, tier="gold"))).before) == 3


async def test_a_long_value_that_changes_beside_is_seen_by_its_digest(world: World):
    world.run("UPDATE customers SET extra = to_jsonb(repeat('y', 9000)) WHERE id = 1")
    engine, change = await world.engine(), setting("public.customers", IDS, tier="gold")
    seen = await engine.preview(change, TERMS)
    world.run("UPDATE customers SET extra = to_jsonb(repeat('y', 8999) || 'z') WHERE id = 1")
    with pytest.raises(CallError, match="extra"):
        await engine.previewed(change, TERMS, seen.fingerprint)

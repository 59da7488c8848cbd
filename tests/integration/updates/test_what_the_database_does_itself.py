"""Rules, triggers, policies, keys, partitions, cascades and generated columns: refused, or shown and held to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.errors import CallError
from tests.integration.updates.conftest import IDS, TERMS, World, setting, where

TRIGGER = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$;
CREATE TRIGGER {name} {moment} UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION {name}();
"""
GOLD = setting("public.customers", IDS, tier="gold")


def trigger(body: str, moment: str = "BEFORE", name: str = "stamp") -> str:
    return TRIGGER.replace("{name}", name).replace("{body}", body).replace("{moment}", moment)


def opened(table: str, *columns: str) -> list[dict]:
    return [{"table": table, "columns": list(columns), "approvers": {"users": ["U0ANN"]}}]


REFUSED = {
    "a view": (
        "CREATE VIEW v AS SELECT id, tier FROM customers;"
        "GRANT SELECT, UPDATE ON v TO {writer}; GRANT SELECT ON v TO {reader}",
        "v", "tier", "is a view",
    ),
    "no key": (
        "CREATE TABLE v (id int, tier text); GRANT SELECT, UPDATE ON v TO {writer}; GRANT SELECT ON v TO {reader}",
        "v", "tier", "no primary key",
    ),
    "partitions": (
        "CREATE TABLE v (id int PRIMARY KEY, tier text) PARTITION BY RANGE (id);"
        "CREATE TABLE v1 PARTITION OF v DEFAULT;"
        "GRANT SELECT, UPDATE ON v TO {writer}; GRANT SELECT ON v TO {reader}",
        "v", "tier", "partitioned",
    ),
    "children": (
        "CREATE TABLE v (id int PRIMARY KEY, tier text); CREATE TABLE w () INHERITS (v);"
        "GRANT SELECT, UPDATE ON v, w TO {writer}; GRANT SELECT ON v, w TO {reader}",
        "v", "tier", "family of tables",
    ),
    "a rule": (
        "CREATE RULE quiet AS ON UPDATE TO customers DO INSTEAD NOTHING",
        "customers", "tier", "A rule of the database (quiet)",
    ),
    "the key": ("", "customers", "id", "part of the primary key"),
    "a generated column": (
        "ALTER TABLE customers ADD COLUMN g text GENERATED ALWAYS AS (upper(tier)) STORED",
        "customers", "g", "computed by the database",
    ),
    "an identity column": (
        "ALTER TABLE customers ADD COLUMN g int GENERATED ALWAYS AS IDENTITY",
        "customers", "g", "computed by the database",
    ),
    "what others refer to": (
        "ALTER TABLE customers ADD UNIQUE (email);"
        "CREATE TABLE mails (email text REFERENCES customers (email) ON UPDATE CASCADE)",
        "customers", "email", "Other tables refer to email",
    ),
    "a right that is missing": (
        "REVOKE UPDATE ON customers FROM {writer}; GRANT UPDATE (score) ON customers TO {writer}",
        "customers", "tier", "may not change tier",
    ),
    "a role for which triggers and keys do not hold": (
        "ALTER ROLE {writer} SET session_replication_role = replica", "customers", "tier", "works as a replica does",
    ),
    "a table that is not there": ("", "nothing", "tier", "is not open here"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=lambda name: name.replace(" ", "_"))
async def test_what_cannot_be_shown_exactly_is_refused(world: World, case: str):
    sql, table, column, says = REFUSED[case]
    world.run(sql)
    world.declared = {"updates": opened(f"public.{table}", column)}
    with pytest.raises(CallError) as refused:
        await world.shows(setting(f"public.{table}", where("id", "eq", 1), **{column: "1"}))
    assert refused.value.code == "update_refused"
    assert says in refused.value.message


async def test_a_trigger_is_shown_and_one_that_changes_nothing_else_is_let_be(world: World):
    world.run("CREATE TABLE log (id int); GRANT INSERT ON log TO {writer}")
    world.run(trigger("INSERT INTO log VALUES (NEW.id); RETURN NULL;", "AFTER"))
    shown = await world.shows(GOLD)
    assert shown.warnings == ("The trigger stamp (after each row) runs too; what it does elsewhere is not shown here.",)
    await world.makes(GOLD)
    assert world.run("SELECT count(*) FROM log") == [(3,)]


async def test_a_trigger_that_writes_another_column_undoes_the_change_unless_it_is_declared(world: World):
    world.run(trigger("NEW.name := 'stamped'; RETURN NEW;"))
    with pytest.raises(CallError, match="triggers changed name as well") as refused:
        await world.makes(GOLD)
    assert refused.value.code == "update_refused"
    assert world.run("SELECT count(*) FROM customers WHERE name = 'stamped' OR tier = 'gold'") == [(0,)]
    rule = {**opened("public.customers", "tier")[0], "trigger_columns": ["name"]}
    world.declared = {"updates": [rule]}
    receipt = await world.makes(GOLD)
    assert receipt.after[0] == (1, "gold", "stamped")


async def test_what_nobody_could_notice_is_told_before_the_triggers(world: World):
    world.declared = NOT_OPEN
    world.run(
        "REVOKE SELECT ON customers FROM {writer}; GRANT SELECT (xmin, id, name, tier, status, score, mood, seen, tags,"
        "extra, email, active) ON customers TO {writer}"
    )
    for n in range(7):
        world.run(trigger("RETURN NEW;", name=f"t{n}"))
    first, *triggers = (await world.shows(GOLD)).warnings
    assert "nobody would notice" in first and len(triggers) == 7


NOT_OPEN = {"columns": {"deny": ["public.customers.ssn"]}}
WRITES_SSN = "NEW.ssn := 'stamped'; RETURN NEW;"


@pytest.mark.parametrize("moment", ["before", "after", "at the end"])
async def test_a_trigger_that_writes_a_column_that_is_not_open_undoes_the_change(world: World, moment: str):
    world.declared = NOT_OPEN
    body = "UPDATE customers SET ssn = 'stamped' WHERE id = NEW.id AND ssn <> 'stamped'; RETURN NULL;"
    made = trigger(WRITES_SSN) if moment == "before" else trigger(body, "AFTER")
    if moment == "at the end":
        made = made.replace("CREATE TRIGGER", "CREATE CONSTRAINT TRIGGER")
        made = made.replace("ON customers", "ON customers DEFERRABLE INITIALLY DEFERRED")
    world.run(made)
    with pytest.raises(CallError, match="changed a column that is not open here as well") as refused:
        await world.makes(GOLD)
    assert refused.value.code == "update_refused"
    assert "ssn" not in str(refused.value) + refused.value.hint
    assert world.run("SELECT count(*) FROM customers WHERE ssn = 'stamped' OR tier = 'gold'") == [(0,)]


async def test_a_trigger_that_leaves_the_columns_that_are_not_open_as_they_are_is_let_be(world: World):
    world.declared = NOT_OPEN
    world.run(trigger("NEW.ssn := NEW.ssn; RETURN NEW;"))
    receipt = await world.makes(GOLD)
    assert len(receipt.after) == 3 and "secret" not in str((await world.effect()).images)


async def test_what_a_trigger_may_do_to_columns_that_the_role_cannot_read_is_said_and_kept(world: World):
    world.declared = NOT_OPEN
    others = "xmin, id, name, tier, status, score, mood, seen, tags, extra, email, active"
    world.run(f"REVOKE SELECT ON customers FROM {{writer}}; GRANT SELECT ({others}) ON customers TO {{writer}}")
    world.run(trigger(WRITES_SSN))
    told = "A trigger may change them as well: nobody would notice, and Undo would not give them back."
    assert any(warning.endswith(told) for warning in (await world.shows(GOLD)).warnings)
    await world.makes(GOLD)
    assert any(str(warning).endswith(told) for warning in (await world.effect()).request["warnings"])
    world.run("DROP TRIGGER stamp ON customers")
    assert (await world.shows(GOLD)).warnings == ("3 rows have these values already.",)


async def test_a_column_that_is_not_open_and_that_triggers_may_change_is_said(world: World):
    rule = {**opened("public.customers", "tier")[0], "trigger_columns": ["ssn"]}
    world.declared = {**NOT_OPEN, "updates": [rule]}
    world.run(trigger(WRITES_SSN))
    warnings = (await world.shows(GOLD)).warnings
    assert any("lets triggers change columns that are not open here" in warning for warning in warnings)
    await world.makes(GOLD)
    assert world.run("SELECT count(*) FROM customers WHERE ssn = 'stamped'") == [(3,)]


async def test_a_trigger_that_writes_another_value_undoes_the_change(world: World):
    world.run(trigger("NEW.tier := upper(NEW.tier); RETURN NEW;"))
    with pytest.raises(CallError, match="triggers changed tier as well"):
        await world.makes(GOLD)
    assert set(world.column("tier").values()) == {"silver"}


async def test_what_a_trigger_puts_off_to_the_commit_is_looked_at_before_it(world: World):
    body = "UPDATE customers SET name = 'sneaked in' WHERE id = NEW.id AND name <> 'sneaked in'; RETURN NULL;"
    late = trigger(body, "AFTER").replace("CREATE TRIGGER", "CREATE CONSTRAINT TRIGGER")
    world.run(late.replace("ON customers", "ON customers DEFERRABLE INITIALLY DEFERRED"))
    with pytest.raises(CallError, match="own triggers changed name as well"):
        await world.makes(GOLD)
    assert set(world.column("tier").values()) == {"silver"}
    assert "sneaked in" not in world.column("name").values()


async def test_a_trigger_that_never_ends_is_ended_although_it_waits_for_the_commit(world: World):
    world.limits = replace(world.limits, update_seconds=1)
    late = trigger("PERFORM pg_sleep(3600); RETURN NULL;", "AFTER").replace(
        "CREATE TRIGGER", "CREATE CONSTRAINT TRIGGER"
    )
    world.run(late.replace("ON customers", "ON customers DEFERRABLE INITIALLY DEFERRED"))
    with pytest.raises(CallError) as refused:
        await world.makes(GOLD)
    assert refused.value.code == "timeout"
    assert (await world.effect()).state == "failed"


async def test_a_trigger_that_keeps_a_row_back_undoes_the_change(world: World):
    world.run(trigger("IF NEW.id = 2 THEN RETURN NULL; END IF; RETURN NEW;"))
    with pytest.raises(CallError, match="changed 2 of 3 rows, so it was undone"):
        await world.makes(GOLD)
    assert set(world.column("tier").values()) == {"silver"}


async def test_triggers_find_the_settings_of_their_role(world: World):
    world.run("ALTER ROLE {writer} SET timezone = 'Asia/Tokyo'; ALTER ROLE {writer} SET search_path = public")
    world.run(trigger("PERFORM 1 FROM orders; NEW.name := current_setting('timezone'); RETURN NEW;"))
    world.declared = {"updates": [{**opened("public.customers", "tier")[0], "trigger_columns": ["name"]}]}
    receipt = await world.makes(GOLD)
    assert receipt.after[0] == (1, "gold", "Asia/Tokyo")


async def test_a_trigger_that_does_not_wait_for_these_columns_is_not_mentioned(world: World):
    world.run(trigger("RETURN NEW;").replace("UPDATE ON", "UPDATE OF name ON"))
    assert (await world.shows(GOLD)).warnings == ()


async def test_generated_columns_follow_and_are_said(world: World):
    world.run("ALTER TABLE customers ADD COLUMN loud text GENERATED ALWAYS AS (upper(tier)) STORED")
    shown = await world.shows(GOLD)
    assert shown.warnings == ("loud is computed by the database and may change, too.",)
    receipt = await world.makes(GOLD)
    assert receipt.after[0] == (1, "gold", "GOLD")


async def test_row_level_security_is_said_and_hidden_rows_stop_the_change(world: World):
    world.run(
        "ALTER TABLE customers ENABLE ROW LEVEL SECURITY;"
        "CREATE POLICY see ON customers FOR SELECT USING (true);"
        "CREATE POLICY change ON customers FOR UPDATE USING (id <> 2)"
    )
    shown = await world.shows(GOLD)
    assert any("Row-level security" in warning for warning in shown.warnings)
    with pytest.raises(CallError, match="row-level security") as refused:
        await world.makes(GOLD)
    assert refused.value.code == "state_changed"
    assert set(world.column("tier").values()) == {"silver"}
    await world.makes(setting("public.customers", where("id", "in", (1, 3)), tier="gold"))


async def test_constraints_end_in_a_sentence_without_values(world: World):
    world.run("ALTER TABLE customers ADD CONSTRAINT honest CHECK (tier <> 'gold')")
    with pytest.raises(CallError, match=r"A constraint of the database forbids it \(honest\)") as refused:
        await world.makes(GOLD)
    assert refused.value.code == "update_refused"
    assert "Customer" not in refused.value.message


async def test_a_constraint_that_is_checked_at_commit_undoes_the_change(world: World):
    world.run("ALTER TABLE customers ADD CONSTRAINT one UNIQUE (tier, mood, score) DEFERRABLE INITIALLY DEFERRED")
    change = setting("public.customers", IDS, tier="gold", score=1)
    engine = await world.engine()
    seen = await engine.preview(change, TERMS)
    with pytest.raises(CallError, match="constraint") as refused:
        await engine.perform(change, TERMS, seen.fingerprint, world.call())
    assert refused.value.code == "update_refused"
    assert (await world.effect()).state == "failed"
    assert set(world.column("tier").values()) == {"silver"}


OWN_EQUALITY = """
CREATE TYPE loud;
CREATE FUNCTION loud_in(cstring) RETURNS loud AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION loud_out(loud) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE loud (INPUT = loud_in, OUTPUT = loud_out, LIKE = text, CATEGORY = 'S');
CREATE CAST (loud AS text) WITHOUT FUNCTION AS IMPLICIT;
CREATE FUNCTION loud_eq(loud, loud) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT upper($1::text) = upper($2::text)';
CREATE FUNCTION loud_ne(loud, loud) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT upper($1::text) <> upper($2::text)';
CREATE FUNCTION loud_lt(loud, loud) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT upper($1::text) < upper($2::text)';
CREATE FUNCTION loud_cmp(loud, loud) RETURNS int IMMUTABLE LANGUAGE sql
  AS 'SELECT CASE WHEN $1::text = $2::text THEN 0 WHEN upper($1::text) < upper($2::text) THEN -1 ELSE 1 END';
CREATE OPERATOR = (FUNCTION = loud_eq, LEFTARG = loud, RIGHTARG = loud, NEGATOR = <>);
CREATE OPERATOR <> (FUNCTION = loud_ne, LEFTARG = loud, RIGHTARG = loud, NEGATOR = =);
CREATE OPERATOR < (FUNCTION = loud_lt, LEFTARG = loud, RIGHTARG = loud);
CREATE OPERATOR CLASS loud_order DEFAULT FOR TYPE loud USING btree
  AS OPERATOR 1 <, OPERATOR 3 =, FUNCTION 1 loud_cmp(loud, loud);
ALTER TABLE customers ADD login loud;
UPDATE customers SET login = ('Login' || id)::loud;
GRANT SELECT, UPDATE ON customers TO {writer};
"""


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        (where("login", "eq", "lOGIN3"), [3]),
        (where("login", "in", ("LOGIN3", "login4")), [3, 4]),
        (where("login", "not_in", tuple(f"LOGIN{number}" for number in range(2, 21))), [1]),
        (where("login", "lt", "LOGIN10"), [1]),
    ],
)
async def test_a_type_compares_as_it_does_everywhere_else(world: World, condition, rows):
    """As citext does, whose operators live beside it: those of text, which are nearer, would tell cases apart."""
    world.run(OWN_EQUALITY)
    receipt = await world.makes(setting("public.customers", condition, tier="gold"))
    assert [row[0] for row in receipt.after] == rows


async def test_names_that_need_quotes_are_names(world: World):
    world.run(
        'CREATE TABLE "Odd ""x""; %s" ("The key" text, "part $1" int, "va\'l %" text);'
        'ALTER TABLE "Odd ""x""; %s" ADD PRIMARY KEY ("The key", "part $1");'
        "INSERT INTO \"Odd \"\"x\"\"; %s\" VALUES ('a', 1, 'old'), ('a', 2, 'old');"
        'GRANT SELECT, UPDATE ON "Odd ""x""; %s" TO {writer}; GRANT SELECT ON "Odd ""x""; %s" TO {reader}'
    )
    table = 'public.Odd "x"; %s'
    world.declared = {"updates": opened(table, "va'l %")}
    change = setting(table, where("part $1", "eq", 2), **{"va'l %": "new"})
    receipt = await world.makes(change)
    assert receipt.before == (("a", 2, "old"),)
    assert world.run('SELECT * FROM "Odd ""x""; %s" ORDER BY 2') == [("a", 1, "old"), ("a", 2, "new")]


async def test_a_check_says_of_each_table_whether_its_role_can_change_it(world: World):
    world.declared = {"updates": [*opened("public.customers", "tier"), *opened("public.orders", "amount")]}
    engine = await world.engine()
    world.run(trigger("RETURN NEW;"))
    (warning,) = await engine.fit("public.customers")
    assert "The trigger stamp" in warning
    with pytest.raises(CallError, match="may not change amount"):
        await engine.fit("public.orders")

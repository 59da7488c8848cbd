"""A role that may do more than read is refused, and the script that mends it does so."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pytest

from runtime.errors import CallError
from tests.integration.postgresql.conftest import PASSWORD, Database, Opener

TOO_MUCH = [
    ("GRANT UPDATE ON orders TO {role}", 'may UPDATE on table "public"."orders"'),
    ("GRANT INSERT, DELETE, TRUNCATE ON orders TO {role}", 'may TRUNCATE on table "public"."orders"'),
    ("GRANT UPDATE (note) ON orders TO {role}", 'may UPDATE (note) on table "public"."orders"'),
    ("GRANT DELETE ON orders TO PUBLIC", 'may DELETE on table "public"."orders", as PUBLIC'),
    ("CREATE SEQUENCE s; GRANT USAGE ON SEQUENCE s TO {role}", 'may USAGE on sequence "public"."s"'),
    ("GRANT CREATE ON SCHEMA public TO {role}", 'may CREATE on schema "public"'),
    ("CREATE SCHEMA other; GRANT CREATE ON SCHEMA other TO PUBLIC", 'may CREATE on schema "other", as PUBLIC'),
    ("ALTER ROLE {role} CREATEDB CREATEROLE", "has the attribute CREATEROLE"),
    ("ALTER ROLE {role} REPLICATION", "has the attribute REPLICATION"),
    ("GRANT pg_read_server_files TO {role}", "is a member of pg_read_server_files"),
    ("GRANT pg_execute_server_program TO {role}", "is a member of pg_execute_server_program"),
    ("GRANT pg_write_all_data TO {role}", "is a member of pg_write_all_data"),
    ("GRANT pg_signal_backend TO {role}", "is a member of pg_signal_backend"),
    ("GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {role}", "may EXECUTE on function pg_read_file(text)"),
    ("GRANT EXECUTE ON FUNCTION lo_export(oid, text) TO PUBLIC",
     "may EXECUTE on function lo_export(oid,text), as PUBLIC"),
    ("SELECT lo_create(4711); GRANT UPDATE ON LARGE OBJECT 4711 TO {role}", "may UPDATE on large object 4711"),
    ("SELECT lo_create(4711); GRANT UPDATE ON LARGE OBJECT 4711 TO PUBLIC",
     "may UPDATE on large object 4711, as PUBLIC"),
    ("SELECT lo_create(4711); ALTER LARGE OBJECT 4711 OWNER TO {role}", "owns large object 4711"),
    ("GRANT ALTER SYSTEM ON PARAMETER log_statement TO {role}", 'may ALTER SYSTEM on parameter "log_statement"'),
    ("GRANT ALTER SYSTEM ON PARAMETER \"my.odd\" TO PUBLIC", 'may ALTER SYSTEM on parameter "my"."odd", as PUBLIC'),
    ("CREATE SCHEMA other; CREATE TABLE other.own (id int); ALTER TABLE other.own OWNER TO {role}",
     'owns table "other"."own"'),
    ("ALTER TABLE orders OWNER TO {role}", 'owns table "public"."orders"'),
    ("ALTER ROLE {role} SUPERUSER", "has the attribute SUPERUSER"),
]  # fmt: skip


async def refusal(open_engine: Opener, database: Database) -> CallError:
    engine = await open_engine(database)
    with pytest.raises(CallError) as caught:
        await engine.read("SELECT count(*) FROM orders", seconds=10, rows_kept=5)
    return caught.value


async def test_a_role_that_may_only_read_is_fit(shop: Database, open_engine: Opener):
    checked = await (await open_engine(shop)).check()
    assert checked.unreachable == ""
    assert checked.tables == 5
    assert checked.rights is not None
    assert checked.rights.fit
    assert checked.rights.script == ""


@pytest.mark.parametrize(("grant", "problem"), TOO_MUCH)
async def test_a_role_that_may_do_more_is_refused_and_the_script_mends_it(
    grant: str, problem: str, shop: Database, open_engine: Opener
):
    shop.run(grant)
    error = await refusal(open_engine, shop)
    assert (error.code, error.retryable) == ("source_unavailable", False)
    assert shop.role not in str(error.as_json())
    source = f"crm_{shop.role}"
    own_role = f"footnote_{source}"
    rights = (await (await open_engine(shop, id=source)).check()).rights
    assert rights is not None
    assert any(f"{rights.role} {problem}" == told for told in rights.problems), rights.problems
    shop.run(rights.script)
    mended = shop
    if "CREATE ROLE" in rights.script:
        shop.run(f"ALTER ROLE {own_role} PASSWORD '{PASSWORD}'")
        mended = Database(shop.owner, shop.address(own_role), own_role)
    try:
        engine = await open_engine(mended)
        after = await engine.check()
        assert after.rights is not None
        assert after.rights.problems == ()
        assert after.tables == 5
        assert (await engine.read("SELECT count(*) FROM orders", seconds=10, rows_kept=5)).rows == ((240,),)
        await engine.close()
    finally:
        if mended is not shop:
            shop.run(f"DROP OWNED BY {own_role}; DROP ROLE {own_role}; REASSIGN OWNED BY {{role}} TO current_user")


async def test_what_comes_by_membership_goes_with_it_and_reading_stays(shop: Database, open_engine: Opener):
    far, near = f"{shop.role}_far", f"{shop.role}_near"
    shop.run(f"""
        CREATE ROLE {far}; CREATE ROLE {near}; ALTER ROLE {{role}} INHERIT;
        GRANT {far} TO {near}; GRANT {near} TO {{role}};
        GRANT UPDATE ON orders TO {far};
        REVOKE SELECT ON orders FROM {{role}}; GRANT SELECT ON orders TO {near}
    """)
    try:
        assert (await refusal(open_engine, shop)).code == "source_unavailable"
        rights = (await (await open_engine(shop)).check()).rights
        assert rights is not None
        assert rights.problems == (f'{shop.role} may UPDATE on table "public"."orders", as {far}',)
        shop.run(rights.script)
        engine = await open_engine(shop)
        assert (await engine.read("SELECT count(*) FROM orders", seconds=10, rows_kept=5)).rows == ((240,),)
    finally:
        shop.run(f"DROP OWNED BY {far}, {near}; DROP ROLE {far}, {near}")


async def test_a_role_that_gets_too_much_later_is_refused_from_the_next_look_on(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    await engine.structure()
    shop.run("GRANT UPDATE ON orders TO {role}")
    with pytest.raises(CallError, match="may do more than read"):
        await engine.read("SELECT count(*) FROM nowhere", seconds=10, rows_kept=5)
    shop.run("REVOKE UPDATE ON orders FROM {role}")
    assert (await engine.read("SELECT count(*) FROM orders", seconds=10, rows_kept=5)).rows == ((240,),)


async def test_a_table_with_columns_of_which_some_are_open_keeps_exactly_these(shop: Database, open_engine: Opener):
    shop.run("GRANT UPDATE ON orders TO {role}; REVOKE SELECT ON customers FROM {role};"
             "GRANT SELECT (id, region) ON customers TO {role}")  # fmt: skip
    rights = (await (await open_engine(shop)).check()).rights
    assert rights is not None
    assert f'GRANT SELECT ("id", "region") ON TABLE "public"."customers" TO "{shop.role}";' in rights.script


LIKE_ITS_OWNER = """
    CREATE FUNCTION pay() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT max(amount) FROM salaries';
    CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN NEW; END'
"""


@pytest.mark.parametrize(
    ("grant", "told"),
    [
        ("ALTER ROLE {role} BYPASSRLS", "has the attribute BYPASSRLS"),
        ("GRANT pg_read_all_data TO {role}", "is a member of pg_read_all_data"),
        ("SELECT lo_create(4712); GRANT SELECT ON LARGE OBJECT 4712 TO PUBLIC", "may read 1 large object, 4712, which"),
        (
            "SELECT lo_create(4711), lo_create(4712); GRANT SELECT ON LARGE OBJECT 4711, 4712 TO {role}",
            "may read 2 large objects, 4711 among them, which",
        ),
        ("GRANT SET ON PARAMETER zero_damaged_pages TO {role}", "may set for itself what only superusers may: zero_"),
        (LIKE_ITS_OWNER, "may run with their owners' rights (SECURITY DEFINER): pay()."),
    ],
)
async def test_what_only_the_guard_keeps_from_a_role_is_said(
    grant: str, told: str, shop: Database, open_engine: Opener
):
    shop.run(grant)
    rights = (await (await open_engine(shop)).check()).rights
    assert rights is not None
    assert rights.fit
    (remark,) = rights.remarks
    assert remark.startswith(f"{rights.role} {told}")


async def test_a_name_with_a_line_break_does_not_end_a_comment_of_the_script(shop: Database, open_engine: Opener):
    odd = f"{shop.role}\nDROP TABLE orders; --"
    shop.run(f'GRANT UPDATE ON orders TO {{role}}; ALTER ROLE {{role}} RENAME TO "{odd}"')
    shop.run(f"ALTER ROLE \"{odd}\" PASSWORD '{PASSWORD}'")
    try:
        rights = (await (await open_engine(shop.address(quote(odd, safe="")))).check()).rights
        assert rights is not None
        shop.run(rights.script)
        assert shop.run("SELECT count(*) FROM orders") == [(240,)]
        assert (await (await open_engine(shop.address(quote(odd, safe="")))).check()).rights == replace(
            rights, problems=(), script=""
        )
    finally:
        shop.run(f'ALTER ROLE "{odd}" RENAME TO {{role}}')

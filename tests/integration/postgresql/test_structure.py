"""What introspection tells of a database, and what of it exists for Footnote."""

from __future__ import annotations

import pytest

from runtime.catalog import CatalogColumn, ForeignKey, TableKind
from runtime.errors import CallError
from tests.integration.postgresql.conftest import Database, Opener

WIDE = """
CREATE TABLE shops (
  country text, number int, name text NOT NULL UNIQUE, code varchar(8), full_name text GENERATED ALWAYS AS (upper(name))
  STORED, serial int GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (country, number));
CREATE UNIQUE INDEX by_code ON shops (code);
CREATE UNIQUE INDEX by_part ON shops (serial) WHERE number > 5;
CREATE UNIQUE INDEX by_expression ON shops (lower(name));
CREATE TABLE sales (id int PRIMARY KEY, shop_number int, shop_country text, at_ date,
  CONSTRAINT of_shop FOREIGN KEY (shop_country, shop_number) REFERENCES shops (country, number));
CREATE TABLE events (id int, day date NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO events SELECT i, '2024-03-01' FROM generate_series(1, 500) AS i;
CREATE VIEW recent AS SELECT s.id FROM sales s JOIN shops USING (name) JOIN events_2024 e ON e.id = s.id;
"""


async def test_the_structure_holds_what_the_catalogue_says(empty: Database, open_engine: Opener):
    empty.run(WIDE.replace("JOIN shops USING (name)", "JOIN shops ON shop_number = number"))
    empty.run("""
        CREATE MATERIALIZED VIEW per_shop AS SELECT shop_number, count(*) AS n FROM sales GROUP BY 1;
        CREATE EXTENSION IF NOT EXISTS plpgsql; COMMENT ON VIEW recent IS 'The newest';
        COMMENT ON COLUMN shops.code IS 'As printed'; ANALYZE;
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}
    """)
    structure = await (await open_engine(empty)).structure()
    tables = structure.by_id
    assert list(tables) == sorted(f"public.{name}" for name in ("events", "per_shop", "recent", "sales", "shops"))
    shops = tables["public.shops"]
    assert shops.columns == (
        CatalogColumn("country", "text", False),
        CatalogColumn("number", "integer", False),
        CatalogColumn("name", "text", False),
        CatalogColumn("code", "character varying(8)", True, "As printed"),
        CatalogColumn("full_name", "text", True, generated=True),
        CatalogColumn("serial", "integer", False),
    )
    assert shops.primary_key == ("country", "number")
    assert shops.unique == (("code",), ("name",))
    assert tables["public.sales"].foreign_keys == (
        ForeignKey("of_shop", ("shop_country", "shop_number"), "public.shops", ("country", "number")),
    )
    assert tables["public.events"].kind is TableKind.PARTITIONED
    assert tables["public.events"].rows_estimate == 500
    assert tables["public.per_shop"].kind is TableKind.MATERIALIZED_VIEW
    recent = tables["public.recent"]
    assert (recent.kind, recent.comment, recent.rows_estimate) == (TableKind.VIEW, "The newest", None)
    assert recent.reads == ("public.events", "public.sales", "public.shops")


async def test_a_foreign_table_is_one(empty: Database, open_engine: Opener):
    empty.run("""
        CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER far FOREIGN DATA WRAPPER nothing;
        CREATE FOREIGN TABLE far_away (a int) SERVER far; GRANT SELECT ON far_away TO {role}
    """)
    structure = await (await open_engine(empty)).structure()
    assert structure.by_id["public.far_away"].kind is TableKind.FOREIGN


async def test_what_the_manifest_denies_does_not_exist(shop: Database, open_engine: Opener):
    engine = await open_engine(
        shop, tables={"deny": ["public.salaries"]}, columns={"deny": ["*.email"], "mask": ["*.name"]}
    )
    tables = (await engine.structure()).by_id
    assert list(tables) == ["public.big_orders", "public.customers", "public.orders"]
    customers = tables["public.customers"]
    assert [(column.name, column.masked) for column in customers.columns] == [
        ("id", False),
        ("name", True),
        ("region", False),
    ]
    result = await engine.read("SELECT * FROM customers WHERE id = 1", seconds=10, rows_kept=5)
    assert result.rows == ((1, "Customer 1", "South"),)
    assert result.masked == ("name",)
    for sql in ("SELECT * FROM salaries", "SELECT * FROM paid", "SELECT email FROM customers"):
        with pytest.raises(CallError) as caught:
            await engine.read(sql, seconds=10, rows_kept=5)
        assert "4242" not in str(caught.value.as_json())
        assert "example.com" not in str(caught.value.as_json())


async def test_a_column_that_comes_later_and_is_denied_is_never_read(shop: Database, open_engine: Opener):
    engine = await open_engine(shop, columns={"deny": ["*.ssn"]})
    await engine.structure()
    shop.run("ALTER TABLE customers ADD ssn text DEFAULT '123-45-6789'")
    result = await engine.read("SELECT * FROM customers WHERE id = 1", seconds=10, rows_kept=5)
    assert "123-45-6789" not in str(result.rows)


async def test_what_the_role_may_not_read_does_not_exist(shop: Database, open_engine: Opener):
    shop.run("""
        REVOKE SELECT ON salaries, customers FROM {role}; GRANT SELECT (id, name) ON customers TO {role};
        CREATE SCHEMA closed; CREATE TABLE closed.t (a int); GRANT SELECT ON closed.t TO {role}
    """)
    engine = await open_engine(shop, schemas=["public", "closed"])
    tables = (await engine.structure()).by_id
    # A view is its owner's way to show what the role may not read itself.
    assert list(tables) == ["public.big_orders", "public.customers", "public.orders", "public.paid"]
    assert [column.name for column in tables["public.customers"].columns] == ["id", "name"]
    assert tables["public.paid"].reads == ("public.orders",)
    result = await engine.read("SELECT * FROM customers WHERE id = 1", seconds=10, rows_kept=5)
    assert result.rows == ((1, "Customer 1"),)


async def test_several_schemas_and_difficult_names(empty: Database, open_engine: Opener):
    empty.run("""
        CREATE SCHEMA "Sales Team"; CREATE TABLE "Sales Team"."Größe ""x"" y" ("select" int);
        INSERT INTO "Sales Team"."Größe ""x"" y" VALUES (5);
        CREATE TABLE a (b int); CREATE TABLE elsewhere (c int);
        GRANT USAGE ON SCHEMA "Sales Team" TO {role};
        GRANT SELECT ON "Sales Team"."Größe ""x"" y", a, elsewhere TO {role}
    """)
    engine = await open_engine(empty, schemas=["Sales Team", "public"])
    assert 'Sales Team.Größe "x" y' in (await engine.structure()).by_id
    result = await engine.read('SELECT "select" FROM "Sales Team"."Größe ""x"" y"', seconds=10, rows_kept=5)
    assert result.rows == ((5,),)


async def test_a_table_that_others_inherit_from_is_admitted_with_all_of_them(empty: Database, open_engine: Opener):
    empty.run("""
        CREATE TABLE people (id int); CREATE TABLE secret_people (code int) INHERITS (people);
        GRANT SELECT ON people, secret_people TO {role}
    """)
    engine = await open_engine(empty, tables={"deny": ["public.secret_people"]})
    assert (await engine.structure()).tables == ()


async def test_a_view_that_calls_a_function_which_may_read_anything_does_not_exist(
    empty: Database, open_engine: Opener
):
    empty.run("""
        CREATE TABLE t (a int); CREATE TABLE hidden (b int);
        CREATE FUNCTION peek() RETURNS int STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT max(b) FROM hidden';
        CREATE VIEW v AS SELECT a, peek() AS p FROM t; GRANT SELECT ON t, v TO {role}
    """)
    assert list((await (await open_engine(empty)).structure()).by_id) == ["public.t"]


async def test_a_view_that_calls_such_a_function_as_an_operator_or_aggregate_does_not_exist(
    empty: Database, open_engine: Opener
):
    empty.run("""
        CREATE TABLE t (a int); CREATE TABLE hidden (b int);
        CREATE FUNCTION peek(int) RETURNS int STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT max(b) FROM hidden';
        CREATE FUNCTION add(int, int) RETURNS int STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT max(b) FROM hidden';
        CREATE OPERATOR !# (RIGHTARG = int, FUNCTION = peek);
        CREATE AGGREGATE spy(int) (SFUNC = add, STYPE = int);
        CREATE VIEW v AS SELECT !# a AS p FROM t; CREATE VIEW w AS SELECT spy(a) AS p FROM t;
        CREATE VIEW sound AS SELECT sum(a) AS n, now() AS seen FROM t; GRANT SELECT ON t, v, w, sound TO {role}
    """)
    assert list((await (await open_engine(empty)).structure()).by_id) == ["public.sound", "public.t"]


LIES = {
    "a function in SQL": "CREATE VIEW v AS SELECT a, peek() AS p FROM t",
    "a function in plpgsql": "CREATE VIEW v AS SELECT a, spell() AS p FROM t",
    "an operator": "CREATE OPERATOR !# (RIGHTARG = int, FUNCTION = of); CREATE VIEW v AS SELECT !# a AS p FROM t",
    "an aggregate": "CREATE AGGREGATE spy(int) (SFUNC = add, STYPE = int); CREATE VIEW v AS SELECT spy(a) AS p FROM t",
    "a window": "CREATE AGGREGATE spy(int) (SFUNC = add, STYPE = int);"
    "CREATE VIEW v AS SELECT spy(a) OVER () AS p FROM t",
    "a condition": "CREATE VIEW v AS SELECT a FROM t WHERE a < peek()",
    "a subquery": "CREATE VIEW v AS SELECT a FROM t WHERE a IN (SELECT peek())",
    "a materialized view": "CREATE MATERIALIZED VIEW v AS SELECT a, peek() AS p FROM t",
    "a query of the database itself": "CREATE VIEW v AS SELECT a, query_to_xml('TABLE hidden', true, true, '') FROM t",
    "a table as XML": "CREATE VIEW v AS SELECT a, table_to_xml('hidden', true, true, '') FROM t",
    "a large object": "CREATE VIEW v AS SELECT a, lo_get(a::oid) AS p FROM t",
    "statistics of other tables": "CREATE VIEW v AS SELECT a, s.most_common_vals::text FROM t, pg_stats AS s",
}


@pytest.mark.parametrize("lie", LIES, ids=lambda name: name.replace(" ", "_"))
async def test_a_view_is_not_open_whatever_its_owner_declares_of_what_it_calls(
    lie: str, empty: Database, open_engine: Opener
):
    empty.run(f"""
        CREATE TABLE t (a int); CREATE TABLE hidden (b int);
        CREATE FUNCTION peek() RETURNS int IMMUTABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT max(b) FROM hidden';
        CREATE FUNCTION of(int) RETURNS int IMMUTABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT max(b) FROM hidden';
        CREATE FUNCTION add(int, int) RETURNS int IMMUTABLE SECURITY DEFINER LANGUAGE sql
          AS 'SELECT max(b) FROM hidden';
        CREATE FUNCTION spell() RETURNS int IMMUTABLE SECURITY DEFINER LANGUAGE plpgsql
          AS 'BEGIN RETURN (SELECT max(b) FROM hidden); END';
        {LIES[lie]}; GRANT SELECT ON t, v TO {{role}}
    """)
    structure = await (await open_engine(empty)).structure()
    assert list(structure.by_id) == ["public.t"]
    assert [view.id for view in structure.closed] == ["public.v"]


async def test_a_view_of_what_the_database_itself_computes_is_open(empty: Database, open_engine: Opener):
    empty.run("""
        CREATE TABLE t (a int, b text, at timestamptz);
        CREATE VIEW v AS SELECT a, upper(b) || lpad(b, 9) AS b, date_trunc('month', at) AS m, now() - at AS age,
          extract(year FROM at) AS y, sum(a) OVER (ORDER BY at) AS s, to_char(at, 'YYYY') AS c, random() AS r,
          jsonb_build_object('a', a) AS j, a::text AS t, coalesce(b, 'x') AS x, b ILIKE '%z%' AS z
        FROM t WHERE a BETWEEN 1 AND 9;
        CREATE VIEW w AS SELECT count(*) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY a) AS p FROM v GROUP BY m;
        GRANT SELECT ON t, v, w TO {role}
    """)
    structure = await (await open_engine(empty)).structure()
    assert list(structure.by_id) == ["public.t", "public.v", "public.w"] and structure.closed == ()


async def test_why_a_view_is_not_open_is_told_of_no_view_that_is_closed_anyway(empty: Database, open_engine: Opener):
    empty.run("""
        CREATE TABLE t (a int); CREATE TABLE hidden (b int);
        CREATE FUNCTION peek() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 1';
        CREATE VIEW denied AS SELECT a, peek() AS p FROM t;
        CREATE VIEW over_denied AS SELECT b, peek() AS p FROM hidden;
        CREATE VIEW not_granted AS SELECT a, peek() AS p FROM t;
        GRANT SELECT ON t, hidden, denied, over_denied TO {role}
    """)
    engine = await open_engine(empty, tables={"deny": ["public.denied", "public.hidden"]})
    structure = await engine.structure()
    assert list(structure.by_id) == ["public.t"] and structure.closed == ()


async def test_a_rule_for_a_partition_or_an_heir_holds_for_the_table_that_shows_its_rows(
    empty: Database, open_engine: Opener
):
    empty.run("""
        CREATE TABLE sales (id int, buyer text) PARTITION BY LIST (id);
        CREATE TABLE sales_1 PARTITION OF sales FOR VALUES IN (1) PARTITION BY LIST (buyer);
        CREATE TABLE sales_1_ann PARTITION OF sales_1 FOR VALUES IN ('Ann');
        CREATE TABLE people (id int, ssn text); CREATE TABLE staff () INHERITS (people);
        INSERT INTO sales VALUES (1, 'Ann'); INSERT INTO staff VALUES (2, 's3cr3t');
        GRANT SELECT ON sales, people, staff TO {role}
    """)
    engine = await open_engine(empty, columns={"deny": ["public.sales_1_ann.buyer", "public.staff.ssn"]})
    for table, rows in (("sales", ((1,),)), ("people", ((2,),))):
        result = await engine.read(f"SELECT * FROM {table}", seconds=10, rows_kept=5)
        assert result.rows == rows
    closed = await open_engine(empty, tables={"deny": ["public.sales_1_ann"]})
    assert "public.sales" not in (await closed.structure()).by_id


async def test_a_rule_for_a_table_holds_for_its_heirs_and_for_columns_that_hold_its_rows(
    empty: Database, open_engine: Opener
):
    empty.run("""
        CREATE TABLE people (id int, ssn text, mail text); CREATE TABLE staff (desk text) INHERITS (people);
        CREATE TABLE "Past" (at int, who people, all_of people[]);
        INSERT INTO staff VALUES (2, 's3cr3t', 'm@x.com', 'A');
        INSERT INTO "Past" SELECT 1, p, ARRAY[p] FROM people AS p;
        GRANT SELECT ON people, staff, "Past" TO {role}
    """)
    engine = await open_engine(empty, columns={"deny": ["public.people.ssn"], "mask": ["public.people.mail"]})
    open_now = (await engine.structure()).by_id
    assert [(column.name, column.masked) for column in open_now["public.staff"].columns] == [
        ("id", False), ("mail", True), ("desk", False),
    ]  # fmt: skip
    assert [column.name for column in open_now["public.Past"].columns] == ["at"]
    for query in ("SELECT * FROM staff", 'SELECT * FROM "Past"', 'SELECT to_jsonb(p) FROM "Past" AS p'):
        assert "s3cr3t" not in str(await engine.read(query, seconds=10, rows_kept=5))
    masked = await open_engine(empty, columns={"mask": ["public.people.mail"]})
    assert [column.masked for column in (await masked.structure()).by_id["public.Past"].columns] == [False, True, True]


CHANGES = [
    "ALTER TABLE orders ADD extra int",
    "ALTER TABLE orders DROP COLUMN note CASCADE",
    "ALTER TABLE orders ALTER note TYPE varchar(100)",
    "ALTER TABLE orders ALTER note SET NOT NULL",
    "COMMENT ON COLUMN orders.note IS 'Free text'",
    "COMMENT ON TABLE orders IS NULL",
    "CREATE UNIQUE INDEX only_once ON orders (note)",
    "ALTER TABLE orders DROP CONSTRAINT orders_customer_id_fkey",
    "CREATE OR REPLACE VIEW big_orders AS SELECT id, amount FROM orders WHERE amount > 200",
    "CREATE TABLE extra (a int)",
    "DROP VIEW paid",
    "ALTER TABLE salaries RENAME TO wages",
    "REVOKE SELECT ON salaries FROM {role}",
    "GRANT SELECT (id) ON salaries TO {role}",
    "ALTER ROLE {role} CREATEDB",
    "REVOKE USAGE ON SCHEMA public FROM {role}",
]


@pytest.mark.parametrize("change", CHANGES)
async def test_every_change_of_the_structure_changes_the_fingerprint(change: str, shop: Database, open_engine: Opener):
    from runtime.engines.postgresql.connections import Connections, Session
    from runtime.engines.postgresql.introspect import fingerprint
    from runtime.engines.postgresql.values import adapters

    connections = Connections(shop.reader, adapters(), 1)

    async def now() -> str:
        async with connections.snapshot(Session(20, ("public",))) as connection:
            return await fingerprint(connection, ["public"])

    before = await now()
    shop.run("INSERT INTO salaries VALUES (2, 2, 1); ANALYZE")
    assert await now() == before
    shop.run(change)
    assert await now() != before
    await connections.close()

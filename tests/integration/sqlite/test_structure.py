"""What is known of a SQLite source's structure, what of it exists for a caller, and how a change is noticed."""

from __future__ import annotations

import os

import pytest

from runtime.catalog import ForeignKey, TableKind
from runtime.errors import CallError

from .conftest import SHOP, make, rows


async def test_tables_views_keys_and_estimates(owner, open_source) -> None:
    engine = await open_source()
    structure = await engine.structure()
    assert list(structure.by_id) == ["customers", "hidden", "leak", "orders", "spending"]  # the broken view is none
    orders, customers = structure.by_id["orders"], structure.by_id["customers"]
    assert [(c.name, c.type, c.nullable, c.generated) for c in orders.columns] == [
        ("id", "INTEGER", False, False),
        ("customer_id", "INTEGER", True, False),
        ("amount", "REAL", True, False),
        ("note", "", True, False),
        ("cents", "", True, True),
    ]
    assert orders.primary_key == ("id",)
    assert orders.foreign_keys == (ForeignKey("orders_customer_id_fkey", ("customer_id",), "customers", ("id",)),)
    assert customers.unique == (("email",),)
    assert (orders.rows_estimate, structure.by_id["spending"].rows_estimate) == (2000, None)
    assert structure.by_id["spending"].kind is TableKind.VIEW
    assert structure.by_id["spending"].reads == ("orders",)


async def test_keys_of_several_columns_in_any_case_and_keys_that_point_at_nothing(tmp_path, open_source) -> None:
    script = """
    CREATE TABLE Parts (Maker TEXT, Number INTEGER, PRIMARY KEY (Maker, Number)) WITHOUT ROWID;
    CREATE TABLE uses (maker TEXT, part INTEGER, gone INTEGER REFERENCES nowhere, UNIQUE (maker, part),
        FOREIGN KEY (maker, part) REFERENCES parts (MAKER, NUMBER), FOREIGN KEY (part, maker) REFERENCES parts);
    CREATE UNIQUE INDEX partly ON uses (part) WHERE part > 1;
    CREATE UNIQUE INDEX computed ON uses (lower(maker));
    """
    make(tmp_path / "shop.db", script).close()
    structure = await (await open_source()).structure()
    uses = structure.by_id["uses"]
    assert structure.by_id["Parts"].primary_key == ("Maker", "Number")
    assert uses.unique == (("maker", "part"),)
    assert {(key.columns, key.table, key.references) for key in uses.foreign_keys} == {
        (("maker", "part"), "Parts", ("Maker", "Number")),
        (("part", "maker"), "Parts", ("Maker", "Number")),
    }


async def test_what_is_denied_does_not_exist(owner, open_source) -> None:
    engine = await open_source(tables={"deny": ["hidden"]}, columns={"deny": ["customers.ssn"]})
    structure = await engine.structure()
    assert list(structure.by_id) == ["customers", "orders", "spending"]
    assert await rows(engine, "SELECT * FROM customers WHERE id = 1") == [[1, "name 1", "mail1@example.com"]]
    for sql in ("SELECT secret FROM hidden", "SELECT * FROM leak", "SELECT ssn FROM customers"):
        with pytest.raises(CallError) as caught:
            await rows(engine, sql)
        told = f"{caught.value.hint} {caught.value.details.get('near')}"
        assert not any(name in told for name in ("hidden", "leak", "ssn"))


async def test_masked_columns_are_named_in_the_result(owner, open_source) -> None:
    engine = await open_source(columns={"mask": ["customers.email"]})
    found = await engine.read("SELECT name, email FROM customers WHERE id = 1", seconds=30, rows_kept=5)
    assert found.rows == (("name 1", "mail1@example.com"),)
    assert "email" in found.masked
    plain = await engine.read("SELECT count(*) AS n FROM orders", seconds=30, rows_kept=5)
    assert plain.masked == ()


async def test_virtual_tables_are_left_out(tmp_path, open_source) -> None:
    make(tmp_path / "shop.db", "CREATE VIRTUAL TABLE docs USING fts5(body); CREATE TABLE t (a);").close()
    engine = await open_source()
    assert list((await engine.structure()).by_id) == ["t"]


async def test_a_new_column_is_seen_by_the_next_query(owner, open_source) -> None:
    engine = await open_source()
    first = await engine.structure()
    assert await engine.structure() is first
    owner.execute("ALTER TABLE customers ADD COLUMN tier TEXT DEFAULT 'gold'")
    assert await rows(engine, "SELECT tier FROM customers WHERE id = 1") == [["gold"]]
    assert (await engine.structure()).revision != first.revision


async def test_new_rows_do_not_change_the_structure(owner, open_source) -> None:
    engine = await open_source()
    first = await engine.structure()
    owner.execute("INSERT INTO customers (id, name) VALUES (7, 'x')")
    assert await engine.structure() is first


async def test_another_file_in_the_place_of_the_first_is_noticed(tmp_path, owner, open_source) -> None:
    engine = await open_source()
    assert await rows(engine, "SELECT count(*) AS n FROM customers") == [[5]]
    revision = (await engine.structure()).revision
    other = make(tmp_path / "new.db", SHOP)
    other.execute("DELETE FROM customers")
    other.close()
    os.replace(tmp_path / "new.db", tmp_path / "shop.db")
    assert await rows(engine, "SELECT count(*) AS n FROM customers") == [[0]]
    assert (await engine.structure()).revision == revision  # the same schema: what is kept by revision stays good


async def test_a_query_never_runs_on_a_structure_it_was_not_validated_for(owner, open_source, monkeypatch) -> None:
    engine = await open_source()
    await engine.structure()
    monkeypatch.setattr("runtime.engines.sqlite.engine._stamp", lambda path: "always the same")
    await engine.structure()
    owner.executescript("DROP VIEW broken; ALTER TABLE customers RENAME COLUMN ssn TO number")
    assert await rows(engine, "SELECT number FROM customers WHERE id = 1") == [["ssn-1"]]


async def test_a_schema_too_long_to_be_told_is_named_as_the_cause_and_the_worker_goes_on(tmp_path, open_source) -> None:
    script = "".join(f'CREATE TABLE t{number} (a "{"long " * 10_000}");' for number in range(350))
    make(tmp_path / "shop.db", f"BEGIN; {script} COMMIT;").close()
    engine = await open_source()
    with pytest.raises(CallError) as caught:
        await engine.structure()
    assert (caught.value.code, caught.value.retryable) == ("source_unavailable", False)
    assert caught.value.message == "The file of shop has a schema that takes more than 16 MiB to tell."
    (tmp_path / "shop.db").unlink()
    make(tmp_path / "shop.db").close()
    assert await rows(engine, "SELECT count(*) FROM customers") == [[5]]

"""What every type of PostgreSQL looks like once it has left the engine, the values that Python cannot hold too."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import psycopg
import pytest

from tests.integration.postgresql.conftest import Database, Opener, made

ODD = """
CREATE TYPE mood AS ENUM ('ok', 'bad');
CREATE TYPE place AS (street text, number int);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE odd (
  id int PRIMARY KEY, small int2, big int8, exact numeric, money_ numeric(20, 4), half float4, double_ float8, yes bool,
  words text, short varchar(10), fixed char(5), raw bytea, day date, at_ time, at_zone timetz, moment timestamp,
  moment_zone timestamptz, span interval, json_ json, jsonb_ jsonb, ints int[], grid int[], texts text[],
  days date[], mood_ mood, moods mood[], place_ place, positive_ positive, uuid_ uuid, net inet, range_ int4range,
  dates_ daterange, cash money, bits bit(4), spot point, vector_ tsvector);
"""

CASES = [
    ("small", "1", 1, "smallint"),
    ("big", "9007199254740993", "9007199254740993", "bigint"),
    ("big", "-5", -5, "bigint"),
    ("exact", "12345678901234567890.12", "12345678901234567890.12", "numeric"),
    ("exact", "0.1", 0.1, "numeric"),
    ("exact", "12", 12, "numeric"),
    ("exact", "'NaN'", "NaN", "numeric"),
    ("money_", "12.5", 12.5, "numeric"),
    ("half", "1.5", 1.5, "real"),
    ("double_", "'Infinity'", "inf", "double precision"),
    ("double_", "'NaN'", "nan", "double precision"),
    ("yes", "true", True, "boolean"),
    ("words", "'Grüße'", "Grüße", "text"),
    ("words", "''", "", "text"),
    ("words", "NULL", None, "text"),
    ("short", "'abc'", "abc", "character varying"),
    ("raw", r"'\xdeadbeef'", "4 bytes 0xdeadbeef", "bytea"),
    ("raw", "decode(repeat('00', 20), 'hex')", "20 bytes 0x" + "00" * 16 + "…", "bytea"),
    ("raw", "NULL", None, "bytea"),
    ("day", "'2024-02-29'", "2024-02-29", "date"),
    ("day", "'infinity'", "infinity", "date"),
    ("day", "'-infinity'", "-infinity", "date"),
    ("day", "'0044-03-15 BC'", "0044-03-15 BC", "date"),
    ("day", "'12345-01-01'", "12345-01-01", "date"),
    ("at_", "'24:00'", "24:00:00", "time without time zone"),
    ("at_zone", "'10:00+02'", "10:00:00+02", "time with time zone"),
    ("moment", "'infinity'", "infinity", "timestamp without time zone"),
    ("moment", "'2024-01-02 03:04:05.6'", "2024-01-02 03:04:05.6", "timestamp without time zone"),
    ("moment_zone", "'2024-01-02 03:04:05+02'", "2024-01-02 01:04:05+00:00", "timestamp with time zone"),
    ("moment_zone", "'-infinity'", "-infinity", "timestamp with time zone"),
    ("moment_zone", "'0001-01-01 00:00:00+00 BC'", "0001-01-01 00:00:00+00 BC", "timestamp with time zone"),
    ("span", "'1 year 2 mons 3 days 04:05:06'", "P1Y2M3DT4H5M6S", "interval"),
    ("json_", """'{"a": 1, "a": 12345678901234567890.12}'""", '{"a": 1, "a": 12345678901234567890.12}', "json"),
    ("jsonb_", """'{"a": 12345678901234567890.12}'""", '{"a": 12345678901234567890.12}', "jsonb"),
    ("ints", "'{1, 2, NULL}'", [1, 2, None], "integer[]"),
    ("grid", "'{{1, 2}, {3, 4}}'", [[1, 2], [3, 4]], "integer[]"),
    ("texts", """'{"a b", "c,d"}'""", ["a b", "c,d"], "text[]"),
    ("days", "'{infinity, 2024-01-01}'", ["infinity", "2024-01-01"], "date[]"),
    ("mood_", "'ok'", "ok", "mood"),
    ("moods", "'{ok, bad}'", "{ok,bad}", "mood[]"),
    ("place_", "'(Main,5)'", "(Main,5)", "place"),
    ("positive_", "5", 5, "integer"),
    ("uuid_", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "uuid"),
    ("net", "'10.0.0.0/8'", "10.0.0.0/8", "inet"),
    ("range_", "'[1,5)'", "[1,5)", "int4range"),
    ("dates_", "'[2024-01-01,infinity]'", "[2024-01-01,infinity]", "daterange"),
    ("bits", "'0101'", "0101", "bit"),
    ("spot", "'(1,2)'", "(1,2)", "point"),
    ("vector_", "'a b'", "'a' 'b'", "tsvector"),
]


async def test_every_value_arrives_whole_or_as_its_text(empty: Database, open_engine: Opener):
    empty.run(ODD)
    for number, (column, value, _, _) in enumerate(CASES):
        empty.run(f"INSERT INTO odd (id, {column}) VALUES ({number}, {value})")
    empty.run("GRANT SELECT ON odd TO {role}")
    engine = await open_engine(empty)
    for number, (column, _, expected, type_) in enumerate(CASES):
        result = await engine.read(f"SELECT {column} FROM odd WHERE id = {number}", seconds=10, rows_kept=5)
        assert (result.rows, result.columns[0].type) == (((expected,),), type_), column
        json.dumps(result.rows, allow_nan=False)


async def test_a_database_in_another_encoding_is_read_right(postgres: str, open_engine: Opener):
    with psycopg.connect(postgres, autocommit=True) as connection:
        name = f"footnote_{uuid.uuid4().hex[:12]}"
        connection.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0".encode())
    database = made(postgres.rsplit("/", 1)[0] + f"/{name}", ODD)
    try:
        words, raw = "'Gr' || chr(252) || chr(223) || 'e'", "decode(repeat('00', 20), 'hex')"
        database.run(f"INSERT INTO odd (id, words, raw) VALUES (1, {words}, {raw})")
        result = await (await open_engine(database)).read("SELECT words, raw FROM odd", seconds=10, rows_kept=5)
        assert result.rows == (("Grüße", "20 bytes 0x" + "00" * 16 + "…"),)
    finally:
        database.run("DROP OWNED BY {role}; DROP ROLE {role}")
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


async def test_moments_say_in_which_zone_they_are_shown(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    result = await engine.read("SELECT CAST('2024-01-01 00:00+00' AS timestamptz) AS m", seconds=10, rows_kept=5)
    assert result.rows == (("2024-01-01 00:00:00+00:00",),)
    assert result.notes == ("Times with a time zone are shown in UTC.",)


async def test_a_long_cell_is_cut_and_counted(shop: Database, open_engine: Opener):
    shop.run("UPDATE orders SET note = repeat('ä', 5000) WHERE id <= 2")
    engine = await open_engine(shop)
    result = await engine.read("SELECT id, note FROM orders WHERE id < 4 ORDER BY id", seconds=10, rows_kept=5)
    assert [len(str(row[1])) for row in result.rows] == [2000, 2000, len("note 3")]
    assert str(result.rows[0][1]).endswith("ä…")
    assert result.notes == ("2 cells longer than 2,000 characters were cut; a cut cell ends in …",)


@pytest.mark.parametrize("column", ["numeric", "int[]"])
async def test_long_numbers_and_lists_are_cut_as_text(column: str, empty: Database, open_engine: Opener):
    value = "repeat('9', 60000)::numeric" if column == "numeric" else "ARRAY(SELECT generate_series(1, 30000))"
    empty.run(f"CREATE TABLE t AS SELECT {value} AS long; GRANT SELECT ON t TO {{role}}")
    engine = await open_engine(empty)
    ((cell,),) = (await engine.read("SELECT long FROM t", seconds=10, rows_kept=5)).rows
    assert isinstance(cell, str)
    assert len(cell) == 2000


def peak_bytes() -> int:
    """The most memory this process has held since `forget_peak`."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


async def test_a_cell_of_hundreds_of_megabytes_never_comes_here(empty: Database, open_engine: Opener):
    empty.run("CREATE TABLE t (id int, body text, raw bytea); GRANT SELECT ON t TO {role}")
    empty.run("INSERT INTO t (id, body) SELECT 1, repeat('0123456789', 20000000)")
    empty.run("INSERT INTO t (id, raw) SELECT 2, decode(repeat('ab', 1000000), 'hex')")
    engine = await open_engine(empty)
    await engine.structure()
    forget_peak()
    before = peak_bytes()
    result = await engine.read("SELECT * FROM t ORDER BY id", seconds=100, rows_kept=5)
    assert peak_bytes() - before < 50_000_000
    assert str(result.rows[0][1]).startswith("0123456789")
    assert result.rows[1][2] == "1000000 bytes 0x" + "ab" * 16 + "…"


async def test_a_cell_of_900_megabytes_that_a_view_makes_never_comes_here(empty: Database, open_engine: Opener):
    empty.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1); GRANT SELECT ON t TO {role}")
    empty.run("CREATE VIEW v AS SELECT id, repeat('0123456789', 90000000) AS body FROM t; GRANT SELECT ON v TO {role}")
    engine = await open_engine(empty)
    await engine.structure()
    forget_peak()
    before = peak_bytes()
    result = await engine.read("SELECT id, body FROM v", seconds=100, rows_kept=5)
    assert peak_bytes() - before < 50_000_000
    ((_, body),) = result.rows
    assert str(body).startswith("0123456789") and len(str(body)) == 2_000
    assert result.notes == ("1 cell longer than 2,000 characters was cut; a cut cell ends in …",)
    assert (await engine.read("SELECT id FROM v", seconds=100, rows_kept=5)).rows == ((1,),)

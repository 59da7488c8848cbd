"""What analysts write about enums, composite values and keys runs, also where tables are admitted in part only."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.errors import CallError
from tests.integration.postgresql.conftest import Database, Opener

SCHEMA = """
CREATE SCHEMA types;
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TYPE types.size AS ENUM ('s', 'l');
CREATE TYPE hidden AS ENUM ('a');
CREATE TYPE address AS (street text, city text);
CREATE TABLE people (
  id int PRIMARY KEY, name text, mood mood, moods mood[], size types.size, home address, notes jsonb, ssn hidden);
CREATE TABLE visits (person int REFERENCES people, day date, fee int, PRIMARY KEY (person, day));
INSERT INTO people VALUES
  (1, 'Ann', 'low', '{low,high}', 's', ('Long Lane', 'Rome'), '{"tags": ["a", "b"], "n": 3}', 'a'),
  (2, 'Bob', 'high', '{}', 'l', ('Mole Road', 'Oslo'), '{"tags": ["c"], "n": 4}', 'a');
INSERT INTO visits VALUES (1, '2024-01-01', 5), (1, '2024-01-02', 6), (2, '2024-01-01', 7);
"""
ASKED: list[tuple[str, list[list[Any]]]] = [
    ("SELECT name FROM people WHERE mood = 'high'::mood", [["Bob"]]),
    ("SELECT name FROM people WHERE mood = CAST('high' AS public.Mood)", [["Bob"]]),
    ("SELECT name FROM people WHERE mood = ANY (ARRAY['low']::mood[])", [["Ann"]]),
    ("SELECT name FROM people WHERE size = 'l'::types.size", [["Bob"]]),
    ("SELECT count(*) FROM people WHERE mood > 'low'::\"mood\"", [[1]]),
    ("SELECT (home).city FROM people ORDER BY 1", [["Oslo"], ["Rome"]]),
    ("SELECT p.name FROM people p WHERE (p.home).street LIKE 'Long%'", [["Ann"]]),
    ("SELECT name, jsonb_array_length(notes -> 'tags') FROM people ORDER BY 1", [["Ann", 2], ["Bob", 1]]),
    ("SELECT max(notes -> 'tags' ->> 0), count(notes->'n') FROM people", [["c", 2]]),
    ("SELECT p.name, sum(fee) FROM people p JOIN visits ON person = p.id GROUP BY p.id ORDER BY 1",
     [["Ann", 11], ["Bob", 7]]),
    ("SELECT id, name, count(*) FROM people LEFT JOIN visits ON person = id GROUP BY 1 HAVING mood = 'low'",
     [[1, "Ann", 2]]),
    ("SELECT v.fee FROM visits v GROUP BY v.person, v.day ORDER BY v.fee", [[5], [6], [7]]),
    ("SELECT a.name, b.name FROM people a JOIN people b ON a.id = b.id GROUP BY a.id, b.id ORDER BY a.mood",
     [["Ann", "Ann"], ["Bob", "Bob"]]),
    ("SELECT count(*) FROM people TABLESAMPLE BERNOULLI (100)", [[2]]),
]  # fmt: skip
REFUSED = [
    "SELECT 'a'::hidden",
    "SELECT 'a'::public.hidden",
    "SELECT enum_range(NULL::hidden)",
    "SELECT 'x'::people",
    "SELECT 'people'::regclass",
    "SELECT '(1,2)'::address",
    "SELECT (p).ssn FROM people p",
    "SELECT (home).zip FROM people",
    "SELECT 1::size",
    "SELECT fee FROM visits GROUP BY person",
    "SELECT p.name FROM people AS p(name, id) GROUP BY p.id",
]


@pytest.fixture
def database(empty: Database) -> Database:
    empty.run(SCHEMA)
    empty.run("GRANT SELECT ON people, visits TO {role}; GRANT USAGE ON SCHEMA types TO {role}")
    return empty


@pytest.mark.parametrize("rules", [{}, {"columns": {"deny": ["public.people.ssn"]}}], ids=["whole", "in part"])
async def test_ordinary_queries(rules: dict[str, Any], database: Database, open_engine: Opener):
    engine = await open_engine(database, **rules)
    for sql, rows in ASKED:
        result = await engine.read(sql, seconds=20, rows_kept=20)
        assert [list(row) for row in result.rows] == rows, sql


async def test_types_and_fields_of_what_is_not_open_do_not_exist(database: Database, open_engine: Opener):
    engine = await open_engine(database, columns={"deny": ["public.people.ssn"]})
    for sql in REFUSED:
        with pytest.raises(CallError) as caught:
            await engine.read(sql, seconds=20, rows_kept=20)
        assert caught.value.code in ("sql_not_allowed", "sql_unknown_column", "sql_failed"), sql


async def test_a_type_of_a_masked_column_is_not_named(database: Database, open_engine: Opener):
    engine = await open_engine(database, columns={"mask": ["people.mood", "people.moods", "people.home"]})
    for sql in ("SELECT enum_range(NULL::mood)", "SELECT name FROM people WHERE (home).city = 'Rome'"):
        with pytest.raises(CallError) as caught:
            await engine.read(sql, seconds=20, rows_kept=20)
        assert caught.value.code == "sql_not_allowed", sql
    masked = await engine.read("SELECT id, mood FROM people GROUP BY id ORDER BY id", seconds=20, rows_kept=20)
    assert "mood" in masked.masked

"""The same program with the same moment and seed gives the same output and fuel, in any order and on any thread."""

import asyncio

from guest import Guest
from tests.unit.guest.conftest import NOW, Run, sql

PROGRAM = """
import datetime, random, secrets, time, uuid
print(random.random(), random.Random().random(), uuid.uuid4(), secrets.token_hex(4), hash("a"), {"b", "a", "c"})
print(datetime.datetime.now(), time.time(), time.perf_counter(), id(object()) > 0)
print(stdev([row["x"] for row in sql("rows 50")]))
"""


async def test_a_hundred_times_and_across_threads(run: Run) -> None:
    results = []
    for _ in range(25):
        results += await asyncio.gather(*(run(PROGRAM) for _ in range(4)))
    assert len(results) == 100 and all(result.status == "ok" for result in results)
    assert len({(result.stdout, result.fuel_used, result.memory_bytes, result.sql_bytes) for result in results}) == 1


async def test_another_seed_is_another_sequence(guest: Guest) -> None:
    program = "import random; print(random.random())"
    first, second = [await guest.run(program, sql, now=NOW, seed=seed) for seed in (1, 2)]
    assert first.stdout != second.stdout

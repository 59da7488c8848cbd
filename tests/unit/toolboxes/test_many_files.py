"""A folder of very many new files: what is shown or named is read, and nothing has to wait for the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runtime.toolboxes.files import file_query, file_search, grep_files, inspect_table, list_files, read_file, run_sql

from .conftest import Desk

FILES = {
    **{f"days/d{day:02d}.csv": f"day,sold\n{day},{10 * day}\n" for day in range(1, 31)},
    **{f"notes/n{day:02d}.md": f"# Day {day}\nquiet\n" for day in range(1, 11)},
}


@pytest.fixture
async def many(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    await desk.open(FILES, eager_files=5, worker_pool=1)
    yield desk
    await desk.close()


async def test_a_listing_reads_what_it_shows_and_says_what_is_left(many: Desk) -> None:
    listed = await many.call(list_files.CAPABILITY, kind="tables", limit=3)
    assert [(each["name"], each["rows"], each["columns"]) for each in listed.data["entries"]] == [
        (f"days/d0{day}.csv", 1, ["day", "sold"]) for day in (1, 2, 3)
    ]
    assert listed.data["total"] == 30
    assert listed.notes[0].startswith("37 new files are not read yet")


async def test_a_query_reads_the_tables_it_names(many: Desk) -> None:
    result = await many.call(run_sql.CAPABILITY, sql='SELECT a.sold + b.sold AS s FROM d07 AS a, "D29" AS b')
    assert result.rows == ((360,),)
    assert sum(not file.unread for file in (await many.opened[0].catalog()).files) == 2


async def test_a_pattern_reads_its_whole_set(many: Desk) -> None:
    sql = "SELECT sum(sold) AS s, count(*) AS n FROM data"
    assert (await many.call(file_query.CAPABILITY, path_pattern="days/d1*.csv", sql=sql)).rows == ((1450, 10),)


async def test_names_are_read_and_described(many: Desk) -> None:
    assert (await many.call(inspect_table.CAPABILITY, name="days/d09.csv")).data["rows"] == 1
    assert "Day 3" in str((await many.call(read_file.CAPABILITY, name="n03.md")).data)


async def test_documents_are_searched_whole(many: Desk) -> None:
    found = await many.call(grep_files.CAPABILITY, pattern="quiet")
    assert (found.data["total"], found.data["searched"]["complete"]) == (10, True)
    matches = await many.call(file_search.CAPABILITY, query="day 4", mode="content")
    assert [match["path"] for match in matches.data["matches"]] == ["notes/n04.md"]

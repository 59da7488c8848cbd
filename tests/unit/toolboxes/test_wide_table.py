"""A table of 3,000 columns is listed, described and queried within the bounds that any table has."""

from __future__ import annotations

import json
from pathlib import Path

from runtime.toolboxes.files import inspect_table, list_files, run_sql

from .conftest import Desk

COLUMNS = 3_000
CONTENT = "\n".join(
    [
        ",".join(f"c{number}" for number in range(COLUMNS)),
        *(",".join(str(row * number) for number in range(COLUMNS)) for row in (1, 2, 3)),
    ]
)


async def test_three_thousand_columns(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    await desk.open({"wide.csv": CONTENT}, worker_pool=1)
    try:
        listed = await desk.call(list_files.CAPABILITY)
        (entry,) = listed.data["entries"]
        assert entry["rows"] == 3
        assert len(json.dumps(listed.data)) < 64_000
        described = await desk.call(inspect_table.CAPABILITY, name="wide", columns=["c7", "c2999"])
        assert [column["name"] for column in described.data["columns"]] == ["c7", "c2999"]
        assert [column["max"] for column in described.data["columns"]] == [21, 8997]
        whole = await desk.call(inspect_table.CAPABILITY, name="wide")
        assert 0 < len(whole.data["columns"]) < COLUMNS
        assert len(json.dumps(whole.data)) < 256_000
        result = await desk.call(run_sql.CAPABILITY, sql="SELECT sum(c2999) AS s, max(c0) AS z FROM wide")
        assert result.rows == ((17_994, 0),)
    finally:
        await desk.close()

"""Planning time of the offline analyst over many tables, half of them files, half a database's: what its steps cost
apart from the tools."""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

from runtime.models.offline.model import step
from runtime.models.port import (
    Message,
    ModelMessage,
    ModelRequest,
    ModelStep,
    ResultsMessage,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from tests.bench.row import Row

BARS_MS = {200: 50.0, 10_000: 300.0}
ROUNDS = 20
FOUND = 50  # what a search and a schema show at most
TOOLS = tuple(
    ToolDefinition(name, name, {})
    for name in ("list_files", "inspect_table", "run_sql", "catalog_search", "catalog_schema", "data_query_sqlite")
)
QUESTION = "What is the total amount of paid orders in the north region in the second half of 2024, by month?"
WORDS = ("orders", "visits", "stock", "loans", "shifts", "tickets", "calls", "routes", "meters", "crates")


def run() -> list[Row]:
    """The slowest model step of one question, median of the rounds, in milliseconds of processor time."""
    rows: list[Row] = []
    for tables, bar in BARS_MS.items():
        times = [_turn(tables) for _ in range(ROUNDS)]
        name = f"offline planning at {tables:,} tables, slowest step"
        rows.append(Row(name, statistics.median(times), "ms", bar, "absolute bar"))
    return rows


def _turn(tables: int) -> float:
    messages: list[Message] = [UserMessage(QUESTION)]
    spent = 0.0
    for _ in range(16):
        begun = time.process_time()
        made: ModelStep = step(ModelRequest("", "Now: Monday, 2025-03-03", TOOLS, tuple(messages)))
        spent = max(spent, time.process_time() - begun)
        if not made.calls:
            if "E" not in made.text or "can't" in made.text:
                raise AssertionError(made.text)
            return spent * 1000
        results = tuple(ToolResult(call.id, _result(call.name, call.input, tables // 2)) for call in made.calls)
        messages += [ModelMessage(made.text, made.calls), ResultsMessage(results)]
    raise AssertionError("no answer")


def _result(tool: str, arguments: Any, tables: int) -> str:
    if tool in ("run_sql", "data_query_sqlite"):
        data = _profile() if "profiled" in arguments["sql"] else _read(arguments)
    elif tool == "list_files":
        data = _listed(arguments, tables)
    else:
        data = {"inspect_table": _inspected, "catalog_search": _searched, "catalog_schema": _schema}[tool](arguments)
    return json.dumps({"ok": True, "evidence": "E1", "data": data, "notes": []})


def _searched(_: Any) -> dict[str, Any]:
    hits = [{"id": f"shop/{_name(at)}_kept", "kind": "table", "why": "words"} for at in range(FOUND)]
    return {"hits": hits, "searched": ["shop", "workspace"], "unavailable": []}


def _schema(_: Any) -> dict[str, Any]:
    columns = [{"name": name, "type": "TEXT"} for name in ("day", "region", "status")]
    columns += [{"name": f"measure_{at}", "type": "INTEGER"} for at in range(20)]
    tables = [{"id": f"shop/{_name(at)}_kept", "sql": f"{_name(at)}_kept", "columns": columns} for at in range(FOUND)]
    return {"tables": tables, "freshness": [{"source": "shop", "dialect": "sqlite"}]}


def _profile() -> dict[str, Any]:
    rows: list[list[Any]] = [["", 400, None, None, None, None, None]]
    rows += [["day", 400, 400, 400, "2023-01-01", "2024-12-31", 400], ["region", 400, 2, 0, "left", "right", 2]]
    rows += [[f"measure_{at}", 400, 90, None, "0", "100", None] for at in range(20)]
    rows += [["region", 200, None, None, name, None, None] for name in ("left", "right")]
    return {"columns": [{"name": "profiled"}], "rows": rows, "row_count": len(rows), "shown": len(rows)}


def _name(at: int) -> str:
    return WORDS[at] if at < len(WORDS) else f"{WORDS[at % len(WORDS)]}_{at}_old"


def _listed(arguments: Any, tables: int) -> dict[str, Any]:
    first = int(arguments.get("offset", 0))
    entries = [
        {
            "name": f"{_name(at)}.csv",
            "kind": "table",
            "size": 1,
            "tables": [_name(at)],
            "rows": 1000,
            "columns": ["day"],
        }
        for at in range(first, min(first + 50, tables))
    ]
    return {"revision": "r", "entries": entries, "total": tables, "offset": first, "next_offset": None}


def _inspected(arguments: Any) -> dict[str, Any]:
    def label(name: str, *values: str) -> dict[str, Any]:
        return _column(name, "VARCHAR", values[0], values[-1], [[value, 100] for value in values])

    columns = [
        _column("day", "DATE", "2023-01-01", "2024-12-31", []),
        label("region", "east", "north", "south", "west"),
        label("status", "open", "paid"),
        *(_column(f"measure_{at}", "BIGINT", 0, 100, []) for at in range(20)),
        _column("amount", "DOUBLE", 0.5, 99.5, []),
    ]
    return {"table": arguments["name"], "file": f"{arguments['name']}.csv", "rows": 400, "columns": columns}


def _column(name: str, kind: str, low: object, high: object, common: list[list[object]]) -> dict[str, Any]:
    distinct = len(common) or 90
    return {"name": name, "type": kind, "null_percent": 0, "distinct": distinct, "min": low, "max": high,
            "common": common, "notes": []}  # fmt: skip


def _read(_: Any) -> dict[str, Any]:
    columns = [{"name": name, "type": "VARCHAR"} for name in ("month", "figure", "rows")]
    rows = [[f"2024-{month:02d}", 10.5, 3] for month in range(7, 13)]
    return {"columns": columns, "rows": rows, "row_count": 6, "shown": 6}

"""A stand-in for the run loop over one SQLite database: catalog and query tools in their shapes, on bare sqlite3."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from runtime.models.offline import OfflineModel
from runtime.models.port import (
    Message,
    ModelMessage,
    ModelRequest,
    ResultsMessage,
    Stop,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from tests.unit.offline.talking import talking

SOURCE = "club"
TOOLS = tuple(ToolDefinition(name, name, {}) for name in ("catalog_search", "catalog_schema", "data_query_sqlite"))


class Database:
    """The tools over the database `club`, in the shapes of their contracts."""

    def __init__(self, schema: str) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.executescript(schema)
        self.counter = 0

    def insert(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            places = ", ".join("?" * len(rows[0]))
            self.connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)

    def call(self, call: ToolCall) -> ToolResult:
        self.counter += 1
        try:
            data = getattr(self, call.name)(call.input)
            body = {"ok": True, "evidence": f"E{self.counter}", "data": data, "notes": []}
        except sqlite3.Error as error:
            failed = {"code": "sql_failed", "message": str(error)}
            body = {"ok": False, "evidence": f"E{self.counter}", "error": failed}
        return ToolResult(call.id, json.dumps(body), is_error=not body["ok"])

    def catalog_search(self, arguments: Any) -> dict[str, Any]:
        return {"match": "none", "candidates": [], "hits": [], "total": 0, "searched": [SOURCE], "unavailable": []}

    def catalog_schema(self, arguments: Any) -> dict[str, Any]:
        names = [row[0] for row in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables = [self._table(name) for name in names]
        return {"tables": tables, "freshness": [{"source": SOURCE, "dialect": "sqlite"}]}

    def _table(self, name: str) -> dict[str, Any]:
        columns = self.connection.execute(f"PRAGMA table_info({name})").fetchall()
        keys = self.connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
        return {
            "id": f"{SOURCE}/{name}",
            "sql": name,
            "columns": [{"name": column[1], "type": column[2]} for column in columns],
            "primary_key": [column[1] for column in columns if column[5]],
            "foreign_keys": [
                {"columns": [key[3]], "references": f"{SOURCE}/{key[2]}", "referenced_columns": [key[4]]}
                for key in keys
            ],
        }

    def data_query_sqlite(self, arguments: Any) -> dict[str, Any]:
        cursor = self.connection.execute(arguments["sql"])
        columns = [{"name": item[0], "type": ""} for item in cursor.description]
        rows = [list(row) for row in cursor.fetchall()]
        shown = rows if len(rows) <= 100 else rows[:30]
        return {"columns": columns, "rows": shown, "row_count": len(rows), "shown": len(shown)}


async def converse(database: Database, question: str, *, history: tuple[Message, ...] = ()) -> str:
    """The analyst's answer to `question` over `database`."""
    model = OfflineModel()
    messages: list[Message] = [*history, UserMessage(question)]
    for _ in range(12):
        step = await model.step(ModelRequest("", "", TOOLS, tuple(messages)))
        messages.append(ModelMessage(step.text, step.calls))
        if step.stop is Stop.END:
            return step.text
        messages.append(ResultsMessage(tuple(database.call(call) for call in step.calls)))
    raise AssertionError("the analyst never came to an answer")


talk = talking(converse)

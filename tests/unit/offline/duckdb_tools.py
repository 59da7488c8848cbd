"""A small stand-in for the run loop: answers the analyst's tool calls from CSV and TSV files with bare DuckDB."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb

from runtime.evidence import json_value
from runtime.models.offline import OfflineModel
from runtime.models.port import (
    Message,
    ModelMessage,
    ModelRequest,
    ModelStep,
    ResultsMessage,
    Stop,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from tests.unit.offline.talking import talking

TOOLS = tuple(ToolDefinition(name, name, {}) for name in ("list_files", "inspect_table", "run_sql"))
WITH_DOCUMENTS = (*TOOLS, ToolDefinition("grep_files", "grep_files", {}))


class Folder:
    """The three workspace tools over the tables of some files, in the shapes of their contract."""

    def __init__(self, paths: list[Path]) -> None:
        self.connection = duckdb.connect()
        self.entries: list[dict[str, Any]] = []
        self.files: dict[str, str] = {}
        self.texts: dict[str, list[str]] = {}
        self.notes: list[str] = []  # of every query, as the reading of a file gives them
        self.counter = 0
        for path in paths:
            self.entries.append(self._load(path))

    def _load(self, path: Path) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": path.name, "size": path.stat().st_size}
        if path.suffix in (".md", ".txt", ".pdf"):
            self.texts[path.name] = path.read_text().splitlines()
            return entry | {"kind": "document"}
        if path.suffix not in (".csv", ".tsv"):
            return entry | {"kind": "skipped", "reason": "this kind of file is not read"}
        return entry | self._tables(path.name, [(re.sub(r"[^\w]+", "_", path.stem.lower()), path)])

    def add_book(self, name: str, sheets: dict[str, Path]) -> None:
        """A workbook `name` with a table for each of the `sheets`."""
        self.entries.append({"name": name, "size": 1, **self._tables(name, [*sheets.items()])})

    def _tables(self, file: str, tables: list[tuple[str, Path]]) -> dict[str, Any]:
        columns: dict[str, None] = {}
        for table, path in tables:
            self.connection.execute(f"""create table "{table}" as select * from read_csv('{path}', sample_size=-1)""")
            self.files[table] = file
            columns.update((row[0], None) for row in self.connection.execute(f'describe "{table}"').fetchall())
        rows = sum(self._one(f'select count(*) from "{table}"') for table, _ in tables)
        return {"kind": "table", "tables": [table for table, _ in tables], "rows": rows, "columns": [*columns]}

    def _one(self, sql: str) -> Any:
        row = self.connection.execute(sql).fetchone()
        return json_value(row[0]) if row else None

    def call(self, call: ToolCall) -> ToolResult:
        self.counter += 1
        evidence = f"E{self.counter}"
        try:
            data = getattr(self, call.name)(call.input)
            body = {
                "ok": True,
                "evidence": evidence,
                "data": data,
                "notes": self.notes if call.name == "run_sql" else [],
            }
        except duckdb.Error as error:
            body = {"ok": False, "evidence": evidence, "error": {"code": "sql_failed", "message": str(error)}}
        return ToolResult(call.id, json.dumps(body), is_error=not body["ok"])

    def list_files(self, arguments: Any) -> dict[str, Any]:
        return {"revision": "r", "entries": self.entries, "total": len(self.entries), "offset": 0, "next_offset": None}

    def inspect_table(self, arguments: Any) -> dict[str, Any]:
        table = arguments["name"]
        described = self.connection.execute(f'describe "{table}"').fetchall()
        rows = self.connection.execute(f'select * from "{table}" limit 5').fetchall()
        total = self._one(f'select count(*) from "{table}"')
        columns = [self._profile(table, name, kind, total) for name, kind, *_ in described]
        keys = [c["name"] for c in columns if c["distinct"] == total and c["null_percent"] == 0]
        sample = {"columns": [c["name"] for c in columns], "rows": [[json_value(v) for v in row] for row in rows]}
        return {"table": table, "file": self.files[table], "rows": total, "columns": columns, "keys": keys,
                "joins": self._joins(table, columns), "sample": sample}  # fmt: skip

    def _joins(self, table: str, columns: list[dict[str, Any]]) -> list[dict[str, str]]:
        found: list[dict[str, str]] = []
        for other in self.files:
            names = {row[0] for row in self.connection.execute(f'describe "{other}"').fetchall()}
            for column in columns:
                name = column["name"]
                if other == table or name not in names or column["type"] not in ("BIGINT", "VARCHAR", "DATE"):
                    continue
                shared = (
                    f'select count(*) from (select "{name}" from "{table}" intersect select "{name}" from "{other}")'
                )
                if self._one(shared):
                    found.append({"column": name, "table": other, "other_column": name})
        return found

    def _profile(self, table: str, name: str, kind: str, total: int) -> dict[str, Any]:
        q = f'"{name}"'
        common = self.connection.execute(
            f'select {q}, count(*) from "{table}" where {q} is not null group by 1 order by 2 desc, 1 limit 6'
        ).fetchall()
        nulls = self._one(f'select count(*) - count({q}) from "{table}"')
        return {
            "name": name,
            "type": kind,
            "null_percent": 100 * nulls / total if total else 0,
            "distinct": self._one(f'select count(distinct {q}) from "{table}"'),
            "min": self._one(f'select min({q}) from "{table}"'),
            "max": self._one(f'select max({q}) from "{table}"'),
            "common": [[json_value(value), count] for value, count in common],
            "notes": [],
        }

    def run_sql(self, arguments: Any) -> dict[str, Any]:
        cursor = self.connection.execute(arguments["sql"])
        columns = [{"name": item[0], "type": str(item[1])} for item in cursor.description or ()]
        rows = [[json_value(value) for value in row] for row in cursor.fetchall()]
        shown = rows if len(rows) <= 100 else rows[:30]
        return {"columns": columns, "rows": shown, "row_count": len(rows), "shown": len(shown)}

    def grep_files(self, arguments: Any) -> dict[str, Any]:
        found, around = re.compile(arguments["pattern"], re.IGNORECASE), arguments.get("context", 0)
        hits = [
            {"at": f"{name}:{at}", "file": name, "line": at, "text": line, "after": lines[at : at + around]}
            for name, lines in self.texts.items()
            if name in arguments.get("names", [name])
            for at, line in enumerate(lines, start=1)
            if found.search(line)
        ]
        shown = hits[: arguments.get("max_hits", 30)]
        return {"hits": shown, "total": len(hits), "searched": {"files": len(self.texts), "complete": True}}


async def converse(folder: Folder, question: str, *, history: tuple[Message, ...] = (), context: str = "") -> str:
    """The analyst's answer to `question` over `folder`."""
    return (await transcript(folder, question, history=history, context=context))[-1].text  # type: ignore[union-attr]


talk = talking(converse)


async def transcript(
    folder: Folder, question: str, *, history: tuple[Message, ...] = (), context: str = ""
) -> list[Message]:
    """All messages of the turn, the answer last."""
    model = OfflineModel()
    messages: list[Message] = [*history, UserMessage(question)]
    for _ in range(12):
        tools = WITH_DOCUMENTS if folder.texts else TOOLS
        step: ModelStep = await model.step(ModelRequest("", context, tools, tuple(messages)))
        messages.append(ModelMessage(step.text, step.calls))
        if step.stop is Stop.END:
            return messages
        messages.append(ResultsMessage(tuple(folder.call(call) for call in step.calls)))
    raise AssertionError("the analyst never came to an answer")

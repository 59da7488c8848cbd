"""Every delimited and JSON file of the shared cases is read as a careful analyst would want it, and it is said how."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from runtime.ingest import IngestRefused

CASES = Path(__file__).parents[2] / "cases" / "messy"
KINDS = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".ndjson": "ndjson"}
EXPECTED = [json.loads(line) for line in (CASES / "expect.jsonl").read_text("utf-8").splitlines()]
TEXTS = [case for case in EXPECTED if Path(case["file"]).suffix in KINDS]
NUMBERS = re.compile(r"BIGINT|HUGEINT|DOUBLE|DECIMAL.*")


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def find(wanted: dict[str, Any], names: list[str]) -> str | None:
    if "position" in wanted:
        return names[wanted["position"] - 1]
    allowed = {plain(name) for name in wanted["name"].split("|")}
    return next((name for name in names if plain(name) in allowed), None)


def shown(value: Any) -> str:
    return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()


def right(wanted: dict[str, Any], kind: str, values: list[Any]) -> bool:
    """Whether the column holds what a careful analyst would want."""
    present = [value for value in values if value is not None]
    if wanted.get("nulls", len(values) - len(present)) != len(values) - len(present):
        return False
    if "distinct" in wanted and len({str(value).strip() for value in present}) != wanted["distinct"]:
        return False
    folded = {" ".join(str(value).casefold().split()) for value in present}
    if wanted.get("distinct_folded", len(folded)) != len(folded):
        return False
    if wanted.get("type") == "text":
        return kind == "VARCHAR"
    if wanted.get("type") in ("integer", "decimal"):
        if not NUMBERS.fullmatch(kind):
            return False
        told = {"sum": sum(map(Decimal, map(str, present))), "min": min(present), "max": max(present)}
        return all(
            abs(Decimal(str(wanted[key])) - Decimal(str(value))) <= Decimal("0.000001")
            for key, value in told.items()
            if key in wanted
        )
    if wanted.get("type") in ("date", "timestamp"):
        if not all(isinstance(value, date) for value in present):
            return False
        return shown(min(present)) == wanted["min"] and shown(max(present)) == wanted["max"]
    if wanted.get("type") == "boolean":
        return kind == "BOOLEAN" and sum(present) == wanted["sum"]
    return True


def columns_right(wanted: list[dict[str, Any]], table: Any) -> list[str]:
    """The columns that are not as wanted."""
    names = [name for name, _ in table.reading.columns]
    wrong: list[str] = []
    for column in wanted:
        name = find(column, names)
        if name is None or not right(column, table.types[name], table.column(name)):
            wrong.append(column["name"])
    return wrong


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case["file"])
def test_read_as_wanted(case: dict[str, Any], read_path: Callable[..., Any]) -> None:
    path = CASES / case["file"]
    if not case["tables"]:
        with pytest.raises(IngestRefused, match=f"(?i){case['error_contains']}"):
            read_path(path, KINDS[path.suffix])
        return
    table = read_path(path, KINDS[path.suffix])
    (wanted,) = case["tables"]
    assert len(table.rows) == wanted["rows"]
    assert len(table.types) == wanted.get("column_count", len(table.types))
    others = {column["name"] for other in case.get("also_ok", []) for column in other.get("columns", [])}
    wrong = columns_right(wanted["columns"], table)
    assert set(wrong) <= others, table.notes
    for name in wrong:
        allowed = [c for other in case["also_ok"] for c in other.get("columns", []) if c["name"] == name]
        assert any(not columns_right([each], table) for each in allowed), name
    for mention in case["notes_must_mention"]:
        parts = [part.casefold() for part in mention.split("|")]
        assert any(part in table.notes.casefold() for part in parts), (mention, table.notes)

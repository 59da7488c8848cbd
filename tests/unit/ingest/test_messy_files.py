"""Every messy CSV file of the shared cases is read right, or something is said: never wrong in silence."""

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
EXPECTED = [json.loads(line) for line in (CASES / "expect.jsonl").read_text("utf-8").splitlines()]
CSV = [case for case in EXPECTED if case["file"].endswith(".csv")]
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


@pytest.mark.parametrize("case", CSV, ids=lambda case: case["file"])
def test_right_or_said(case: dict[str, Any], read_path: Callable[..., Any]) -> None:
    path = CASES / case["file"]
    try:
        table = read_path(path)
    except IngestRefused as refusal:
        assert len(refusal.reason) > 10, "a refusal says why"
        return
    assert not case.get("error_contains"), "this file holds no table"
    wanted_table = case["tables"][0]
    names = [name for name, _ in table.reading.columns]
    if "column_count" in wanted_table:
        assert len(names) == wanted_table["column_count"]
    other_rows = len(table.rows) != wanted_table["rows"]
    if other_rows:
        assert re.search(r"total|plain numbers", table.notes), "other rows than wanted, and nothing is said"
    for wanted in wanted_table["columns"]:
        name = find(wanted, names)
        assert name is not None, wanted["name"]
        kind = table.types[name]
        if other_rows and kind == "VARCHAR" and wanted.get("type") == "text":
            continue  # the rows too many were said, and labels are not summed
        if not right(wanted, kind, table.column(name)):
            assert name in table.notes or "total" in table.notes or is_label(wanted, kind), (
                f"{name} ({kind}) is not as wanted, and nothing is said: {table.notes}"
            )


def is_label(wanted: dict[str, Any], kind: str) -> bool:
    """Words like yes and no stay text, which `also_ok` of the cases allows."""
    return wanted.get("type") == "boolean" and kind == "VARCHAR"


@pytest.mark.parametrize(
    ("file", "column", "kind"),
    [
        ("meter_reads.csv", "units", "DECIMAL(18,1)"),
        ("meter_reads.csv", "meter_code", "VARCHAR"),
        ("parcels.csv", "tracking_id", "BIGINT"),
        ("parcels.csv", "scanned", "DATE"),
        ("shipments.csv", "postcode", "VARCHAR"),
        ("lagerbestand.csv", "Eingang", "DATE"),
        ("lagerbestand.csv", "Menge", "VARCHAR"),
        ("invoices_in.csv", "raised", "VARCHAR"),
        ("clinic_visits.csv", "insured", "BOOLEAN"),
        ("sensor_matrix.csv", "s2999", "DECIMAL(18,1)"),
    ],
)
def test_types_decided_over_the_whole_file(file: str, column: str, kind: str, read_path: Callable[..., Any]) -> None:
    assert read_path(CASES / file).types[column] == kind


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("account_activity.csv", "ragged rows: line 2"),
        ("empty_export.csv", "empty"),
        ("hardware.csv", "line 4: a quote is opened and never closed"),
        ("survey_raw.csv", "line 5: a NUL byte"),
    ],
)
def test_refused_with_the_line(file: str, reason: str, read_path: Callable[..., Any]) -> None:
    with pytest.raises(IngestRefused, match=re.escape(reason)):
        read_path(CASES / file)

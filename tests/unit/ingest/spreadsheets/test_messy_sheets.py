"""Every spreadsheet of the shared cases is read as a careful analyst would want it, and it is said how."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.ingest.test_messy_files import CASES, EXPECTED, columns_right, find

SHEETS = [case for case in EXPECTED if Path(case["file"]).suffix == ".xlsx"]


def test_there_are_such_cases() -> None:
    assert len(SHEETS) == 3


@pytest.mark.parametrize("case", SHEETS, ids=lambda case: case["file"])
def test_read_as_wanted(case: dict[str, Any], read_book: Callable[..., Any]) -> None:
    tables = read_book(CASES / case["file"])
    hidden = [table for table in tables if "is hidden" in table.notes]
    shown = [table for table in tables if table not in hidden]
    assert len(shown) == len(case["tables"])
    for wanted in case["tables"]:
        names = [column["name"] for column in wanted["columns"]]
        (table,) = (each for each in shown if all(find({"name": name}, list(each.types)) for name in names))
        assert len(table.rows) == wanted["rows"]
        assert columns_right(wanted["columns"], table) == [], table.notes
        for mention in case["notes_must_mention"]:
            parts = [part.casefold() for part in mention.split("|")]
            assert any(part in table.notes.casefold() for part in parts), (mention, table.notes)


def test_a_hidden_sheet_is_a_table_apart(read_book: Callable[..., Any]) -> None:
    *shown, hidden = read_book(CASES / "workshop.xlsx")
    assert [table.reading.part for table in shown] == ["sheet Workshop, A1:D6", "sheet Workshop, A9:C15"]
    assert [table.reading.label for table in shown] == ["Open jobs", "Spare parts"]
    assert hidden.reading.label == "old prices"
    assert hidden.rows == [("J-71", 380), ("J-72", 999)]
    assert "the sheet 'old prices' is hidden in the workbook" in hidden.notes

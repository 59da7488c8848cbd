"""Spreadsheets asked about through the run loop, with scripted calls: what the tools give, and what the fold shows."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.render.words import source_names
from runtime.engines.workspace.workspace import Workspace
from runtime.evidence import Evidence
from runtime.testing.clock import ManualClock
from runtime.testing.scripted_model import ScriptedModel, asks, says
from tests.acceptance.grading import contains, has_figure
from tests.acceptance.test_folder_qa import LIMITS, QUESTIONS, ask, staged

CASES = Path(__file__).parents[1] / "cases" / "messy"
LONG_AGO = 1_700_000_000
FILES = ("workshop.xlsx", "sales_plan.xlsx", "quarter_close.xlsx")


@pytest.fixture
async def books(tmp_path: Path) -> AsyncIterator[Workspace]:
    """A workspace of the shared spreadsheets, a broken one and a CSV file."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in FILES:
        shutil.copy(CASES / name, folder / name)
    (folder / "broken.xlsx").write_bytes((CASES / FILES[0]).read_bytes()[:900])
    (folder / "rates.csv").write_text("bench,rate\nA,40\nB,35\nC,50\n", "utf-8")
    for path in folder.iterdir():
        os.utime(path, (LONG_AGO, LONG_AGO))
    workspace = await Workspace.open(folder, tmp_path / "cache", LIMITS, ManualClock())
    yield workspace
    await workspace.close()


async def called(workspace: Workspace, *calls: tuple[str, dict[str, Any]]) -> list[Evidence]:
    """The evidence of these calls, made side by side in one run."""
    load = [("toolbox_load", {"tool_names": ["file_query"]})]
    model = ScriptedModel([asks(*load), asks(*calls), says("Done.")])
    result = await asyncio.wait_for(ask(workspace, "What is there?", "run", model), 180)
    return list(result.evidence)[1:]


def data(item: Evidence) -> dict[str, Any]:
    """What the model got."""
    return json.loads(item.model_text)["data"]


async def test_each_table_is_listed_with_its_notes_and_the_broken_file_with_the_reason(books: Workspace) -> None:
    (item,) = await called(books, ("list_files", {}))
    entries = {entry["name"]: entry for entry in data(item)["entries"]}
    assert entries["workshop.xlsx"]["tables"] == ["workshop_open_jobs", "workshop_spare_parts", "workshop_old_prices"]
    assert [(each["table"], each["part"], each["rows"]) for each in entries["workshop.xlsx"]["each"]] == [
        ("workshop_open_jobs", "sheet Workshop, A1:D6", 4),
        ("workshop_spare_parts", "sheet Workshop, A9:C15", 5),
        ("workshop_old_prices", "sheet old prices, A1:B3", 2),
    ]
    assert "rows" not in entries["workshop.xlsx"]
    assert any("hidden" in note for note in entries["workshop.xlsx"]["notes"])
    assert entries["sales_plan.xlsx"]["tables"] == ["sales_plan"]
    assert any("never calculated" in note for note in entries["quarter_close.xlsx"]["notes"])
    assert entries["broken.xlsx"] == {
        "name": "broken.xlsx",
        "kind": "skipped",
        "size": 900,
        "reason": "damaged or cut off: its package cannot be opened",
    }


async def test_sql_joins_sheets_and_files_and_the_fold_shows_sheet_and_cells(books: Workspace) -> None:
    sql = "SELECT sum(j.hours * r.rate) AS cost FROM workshop_open_jobs j JOIN rates r ON r.bench = j.bench"
    (item,) = await called(books, ("run_sql", {"sql": sql}))
    assert [float(row[0]) for row in item.rows] == [980]
    assert set(source_names(item)) == {"workshop.xlsx, sheet Workshop, A1:D6", "rates.csv"}
    assert {source.object for source in item.sources} == {"workshop_open_jobs", "rates"}
    assert any(note.startswith("workshop_open_jobs: 2 tables on the sheet 'Workshop'") for note in item.notes)


async def test_a_table_is_inspected_by_its_name_and_a_file_of_several_names_them(books: Workspace) -> None:
    inspected, ambiguous = await called(
        books,
        ("inspect_table", {"name": "workshop_spare_parts"}),
        ("inspect_table", {"name": "workshop.xlsx"}),
    )
    assert data(inspected)["rows"] == 5
    assert source_names(inspected) == ("workshop.xlsx, sheet Workshop, A9:C15",)
    assert ambiguous.error is not None
    assert ambiguous.error["code"] == "not_found"
    assert "workshop_open_jobs" in str(ambiguous.error["hint"])


async def test_a_set_of_files_holds_no_spreadsheets(books: Workspace) -> None:
    (item,) = await called(books, ("file_query", {"path_pattern": "sales*.xlsx", "sql": "SELECT count(*) FROM data"}))
    assert item.error is not None
    assert item.error["code"] == "file_refused"
    assert "sales_plan.xlsx holds tables of its own (sheet " in str(item.error["message"])
    assert "run_sql, for example sales_plan;" in str(item.error["hint"])


SUBSCRIPTIONS = "SELECT round(avg(monthly_cost), 2) AS mean FROM subscriptions WHERE category = 'utilities'"
INACTIVE = "SELECT service FROM subscriptions WHERE active = 'no' ORDER BY service"
SCRIPTS = {
    "dev-sub-01": (SUBSCRIPTIONS, "Utilities subscriptions cost 2.94 a month on average [E1]."),
    "dev-act-01": (INACTIVE, "I can't delete rows: files are read-only here. Inactive: magazine and news site [E1]."),
}
SHEETS = {case["id"]: case for case in QUESTIONS if any(name.endswith(".xlsx") for name in case["files"])}

if SHEETS:  # collected only where the shared cases are

    def test_every_question_about_a_spreadsheet_has_its_script() -> None:
        assert set(SHEETS) == set(SCRIPTS)

    @pytest.mark.parametrize("name", sorted(SCRIPTS))
    async def test_a_question_about_a_spreadsheet_can_be_answered_from_the_results(name: str, tmp_path: Path) -> None:
        case, (sql, answer) = SHEETS[name], SCRIPTS[name]
        model = ScriptedModel([asks(("run_sql", {"sql": sql})), says(answer)])
        async with staged(tuple(case["files"]), tmp_path) as workspace:
            result = await asyncio.wait_for(ask(workspace, case["question"], name, model), 180)
        (item,) = result.evidence
        assert item.error is None
        assert not result.verification.missing, result.verification.line
        assert all(
            has_figure(answer, figure, case["expect"]["tolerance"]) for figure in case["expect"].get("figures", ())
        )
        assert all(contains(answer, entry) for entry in case["expect"].get("contains", ()))
        if name == "dev-act-01":
            assert [row[0] for row in item.rows] == ["magazine", "news site"]

"""What a file holds: each table of a workbook by itself, whichever way its file is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.grading import declined
from tests.unit.offline.duckdb_tools import Folder, converse

BUDGET = "department,q1,q2,q3\nSales,120,130,125\nSupport,60,62,61\n"
SITES = "site,staff,opened\nBerlin,42,2012-04-01\nLyon,17,2018-09-15\nPorto,9,2023-01-10\n"
STOCK = "depot,pieces\nLyon,40\nOslo,25\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    for name, text in (("budget", BUDGET), ("sites", SITES), ("stock", STOCK)):
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "policy.pdf").write_text("Goods may be sent back within 30 days.\n")
    made = Folder([tmp_path / "policy.pdf", tmp_path / "stock.csv"])
    made.add_book("plan.xlsx", {"plan_budget": tmp_path / "budget.csv", "plan_sites": tmp_path / "sites.csv"})
    return made


async def test_every_table_of_a_file_is_listed_with_its_own_rows(folder: Folder) -> None:
    text = await converse(folder, "What tables do you have?")
    assert "`plan.xlsx: plan_budget`: 2 rows with `department`, `q1`, `q2`, `q3`" in text
    assert "`plan.xlsx: plan_sites`: 3 rows with `site`, `staff`, `opened`" in text
    assert "5 rows" not in text and "`stock.csv`: 2 rows" in text


@pytest.mark.parametrize(
    "question",
    [
        "describe plan.xlsx",
        "What is in plan.xlsx?",
        "summarize plan.xlsx",
        "What columns does plan.xlsx have?",
        "Which tables does plan.xlsx contain?",
    ],
)
async def test_a_file_is_described_table_by_table(folder: Folder, question: str) -> None:
    text = await converse(folder, question)
    assert "`plan.xlsx: plan_budget` has **2** rows" in text and "`plan.xlsx: plan_sites` has **3** rows" in text, text
    assert "stock" not in text


async def test_a_file_without_a_table_is_described_too(folder: Folder) -> None:
    assert "`policy.pdf`: a document" in await converse(folder, "describe policy.pdf")


@pytest.mark.parametrize("question", ["What is the amount in plan.xlsx?", "What is the total in plan.xlsx?"])
async def test_a_figure_is_no_description(folder: Folder, question: str) -> None:
    assert " has **" not in await converse(folder, question)


async def test_of_two_tables_in_a_file_one_can_be_chosen(folder: Folder) -> None:
    text = await converse(folder, "How many rows does plan.xlsx have?")
    assert text.endswith("plan_budget · plan_sites"), text
    text = await converse(folder, "How many rows does plan.xlsx have? (plan_sites)")
    assert not declined(text) and "**3** rows of `plan.xlsx: plan_sites`" in text

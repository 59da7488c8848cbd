"""A figure that only a table in a document has: its lines are quoted with their header and place, and nothing is
computed from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.grading import declined
from tests.unit.offline.duckdb_tools import Folder, converse

REPORT = """Quarterly report
Branch   Visitors   Repairs
Oslo   120   14
Rome   95   3
Total   215   17
We thank all visitors of the branches.

















The deposit of the house is 900 euros.
"""
ORDERS = "day,region,amount\n2024-01-05,North,10\n2024-02-06,South,32\n"
HEADER = "- `report.pdf:2`: «Branch Visitors Repairs» ["


@pytest.fixture(scope="module", params=[True, False], ids=["beside a table", "alone"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root: Path = tmp_path_factory.mktemp("read_off")
    (root / "report.pdf").write_text(REPORT)
    (root / "orders.csv").write_text(ORDERS)
    return Folder([root / "report.pdf"] + ([root / "orders.csv"] if request.param else []))


@pytest.mark.parametrize(
    ("question", "quoted", "left"),
    [
        ("How many visitors were there in Oslo?", [HEADER, "`report.pdf:3`: «Oslo 120 14»"], "Rome"),
        ("What is the total of repairs in Rome?", [HEADER, "`report.pdf:4`: «Rome 95 3»"], "Oslo 120"),
        ("What is the average number of repairs in report.pdf?", [HEADER, "«Oslo 120 14»", "«Rome 95 3»"], "thank"),
        ("Total repairs", [HEADER, "«Total 215 17»"], "thank"),
        ("What is the total deposit of the house?", ["`report.pdf:24`: «The deposit of the house is 900"], "Oslo 120"),
    ],
)
async def test_the_lines_are_quoted_and_the_figure_is_not_given(
    folder: Folder, question: str, quoted: list[str], left: str
) -> None:
    text = await converse(folder, question)
    assert declined(text) and all(line in text for line in quoted) and left not in text, text


@pytest.mark.parametrize(
    "question", ["total amount by gloves", "How many wolves in Paris?", "How many gardens are there?"]
)
async def test_where_no_line_comes_near_none_is_quoted(folder: Folder, question: str) -> None:
    text = await converse(folder, question)
    assert declined(text) and "report.pdf:" not in text, text


async def test_a_figure_that_a_table_has_is_computed(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_text("Region amount\nNorth 7\nSouth 8\n")
    (tmp_path / "orders.csv").write_text(ORDERS)
    text = await converse(Folder([tmp_path / "report.pdf", tmp_path / "orders.csv"]), "Total amount in North")
    assert not declined(text) and "10.00" in text and "report.pdf" not in text, text

"""The offline analyst over the demo's shop through the real loop, guard and workers: every shape of its queries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runtime.engines.workspace.workspace import Workspace
from runtime.run import Status
from runtime.testing.clock import ManualClock
from tests.acceptance.grading import declined
from tests.acceptance.test_folder_qa import LIMITS, ask
from tests.shop_files import write_shop_files

SHAPES = {
    "scalar": "How many orders were cancelled in 2025?",
    "split by currency": "What was the total amount of paid orders in May 2026?",
    "median": "What is the median amount of refunds in USD?",
    "distinct": "How many different reasons are among the refunds?",
    "groups": "How many products are there by category?",
    "months": "How many orders per month in 2026?",
    "quarters": "How many orders per quarter?",
    "weeks": "How many orders per week in May 2026?",
    "top group": "Which channel has the most orders?",
    "top rows": "What was our largest order in EUR?",
    "bounded groups": "Which months had more than 75 orders?",
    "rows": "Which products have a list price above 100?",
    "share": "What share of orders was cancelled?",
    "joined filter": "How many orders came from customers in Germany?",
    "joined groups": "Total quantity by category",
    "looked-up value": "How many orders did Alma Adler make?",
    "between": "How many orders between 100 and 200 EUR?",
    "excluded": "How many orders not cancelled in 2026?",
    "files": "What tables do you have?",
    "table": "Describe orders",
}


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    root = tmp_path
    write_shop_files(root / "files")
    opened = await Workspace.open(root / "files", root / "cache", LIMITS, ManualClock())
    yield opened
    await opened.close()


@pytest.mark.timeout(900)
async def test_every_shape_of_query_passes_the_guard_and_backs_its_figures(workspace: Workspace) -> None:
    for name, question in SHAPES.items():
        result = await ask(workspace, question, name)
        failed = [item.summary for item in result.evidence if item.failed]
        assert not failed, (name, failed)
        assert result.status is Status.ANSWERED, name
        assert not declined(result.answer), (name, result.answer)
        assert not result.verification.missing, (name, result.verification.line, result.answer)
        assert result.verification.figures > 0, (name, result.answer)

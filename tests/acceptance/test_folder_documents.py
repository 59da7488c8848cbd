"""The document questions of the folder cases, with scripted calls: every figure stands in what the tools gave."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from runtime.testing.scripted_model import ScriptedModel, asks, says
from tests.acceptance.grading import contains, has_figure
from tests.acceptance.test_folder_qa import QUESTIONS, ask, staged

SLEEP = "SELECT round(100.0 * avg(CASE WHEN hours >= 7.5 THEN 1 ELSE 0 END), 1) AS percent FROM sleep"
TRIPS = "SELECT count(*) AS n FROM trips WHERE purpose = 'leisure'"

# Question → the calls that a careful reader makes, side by side, and the answer they lead to.
SCRIPTS: dict[str, tuple[list[tuple[str, dict[str, Any]]], str]] = {
    "dev-slp-02": (
        [("grep_files", {"pattern": "sleep", "names": ["goals.md"]}), ("run_sql", {"sql": SLEEP})],
        "On 30% of the nights [E2]; the target is 7.5 hours a night [E1].",
    ),
    "dev-goal-01": (
        [("grep_files", {"pattern": "travel", "names": ["goals.md"]}), ("run_sql", {"sql": TRIPS})],
        "Yes, it has been met: there are 4 leisure trips [E2], and the goal was at least 3 [E1].",
    ),
    "dev-pdf-01": (
        [("read_file", {"name": "lease.pdf"}), ("run_sql", {"sql": "SELECT 1890 / 1260 AS months"})],
        "The deposit of $1,890 [E1] is 1.5 months [E2] of the rent of $1,260 [E1].",
    ),
    "dev-pdf-02": (
        [
            ("grep_files", {"pattern": "notice|move out|terminat|days"}),
            ("read_file", {"names": ["lease.pdf", "journal.txt"]}),
        ],
        "I can't answer that: the lease does not say a notice period [E2].",
    ),
    "dev-jrn-01": (
        [("grep_files", {"pattern": "2024-06.*mood"})],
        "«2024-06-21  Longest day. mood: restless.» (journal.txt:8) [E1]",
    ),
}
DOCUMENTS = {case["id"]: case for case in QUESTIONS if "document" in case["needs"]}


if DOCUMENTS:  # collected only where the shared cases are

    def test_every_document_question_has_its_script() -> None:
        assert set(DOCUMENTS) == set(SCRIPTS)

    @pytest.mark.parametrize("name", sorted(SCRIPTS))
    async def test_a_document_question_can_be_answered_from_the_results(name: str, tmp_path: Path) -> None:
        case = DOCUMENTS[name]
        calls, answer = SCRIPTS[name]
        model = ScriptedModel([asks(*calls), says(answer)])
        async with staged(tuple(case["files"]), tmp_path) as workspace:
            result = await asyncio.wait_for(ask(workspace, case["question"], name, model), 180)
        items = list(result.evidence)
        assert not any(item.failed for item in items), [item.error for item in items if item.failed]
        assert not result.verification.missing, result.verification.line
        expect = case["expect"]
        assert all(has_figure(answer, figure, expect["tolerance"]) for figure in expect.get("figures", ()))
        assert all(contains(answer, entry) for entry in expect.get("contains", ()))
        given = "\n".join(item.output or item.model_text for item in items)
        if name == "dev-pdf-02":
            assert "notice" not in given.casefold()
            assert "Renewal: month-to-month" in given
        if name == "dev-jrn-01":
            assert "journal.txt:8: 2024-06-21  Longest day. mood: restless." in given

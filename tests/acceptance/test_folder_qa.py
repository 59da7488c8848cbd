"""The folder questions, asked of the real workspace tools through the run loop with the offline analyst.

Those that need "table" only must be answered right, also in other words, and so must look-ups in documents. What the
analyst can't do it must decline: hardly anything may be wrong.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime.capability import WORKSPACE_TERMS, Open, Scope, Services
from runtime.charts import Chart
from runtime.durable import DirectSteps
from runtime.engines.port import ReadEngines
from runtime.engines.workspace.query import SOURCE
from runtime.engines.workspace.workspace import Workspace
from runtime.limits import DEFAULT
from runtime.models.offline import OfflineModel
from runtime.models.port import Model
from runtime.registry import Registry
from runtime.run import RunRequest, RunResult, run
from runtime.testing.clock import ManualClock
from runtime.testing.wiring import wiring_over
from tests.acceptance.grading import grade

CASES = Path(__file__).parents[3] / "shared" / "cases" / "folder_qa"
QUESTIONS: list[dict[str, Any]] = (
    [json.loads(line) for line in (CASES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    if CASES.is_dir()
    else []
)

RIGHT_SHARE, REWORDED_SHARE, DOCUMENT_SHARE, WRONG_SHARE = 0.85, 0.75, 0.6, 0.02
LIMITS = DEFAULT.override({"worker_pool": 1})  # one worker is enough here and starts in half the time


class _AlwaysOpen:
    async def source(self, scope: Scope, source_id: str) -> Open:
        return Open("r1")


@asynccontextmanager
async def staged(files: tuple[str, ...], root: Path) -> AsyncIterator[Workspace]:
    """A workspace that holds exactly these files."""
    folder = root / "files"
    folder.mkdir(parents=True)
    for name in files:
        shutil.copy(CASES / name, folder / name)
    workspace = await Workspace.open(folder, root / "cache", LIMITS, ManualClock())
    try:
        yield workspace
    finally:
        await workspace.close()


async def ask(workspace: Workspace, question: str, run_id: str, model: Model | None = None) -> RunResult:
    """One run of the real loop over the real tools."""
    wiring = wiring_over(
        Services(workspace, ReadEngines({SOURCE: workspace}, {})),
        _AlwaysOpen(),
        registry=Registry.of(),
        model=model or OfflineModel(),
        limits=LIMITS,
        clock=ManualClock(),
    )
    scope = Scope(
        run_id=run_id,
        conversation="C1:1",
        origin="person",
        asker="U1",
        timezone="Europe/Berlin",
        policy_revision="p1",
        sources=frozenset([SOURCE]),
        terms=WORKSPACE_TERMS,
    )
    return await run(wiring, RunRequest(scope, question, "Now: Monday, 2026-11-30 10:00."), DirectSteps())


def _grade(result: RunResult, case: dict[str, Any]) -> str:
    charts = [Chart.from_json(item.chart) for item in result.evidence if item.chart is not None]
    return grade(result.answer, case["expect"], charts)


async def check_folder_questions(tmp_path: Path) -> None:
    grades: dict[tuple[str, int], str] = {}
    answers: dict[tuple[str, int], str] = {}
    unfound: dict[tuple[str, int], str] = {}
    by_files: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for case in QUESTIONS:
        by_files.setdefault(tuple(case["files"]), []).append(case)
    for at, (files, cases) in enumerate(by_files.items()):
        async with staged(files, tmp_path / str(at)) as workspace:
            for case in cases:
                questions = [case["question"], *case.get("paraphrases", ())]
                results = await asyncio.gather(
                    *(ask(workspace, text, f"{case['id']}-{wording}") for wording, text in enumerate(questions))
                )
                for wording, result in enumerate(results):
                    key = (case["id"], wording)
                    answers[key], grades[key] = result.answer, _grade(result, case)
                    if result.verification.missing:
                        unfound[key] = f"{result.verification.line}\n{result.answer}"
    assert not unfound, unfound
    wrong = {key: answers[key] for key, value in grades.items() if value == "wrong"}
    assert len(wrong) <= WRONG_SHARE * len(grades), wrong
    needs = {case["id"]: case["needs"] for case in QUESTIONS}
    shares = {
        "given wording": ([key for key in grades if needs[key[0]] == "table" and key[1] == 0], RIGHT_SHARE),
        "paraphrases": ([key for key in grades if needs[key[0]] == "table" and key[1] > 0], REWORDED_SHARE),
        "documents": ([key for key in grades if needs[key[0]].startswith("document")], DOCUMENT_SHARE),
    }
    for name, (keys, least) in shares.items():
        right = [key for key in keys if grades[key] == "right"]
        print(f"{name}: {len(right)} of {len(keys)}")
        assert len(right) >= least * len(keys), {key: answers[key] for key in keys if key not in right}


if QUESTIONS:  # collected only where the shared cases are

    @pytest.mark.timeout(400)
    async def test_folder_questions(tmp_path: Path) -> None:
        await check_folder_questions(tmp_path)

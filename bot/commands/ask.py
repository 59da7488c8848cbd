"""`footnote ask`: one question without Slack."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict

from bot.commands.local_run import local_analyst, settings_for
from bot.logs import set_up_logs
from bot.progress_bar import ProgressBar
from bot.question import too_long
from bot.render.words import counted
from bot.settings import Settings
from runtime.durable import DirectSteps
from runtime.errors import ConfigurationError
from runtime.evidence import Evidence
from runtime.instructions import present_context
from runtime.progress import told_to
from runtime.run import RunRequest, RunResult, Status
from runtime.run import run as run_question


def run(arguments: argparse.Namespace) -> int:
    """Prints the answer with its evidence; 0 when the question was answered."""
    settings = settings_for(arguments.manifest, arguments.model)
    set_up_logs(settings.log)
    result = asyncio.run(_ask(arguments.question, settings))
    print(json.dumps(as_json(result), ensure_ascii=False, indent=2) if arguments.json else as_text(result))
    return 0 if result.status is Status.ANSWERED else 1


async def _ask(question: str, settings: Settings) -> RunResult:
    async with local_analyst(settings) as (analyst, scope):
        if (said := too_long(question, analyst.limits.question_chars)) is not None:
            raise ConfigurationError(said)
        context = present_context(
            now=analyst.clock.now(),
            timezone=scope.timezone,
            asker="an operator",
            place="a direct message",
            sources=scope.described(),
        )
        with told_to(ProgressBar()):
            return await run_question(analyst.wiring, RunRequest(scope, question, context), DirectSteps())


def as_json(result: RunResult) -> dict[str, object]:
    """`{answer, evidence[], verification, usage, status}`, with the run's id and model."""
    return {
        "answer": result.answer,
        "evidence": [item.as_json() for item in result.evidence],
        "verification": result.verification.as_json(),
        "usage": asdict(result.usage),
        "status": result.status.value,
        "run_id": result.run_id,
        "model": result.model,
    }


def as_text(result: RunResult) -> str:
    """The answer, the verification line, a line with its SQL for each evidence item that the answer cites or that
    failed, and one line for all others."""
    lines = [result.answer, "", result.verification.line]
    shown = [item for item in result.evidence if item.failed or item.id in result.verification.cited]
    for item in shown:
        lines.append(_line(item))
        if item.sql:
            lines += [f"      {line}" for line in item.sql.splitlines()]
    if others := len(result.evidence) - len(shown):
        lines.append(f"  {counted(others, 'more call')} that the answer doesn't cite; --json has them")
    return "\n".join(lines)


def _line(item: Evidence) -> str:
    files = ", ".join(dict.fromkeys(source.file or source.object for source in item.sources))
    parts = [item.id, item.tool, item.title, files, f"{item.elapsed_ms / 1000:.2f} s"]
    return "  " + " · ".join(part for part in parts if part)

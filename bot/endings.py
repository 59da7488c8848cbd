"""How a turn ends, in each of its ways: what the state keeps of it, and what is posted with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bot.attempt import Attempt
from bot.conversation import RETRACTED
from bot.render.answer import AnswerView, answer_messages
from bot.render.blocks import SlackMessage
from bot.render.failure import failure_message, plain_message
from bot.render.files import FilePart, result_files
from bot.render.grouping import Numerals
from bot.render.private_offer import with_private_offer
from runtime.evidence import Evidence
from runtime.run import RunResult, Status
from runtime.state import TurnEnd

FAILED = "failed"
STOPPED = "Stopped. Ask again to start over."
STOPPED_MIDWAY = "Stopped. What was gathered until then is below; ask again to start over."


@dataclass(frozen=True, slots=True)
class Ending:
    """A turn's end with its messages and, behind them, its files, in the order in which they are posted."""

    end: TurnEnd
    messages: Sequence[SlackMessage] = ()
    files: Sequence[FilePart] = ()


def answered(
    attempt: Attempt,
    result: RunResult,
    answer: str,
    pictures: Sequence[FilePart],
    numerals: Numerals,
    *,
    private: bool,
) -> Ending:
    """A run's result in the words `answer`, with its charts as `pictures`. `private`: whether to offer the asker a
    direct message, where more is open."""
    cited = frozenset(result.verification.cited)
    files = (*pictures, *result_files(result.evidence, cited))
    view = AnswerView(
        answer_markdown=answer,
        verification_line=result.verification.line,
        evidence=result.evidence,
        cited=cited,
        run_id=attempt.turn_id,
        files=files,
        numerals=numerals,
    )
    messages = list(answer_messages(view))
    if private:
        messages = with_private_offer(messages, attempt.turn_id)
    if result.status is Status.MODEL_FAILED:
        again = "You can try again when the model is back."
        messages.append(failure_message(again, attempt.turn_id, retry_value=attempt.turn_id))
    end = TurnEnd(
        status=result.status.value,
        answer=answer,
        evidence_index=_index(result.evidence),
        usage=asdict(result.usage),
        verification=result.verification.as_json(),
        rests_on=attempt.rests_on,
    )
    return Ending(end, messages, files)


def said(attempt: Attempt, text: str) -> Ending:
    """An answer of our own words alone, which may tell of whatever is open."""
    return Ending(
        TurnEnd("answered", text, rests_on={**attempt.grounds.opened, **attempt.grounds.files}), [plain_message(text)]
    )


def refused(sentence: str) -> Ending:
    """A question that is not worked on, and why."""
    return Ending(TurnEnd("refused", sentence), [plain_message(sentence)])


def withheld(attempt: Attempt, sentence: str, *, private: bool) -> Ending:
    """An answer that may not be posted where it was asked any more. `private` as in `answered`."""
    messages = [plain_message(sentence)]
    return Ending(
        TurnEnd("refused", sentence),
        with_private_offer(messages, attempt.turn_id) if private else messages,
    )


def failed(attempt: Attempt, sentence: str, correlation: str) -> Ending:
    """A turn without an answer; `correlation` finds in the log why."""
    message = failure_message(sentence, correlation, retry_value=attempt.turn_id)
    return Ending(TurnEnd(FAILED, sentence), [message])


def stopped(attempt: Attempt) -> Ending:
    """A person stopped it: what it had gathered is shown."""
    if not attempt.gathered:
        return Ending(TurnEnd("stopped", STOPPED, rests_on=attempt.rests_on), [plain_message(STOPPED)])
    evidence = tuple(attempt.gathered)
    end = TurnEnd("stopped", STOPPED_MIDWAY, evidence_index=_index(evidence), rests_on=attempt.rests_on)
    view = AnswerView(STOPPED_MIDWAY, "", evidence, frozenset(), attempt.turn_id)
    return Ending(end, answer_messages(view))


def retracted() -> Ending:
    """The question was deleted: nothing is posted."""
    return Ending(TurnEnd(RETRACTED, ""))


def _index(evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    """What a later turn is told of the evidence: names only."""
    return [{"id": item.id, "tool": item.tool, "title": item.title, "status": item.status} for item in evidence]

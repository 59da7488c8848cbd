"""A thread as the model sees it: the last turns in full, earlier ones as question, answer and evidence index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.files_behind import of_files, still_there
from runtime.engines.workspace.model import WorkspaceCatalog
from runtime.models.port import Message, ModelMessage, UserMessage
from runtime.state import Turn

TURNS_READ = 20
TURNS_VERBATIM = 4
_EARLIER_CHARS = 400
RETRACTED = "retracted"  # the end of a turn whose question was deleted while it ran
_DONT_GUESS = "Don't guess it. If it is asked about, say so, and look anew at what is open.)"
NOT_SHOWN = (
    "(What was answered here is not shown to you: it rests on data that is not open, or not open in the same way, to "
    f"whoever asks now. {_DONT_GUESS}"
)
FILE_GONE = (
    "(What was answered here is not shown to you: it rests on a file that was deleted, or is kept no longer. "
    f"{_DONT_GUESS}"
)
NOT_KNOWN = (
    "(What was answered here is not shown to you: it was kept by a version that did not write down which data its "
    f"answers rest on, so nobody can tell whether that is open now. {_DONT_GUESS}"
)


@dataclass(frozen=True, slots=True)
class History:
    """What the model is shown of a thread, oldest first, and what the answers among it rest on."""

    messages: tuple[Message, ...] = ()
    rests_on: Mapping[str, str] = field(default_factory=dict[str, str])


def rest_on_files(turns: Sequence[Turn]) -> bool:
    """Whether an answer among these rests on files, so that it has to be known which are there."""
    return any(of_files(name) for turn in turns if turn.end for name in turn.end.rests_on or ())


def history(
    turns: Sequence[Turn], most_chars: int, opened: Mapping[str, str], files: WorkspaceCatalog | None
) -> History:
    """The ended turns within `most_chars` in all; the oldest are left out first. An answer is shown only if everything
    it rests on is open now, under the same rules: `opened` has them by source, and `files` are those that are there.
    The questions are people's own words."""
    pairs = list[tuple[Message, Message]]()
    grounds = dict[str, str]()
    left = most_chars
    for age, turn in enumerate(reversed(turns)):
        if turn.end is None or turn.end.status == RETRACTED:
            continue
        whole = age < TURNS_VERBATIM
        kept_back = _kept_back(turn.end.rests_on, opened, files)
        question = _said(turn.start.question, whole)
        answer = kept_back or _said(turn.end.answer, whole) + _index(turn)
        if len(question) + len(answer) > left:
            break
        left -= len(question) + len(answer)
        pairs.append((UserMessage(question), ModelMessage(answer)))
        if not kept_back:
            grounds |= turn.end.rests_on or {}
    return History(tuple(message for pair in reversed(pairs) for message in pair), grounds)


def _kept_back(rests_on: Mapping[str, str] | None, opened: Mapping[str, str], files: WorkspaceCatalog | None) -> str:
    """What stands in place of an answer that is not shown; empty for one that is."""
    if rests_on is None:
        return NOT_KNOWN
    if any(opened.get(name) != rules for name, rules in rests_on.items() if not of_files(name)):
        return NOT_SHOWN
    return "" if still_there(rests_on, files) else FILE_GONE


def _said(text: str, whole: bool) -> str:
    return text if whole or len(text) <= _EARLIER_CHARS else text[: _EARLIER_CHARS - 1] + "…"


def _index(turn: Turn) -> str:
    """The evidence of an earlier turn by name only: a new figure needs a new query."""
    items = turn.end.evidence_index if turn.end else ()
    if not items:
        return ""
    named = "; ".join(f"{item.get('id')} {item.get('tool')} {item.get('title')}" for item in items[:20])
    return f"\n\n(Evidence of that turn, not of this one: {named}.)"

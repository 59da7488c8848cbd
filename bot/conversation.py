"""A thread as the model sees it: the last turns in full, earlier ones as question, answer and evidence index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runtime.models.port import Message, ModelMessage, UserMessage
from runtime.state import Turn

TURNS_READ = 20
TURNS_VERBATIM = 4
_EARLIER_CHARS = 400
RETRACTED = "retracted"  # the end of a turn whose question was deleted while it ran
NOT_SHOWN = (
    "(What was answered here is not shown to you: it rests on data that is not open, or not open in the same way, to "
    "whoever asks now. Don't guess it. If it is asked about, say so, and look anew at what is open.)"
)


@dataclass(frozen=True, slots=True)
class History:
    """What the model is shown of a thread, oldest first, and the sources that the answers among it rest on."""

    messages: tuple[Message, ...] = ()
    sources: frozenset[str] = frozenset()


def history(turns: Sequence[Turn], most_chars: int, opened: Mapping[str, str]) -> History:
    """The ended turns within `most_chars` in all; the oldest are left out first. An answer is shown only if everything
    it rests on is open now, under the same rules: `opened` has them by source. The questions are people's own words."""
    pairs = list[tuple[Message, Message]]()
    sources = set[str]()
    left = most_chars
    for age, turn in enumerate(reversed(turns)):
        if turn.end is None or turn.end.status == RETRACTED:
            continue
        whole = age < TURNS_VERBATIM
        rests_on = turn.end.rests_on
        shown = rests_on is not None and rests_on.items() <= opened.items()
        question = _said(turn.start.question, whole)
        answer = _said(turn.end.answer, whole) + _index(turn) if shown else NOT_SHOWN
        if len(question) + len(answer) > left:
            break
        left -= len(question) + len(answer)
        pairs.append((UserMessage(question), ModelMessage(answer)))
        if shown and rests_on:
            sources |= rests_on.keys()
    return History(tuple(message for pair in reversed(pairs) for message in pair), frozenset(sources))


def _said(text: str, whole: bool) -> str:
    return text if whole or len(text) <= _EARLIER_CHARS else text[: _EARLIER_CHARS - 1] + "…"


def _index(turn: Turn) -> str:
    """The evidence of an earlier turn by name only: a new figure needs a new query."""
    items = turn.end.evidence_index if turn.end else ()
    if not items:
        return ""
    named = "; ".join(f"{item.get('id')} {item.get('tool')} {item.get('title')}" for item in items[:20])
    return f"\n\n(Evidence of that turn, not of this one: {named}.)"

"""A thread as the model sees it: the last turns in full, earlier ones as question, answer and evidence index."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.models.port import Message, ModelMessage, UserMessage
from runtime.state import Turn

TURNS_READ = 20
TURNS_VERBATIM = 4
_EARLIER_CHARS = 400


def history(turns: Sequence[Turn], most_chars: int) -> tuple[Message, ...]:
    """Messages of the ended turns, oldest first, within `most_chars` in all; the oldest are left out first."""
    pairs = list[tuple[Message, Message]]()
    left = most_chars
    for age, turn in enumerate(reversed(turns)):
        if turn.end is None:
            continue
        whole = age < TURNS_VERBATIM
        question, answer = _said(turn.start.question, whole), _said(turn.end.answer, whole) + _index(turn)
        if len(question) + len(answer) > left:
            break
        left -= len(question) + len(answer)
        pairs.append((UserMessage(question), ModelMessage(answer)))
    return tuple(message for pair in reversed(pairs) for message in pair)


def _said(text: str, whole: bool) -> str:
    return text if whole or len(text) <= _EARLIER_CHARS else text[: _EARLIER_CHARS - 1] + "…"


def _index(turn: Turn) -> str:
    """The evidence of an earlier turn by name only: a new figure needs a new query."""
    items = turn.end.evidence_index if turn.end else ()
    if not items:
        return ""
    named = "; ".join(f"{item.get('id')} {item.get('tool')} {item.get('title')}" for item in items[:20])
    return f"\n\n(Evidence of that turn, not of this one: {named}.)"

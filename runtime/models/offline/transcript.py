"""The present turn as the request's messages tell it: the question, and every call made so far with its envelope."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from runtime.models.offline.attachments import Attached, attached_in, pointed
from runtime.models.offline.catalog import as_day
from runtime.models.port import Message, ModelMessage, ModelRequest, ResultsMessage, ToolCall, UserMessage

CHOICES_LEAD = "Please answer with one of these:"
_QUESTION_LINE = re.compile(r"^Question:[ \t]*", re.MULTILINE)
_ZONE = re.compile(r"\btime zone ([A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)*)")
_HEADER_DOUBT = re.compile(r"(?P<table>[^:]+): the header \(.*\) may be a row: ", re.DOTALL)
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


@dataclass(frozen=True, slots=True)
class Done:
    """A finished call. `envelope` is None when the result text was cut so that it no longer reads as JSON."""

    call: ToolCall
    envelope: Mapping[str, Any] | None

    @property
    def ok(self) -> bool:
        return self.envelope is not None and self.envelope.get("ok") is True

    @property
    def evidence(self) -> str:
        return "" if self.envelope is None else str(self.envelope.get("evidence", ""))

    @property
    def data(self) -> Mapping[str, Any]:
        body = self.envelope.get("data") if self.envelope else None
        return cast(Mapping[str, Any], body) if isinstance(body, Mapping) else {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the result says of itself beside its data."""
        listed = self.envelope.get("notes") if self.envelope else None
        return tuple(map(str, cast(Sequence[object], listed))) if isinstance(listed, list) else ()

    @property
    def error(self) -> str:
        """The engine's words for a failed call."""
        if self.envelope is None:
            return "the result was cut and can't be read"
        error = self.envelope.get("error")
        return str(cast(Mapping[str, Any], error).get("message", "")) if isinstance(error, Mapping) else ""


@dataclass(frozen=True, slots=True)
class Turn:
    """`question` is what is to be answered, `earlier` what was asked before it in the thread, oldest first; `steps`
    counts the model steps taken for it so far. `today` is the day in `zone`, the time zone in force. `took` says which
    file was taken for one that the question only points at."""

    question: str
    today: date | None
    done: tuple[Done, ...]
    steps: int
    zone: str = ""
    earlier: tuple[str, ...] = ()
    took: str = ""

    @property
    def everything(self) -> str:
        """All that was asked, the question last."""
        return " ".join((*self.earlier, self.question))

    @property
    def doubts(self) -> tuple[str, ...]:
        """Sentences about tables that were queried and whose header may be none. Its cells are left out: figures in
        them are none of the answer's."""
        notes = [note for done in self.of("run_sql") if done.ok for note in done.notes]
        tables = dict.fromkeys(found["table"] for note in notes if (found := _HEADER_DOUBT.match(note)))
        return tuple(
            f"The first line of `{table}` was taken for its header, but nothing sets it apart from the rows below: if"
            " it is a row, it is missing here."
            for table in tables
        )

    def of(self, tool: str) -> tuple[Done, ...]:
        return tuple(done for done in self.done if done.call.name == tool)

    def made(self, tool: str, arguments: Mapping[str, object]) -> Done | None:
        """The call with these very arguments, when it was made already."""
        return next((done for done in self.of(tool) if dict(done.call.input) == dict(arguments)), None)


def turn_of(request: ModelRequest) -> Turn:
    """The present turn. A message that the run itself puts after results is no question."""
    messages = request.messages
    start = _question_at(messages)
    if not request.tools_allowed and start > 0 and isinstance(messages[start - 1], UserMessage):
        start -= 1  # the last word is the run's own: a budget is used up
    asked = messages[start].text if start >= 0 else ""  # type: ignore[union-attr]
    question = _combined(messages[:start], plain_question(asked)) if start >= 0 else ""
    today = as_day(match.group()) if (match := _DAY.search(request.context)) else None
    rest = messages[start + 1 :]
    zone = match.group(1) if (match := _ZONE.search(request.context)) else ""
    steps = sum(isinstance(message, ModelMessage) for message in rest)
    attached = attached_in(request.context)
    before = tuple(_pointed_before(one, attached) for one in _asked_before(messages[: max(start, 0)]))
    named = pointed(question, attached)
    return Turn(named.question, today, _done(rest), steps, zone, before, named.said)


def _pointed_before(question: str, attached: Attached) -> str:
    """An earlier question; which file it pointed at is known where there is only one."""
    names = {*attached.came, *attached.before}
    return pointed(question, Attached(before=tuple(names))).question if len(names) == 1 else question


def _asked_before(messages: Sequence[Message]) -> tuple[str, ...]:
    """The questions before, each with the choice that was made for it."""
    found = list[str]()
    for at, message in enumerate(messages):
        if isinstance(message, UserMessage) and not (at and isinstance(messages[at - 1], ResultsMessage)):
            said = plain_question(message.text)
            whole = _combined(messages[:at], said)
            if whole != said and found:
                found.pop()
            found.append(whole)
    return tuple(found)


def plain_question(text: str) -> str:
    """The question without the context that stands before its `Question:` line."""
    found = list(_QUESTION_LINE.finditer(text))
    return (text[found[-1].end() :] if found else text).strip()


def _question_at(messages: Sequence[Message]) -> int:
    for at in range(len(messages) - 1, -1, -1):
        if isinstance(messages[at], UserMessage) and not (at and isinstance(messages[at - 1], ResultsMessage)):
            return at
    return -1


def _combined(before: Sequence[Message], question: str) -> str:
    """The earlier question with the choice just made, when the last thing said was a question back."""
    if len(before) < 2 or not isinstance(before[-1], ModelMessage):
        return question
    choices = offered(before[-1].text)
    picked = next((choice for choice in choices if choice.casefold() == question.strip(" .!").casefold()), None)
    at = _question_at(before[:-1])
    if picked is None or at < 0:
        return question
    earlier = before[at]
    assert isinstance(earlier, UserMessage)
    return f"{_combined(before[:at], plain_question(earlier.text))} ({picked})"


def offered(text: str) -> tuple[str, ...]:
    """The choices that a question back of ours offered, or none."""
    lead = text.rfind(CHOICES_LEAD)
    return (
        ()
        if lead < 0
        else tuple(part.strip() for part in text[lead + len(CHOICES_LEAD) :].split(" · ") if part.strip())
    )


def _done(messages: Sequence[Message]) -> tuple[Done, ...]:
    calls: dict[str, ToolCall] = {}
    found: list[Done] = []
    for message in messages:
        if isinstance(message, ModelMessage):
            calls.update({call.id: call for call in message.calls})
        elif isinstance(message, ResultsMessage):
            for result in message.results:
                if result.call_id in calls:
                    found.append(Done(calls[result.call_id], _envelope(result.text)))
    return tuple(found)


def _envelope(text: str) -> Mapping[str, Any] | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return cast(Mapping[str, Any], body) if isinstance(body, dict) else None

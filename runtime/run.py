"""The run: one message's work, as durable model steps with their calls, inside its budgets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

from runtime.boundary import Boundary, Call, CallResult, NoApprovals
from runtime.boundary.approval import Approvals, EffectLocks
from runtime.boundary.call import Environment, named_by_preflight
from runtime.boundary.working_time import WorkingTime
from runtime.capability import AdmissionNow, ApproverRule, EffectKind, Scope, Services
from runtime.clock import Clock, NewId
from runtime.durable import Steps
from runtime.errors import ModelError, ModelUnavailable
from runtime.evidence import CallJournal, Evidence, Json
from runtime.limits import Limits
from runtime.models.port import (
    Message,
    Model,
    ModelMessage,
    ModelRequest,
    ModelStep,
    ResultsMessage,
    Stop,
    ToolResult,
    Usage,
    UserMessage,
)
from runtime.projection import RunCatalog, project
from runtime.registry import Registry
from runtime.verification import Verification, check_figures

_LAST_WORD_SECONDS = 60
_ECHO_CHARS = 60
_NO_WORD = re.compile(r"\w{201,}")  # longer than any name of data; a paste or a slip of the keyboard


class Status(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    BUDGET = "budget_exceeded"
    MODEL_FAILED = "model_failed"
    REFUSED = "refused"


class ReplyStore(Protocol):
    """Where each model step's reply is kept, so that a resumed run spends no token twice."""

    async def get(self, run_id: str, n: int) -> dict[str, Any] | None:
        """The reply of a run's step `n`, from 0 on, as `ModelStep.as_json` gave it; None for a step that has none.
        Raises StateError."""
        ...

    async def put_reply(self, run_id: str, n: int, reply: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps the reply unless the step has one; returns the one that stands. Raises StateError."""
        ...


@dataclass(frozen=True, slots=True)
class Wiring:
    """What every run of this process shares. `run_usd` is the money cap of one run in US dollars, None without one."""

    registry: Registry
    model: Model
    instructions: str
    admission: AdmissionNow
    services: Services
    journal: CallJournal
    replies: ReplyStore
    limits: Limits
    clock: Clock
    new_id: NewId
    approvals: Approvals = field(default_factory=NoApprovals)
    locks: EffectLocks = field(default_factory=EffectLocks)
    dry_run: bool = False
    approvers_of: Callable[[EffectKind], ApproverRule | None] = named_by_preflight
    run_usd: float | None = None


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One question: `context` is what the model is told about now and here, `history` the conversation before it."""

    scope: Scope
    question: str
    context: str = ""
    history: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """One answer, its evidence in call order, and what it cost. `steps` counts the model's; `model` is the name that
    answered."""

    run_id: str
    status: Status
    answer: str
    evidence: tuple[Evidence, ...]
    verification: Verification
    usage: Usage
    model: str
    steps: int


StatusLine = Callable[[str], Awaitable[None]]
"""Takes what the run is doing now, in a few words."""
Seen = Callable[[Evidence], None]


async def _silent(_: str) -> None:
    return None


@dataclass(slots=True)
class _State:
    """What a run has so far. Everything here is derived from replies and journal, so a resumed run has the same."""

    messages: list[Message]
    evidence: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    loaded: frozenset[str] = frozenset()
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    texts: list[str] = field(default_factory=list[str])
    model: str = ""


async def run(
    wiring: Wiring,
    request: RunRequest,
    steps: Steps,
    *,
    progress: StatusLine = _silent,
    seen: Seen = lambda _: None,
) -> RunResult:
    """Works until the model answers or a budget is used up. Every ending is a RunResult with the evidence so far; only
    cancellation and failures of the state store pass through. `seen` is told each item as soon as its step is done, so
    that a caller who cancels the run has them."""
    return await _Run(wiring, request, steps, progress, seen).work()


def boundary_of(
    wiring: Wiring,
    scope: Scope,
    catalog: RunCatalog | None = None,
    evidence: Callable[[str], Evidence | None] = lambda _: None,
) -> Boundary:
    """The boundary of one run: the only path from a call to data."""
    environment = Environment(
        scope=scope,
        catalog=catalog or project(wiring.registry, scope),
        admission=wiring.admission,
        approvals=wiring.approvals,
        locks=wiring.locks,
        services=wiring.services,
        limits=wiring.limits,
        clock=wiring.clock,
        new_id=wiring.new_id,
        evidence=evidence,
        time=WorkingTime(wiring.clock),
        dry_run=wiring.dry_run,
        approvers_of=wiring.approvers_of,
    )
    return Boundary(environment, wiring.journal)


class _Run:
    def __init__(self, wiring: Wiring, request: RunRequest, steps: Steps, progress: StatusLine, seen: Seen) -> None:
        self.wiring = wiring
        self.request = request
        self.steps = steps
        self.progress = progress
        self.seen = seen
        self.catalog: RunCatalog = project(wiring.registry, request.scope)
        self.state = _State(messages=[*request.history, UserMessage(request.question)])
        self._began = wiring.clock.monotonic()
        self.boundary = boundary_of(wiring, request.scope, self.catalog, self.state.evidence.get)
        # Kept replies are those of the first steps: behind the first one that is missing there are none to look for.
        self.replaying = True

    @property
    def deadline(self) -> float:
        """When the working time is used up, on the monotonic clock. Waiting for people moves it on."""
        return self._began + self.wiring.limits.run_seconds + self.boundary.environment.time.waited

    async def work(self) -> RunResult:
        n, spent = 0, ""
        while True:
            spent = self._spent(n)
            if spent:
                self._say(
                    f"{spent} Answer now in words from the evidence that is there, and say that this limit was reached."
                )
            try:
                reply = await self._step(n, tools_allowed=not spent)
            except ModelError as error:
                return self._end(Status.MODEL_FAILED, _without_model(str(error), self.state), n)
            n += 1
            if reply.stop is Stop.PAUSE and not spent:
                continue
            if not reply.calls or spent:
                return self._finish(reply, spent, n)

    def _finish(self, reply: ModelStep, spent: str, n: int) -> RunResult:
        text = self._readable(reply.text)
        if reply.stop is Stop.REFUSAL:
            return self._end(Status.REFUSED, text or "The model declined to answer this question.", n)
        if reply.stop is Stop.MAX_TOKENS:
            text += "\n\n(The answer was cut at the model's output limit.)"
        if reply.stop is Stop.CONTEXT_FULL:
            text = text or "This conversation no longer fits the model's context. Please ask again in a new thread."
        if not text:
            gathered = " The evidence it gathered is below." if self.state.evidence else ""
            text = f"The model gave no answer in words.{gathered}"
        if spent:
            text += f"\n\n({spent})" if spent not in text else ""
        return self._end(Status.BUDGET if spent else Status.ANSWERED, text, n)

    def _readable(self, text: str) -> str:
        """The model's last words without what cannot be seen as text, within their bound; '' for nothing to read."""
        most = self.wiring.limits.answer_chars
        text = _without_long_echoes(text, self.request.question)
        if len(text) > most:
            text = f"{text[:most].rstrip()}…\n\n(The answer has {len(text):,} characters; only its beginning is shown.)"
        return text.strip() if any(char.isprintable() and not char.isspace() for char in text) else ""

    async def _step(self, n: int, *, tools_allowed: bool) -> ModelStep:
        """One durable step: the model's reply and its whole batch of calls, each journalled by its digest."""
        fresh: list[tuple[ModelStep, tuple[CallResult, ...]]] = []

        async def work() -> Json:
            try:
                reply = await self._reply(n, tools_allowed)
            except ModelError as error:
                return {"step": n, "failed": str(error)}
            results = await self._calls(reply) if tools_allowed else ()
            fresh.append((reply, results))
            return {"step": n, "calls": len(results)}

        outcome = await self.steps.step(f"model step {n}", work)
        if isinstance(outcome, dict) and "failed" in outcome:
            raise ModelError(str(outcome["failed"]))
        if not fresh:  # a resumed run: the step is done; its reply and results stand in our own tables
            reply = await self._reply(n, tools_allowed)
            fresh.append((reply, await self._calls(reply) if tools_allowed else ()))
        self._take(*fresh[0])
        return fresh[0][0]

    async def _reply(self, n: int, tools_allowed: bool) -> ModelStep:
        run_id = self.request.scope.run_id
        kept = await self.wiring.replies.get(run_id, n) if self.replaying else None
        if kept is None:
            self.replaying = False
            reply = await self._ask_model(tools_allowed)
            kept = await self.wiring.replies.put_reply(run_id, n, reply.as_json())
        return ModelStep.from_json(kept)

    async def _ask_model(self, tools_allowed: bool) -> ModelStep:
        """One request, within what is left of the run's time; the last word gets its own minute when all is used up."""
        remaining = self.deadline - self.wiring.clock.monotonic()
        try:
            async with asyncio.timeout(max(remaining, _LAST_WORD_SECONDS)):
                return await self.wiring.model.step(self._model_request(tools_allowed))
        except TimeoutError as error:
            raise ModelUnavailable("The model did not answer within this run's time.") from error

    def _model_request(self, tools_allowed: bool) -> ModelRequest:
        return ModelRequest(
            instructions=self.wiring.instructions,
            context=self.request.context,
            tools=self.catalog.definitions(),
            messages=tuple(self.state.messages),
            loaded=self.state.loaded,
            tools_allowed=tools_allowed,
        )

    async def _calls(self, reply: ModelStep) -> tuple[CallResult, ...]:
        if not reply.calls:
            return ()
        await self.progress(_doing(reply))
        return await self.boundary.batch(
            [Call(call.id, call.name, call.input) for call in reply.calls],
            first=self.state.calls + 1,
            loaded=self.state.loaded,
            allowed=max(0, self.wiring.limits.run_calls - self.state.calls),
            deadline=self.deadline,
        )

    def _take(self, reply: ModelStep, results: Sequence[CallResult]) -> None:
        state = self.state
        state.usage = state.usage + reply.usage
        state.model = reply.model or state.model
        if reply.text.strip():
            state.texts.append(reply.text.strip())
        state.messages.append(ModelMessage(reply.text, reply.calls, reply.opaque))
        if results:
            state.calls += len(results)
            state.evidence.update({result.evidence.id: result.evidence for result in results})
            for result in results:
                self.seen(result.evidence)
            state.loaded = state.loaded | {name for result in results for name in result.loaded}
            state.messages.append(
                ResultsMessage(tuple(ToolResult(r.call_id, r.text, r.is_error, r.loaded) for r in results))
            )

    def _say(self, text: str) -> None:
        """Adds the run's own words behind the last message, without breaking the order of speakers."""
        last = self.state.messages[-1]
        if isinstance(last, ResultsMessage):
            self.state.messages[-1] = replace(last, text=text)
        else:
            self.state.messages.append(UserMessage(text))

    def _spent(self, n: int) -> str:
        """The budget that is used up, as a sentence, or ''."""
        limits, state = self.wiring.limits, self.state
        if n >= limits.run_model_steps - 1:
            return f"The limit of {limits.run_model_steps} model steps is reached."
        if state.calls >= limits.run_calls:
            return f"The limit of {limits.run_calls} calls is reached."
        if self.wiring.clock.monotonic() >= self.deadline:
            return f"The limit of {limits.run_seconds} s of working time is reached."
        if state.usage.output_tokens >= limits.run_output_tokens:
            return f"The limit of {limits.run_output_tokens:,} output tokens is reached."
        if self.wiring.run_usd is not None and state.usage.usd >= self.wiring.run_usd:
            return f"The limit of {self.wiring.run_usd:.2f} USD for one run is reached."
        return ""

    def _end(self, status: Status, answer: str, n: int) -> RunResult:
        evidence = tuple(self.state.evidence.values())
        return RunResult(
            run_id=self.request.scope.run_id,
            status=status,
            answer=answer,
            evidence=evidence,
            verification=check_figures(answer, evidence, question=self.request.question),
            usage=self.state.usage,
            model=self.state.model or self.wiring.model.name,
            steps=n,
        )


def _doing(reply: ModelStep) -> str:
    """A few words for the status line: the model's own notes when it gave some, else the tools' names."""
    notes = [str(call.input["note"]) for call in reply.calls if isinstance(call.input.get("note"), str)]
    names = list(dict.fromkeys(call.name for call in reply.calls))
    return (notes[0] if notes else f"is using {', '.join(names)}")[:100]


def _without_long_echoes(text: str, question: str) -> str:
    """The text, in which a word of the question that is none by its length stands with its beginning alone."""
    asked = question.casefold()

    def shortened(found: re.Match[str]) -> str:
        return f"{found[0][:_ECHO_CHARS]}…" if found[0].casefold() in asked else found[0]

    return _NO_WORD.sub(shortened, text)


def _without_model(reason: str, state: _State) -> str:
    gathered = len(state.evidence)
    tail = f" What was gathered until then ({gathered} pieces of evidence) is below." if gathered else ""
    said = f"\n\n{state.texts[-1]}" if state.texts else ""
    return f"I could not finish: {reason}{tail}{said}"


__all__ = ["ReplyStore", "RunRequest", "RunResult", "Status", "StatusLine", "Wiring", "boundary_of", "run"]

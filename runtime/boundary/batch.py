"""All calls of one model step: reads side by side, an effect alone, results in call order, each journalled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from runtime.boundary.call import Call, CallResult, Environment, InFlight
from runtime.boundary.gate import Gate
from runtime.boundary.inner_reads import InnerReads
from runtime.boundary.memo import Memo
from runtime.boundary.pipeline import run_call
from runtime.errors import CallError
from runtime.evidence import CallJournal, JournalEntry


@dataclass(slots=True)
class Boundary:
    """The boundary of one run. It owns the run's repeat memo and its gate; evidence lives with the run."""

    environment: Environment
    journal: CallJournal
    memo: Memo = field(default_factory=Memo)
    gate: Gate = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate(self.environment.limits)

    async def batch(
        self, calls: Sequence[Call], *, first: int, loaded: frozenset[str], allowed: int, deadline: float
    ) -> tuple[CallResult, ...]:
        """Runs the calls of one step. `first` is the number of the first evidence item; calls beyond `allowed`, the
        run's, or beyond those of one step are refused, not run; `deadline` is the run's, on the monotonic clock.
        Results stand in call order."""
        results = list[CallResult]()
        segment = list[InFlight]()
        for index, call in enumerate(calls):
            flight = self._depart(call, first + index, loaded, deadline, self._over_budget(index, allowed))
            if self._changes_something(call):
                results += await self._side_by_side(segment)
                results += await self._side_by_side([flight])
                segment = []
            else:
                segment.append(flight)
        return tuple(results + await self._side_by_side(segment))

    def _depart(
        self, call: Call, position: int, loaded: frozenset[str], deadline: float, over_budget: CallError | None
    ) -> InFlight:
        environment = self.environment
        return InFlight(
            environment=environment,
            call=call,
            position=position,
            loaded=loaded,
            started=environment.clock.monotonic(),
            deadline=deadline,
            reads=InnerReads(environment.scope, environment.admission, environment.services, self.gate),
            over_budget=over_budget,
        )

    def _over_budget(self, index: int, allowed: int) -> CallError | None:
        if index >= allowed:
            hint = "Answer now from the evidence that is there."
            return CallError("budget_exceeded", "This run has no calls left.", hint=hint)
        if index >= (most := self.environment.limits.run_calls_per_step):
            hint = "It was not run: call again in the next step, if it is still needed."
            return CallError("budget_exceeded", f"One step makes at most {most} calls.", hint=hint, retryable=True)
        return None

    def _changes_something(self, call: Call) -> bool:
        capability = self.environment.catalog.capability(call.tool)
        return capability is not None and capability.effect is not None

    async def _side_by_side(self, flights: Sequence[InFlight]) -> list[CallResult]:
        tasks = dict[str, asyncio.Task[CallResult]]()
        ordered = list[asyncio.Task[CallResult]]()
        for flight in flights:
            twin = tasks.get(flight.call.digest)
            tasks[flight.call.digest] = task = asyncio.create_task(self._journalled(flight, twin))
            ordered.append(task)
        try:
            return list(await asyncio.gather(*ordered))
        finally:  # a failed store or a stopped run takes the other calls along; none outlives its step
            for task in ordered:
                task.cancel()
            if ordered:
                await asyncio.wait(ordered)

    async def _journalled(self, flight: InFlight, twin: asyncio.Task[CallResult] | None) -> CallResult:
        run_id = flight.environment.scope.run_id
        if twin is not None:
            await asyncio.wait([twin])
        known = await self.journal.find(run_id, flight.key, flight.call.digest)
        if known is not None:
            return _from_journal(known)
        done = await run_call(flight, self.memo, self.gate)
        return _from_journal(await self.journal.put(_entry(flight, done)))


def _entry(flight: InFlight, done: CallResult) -> JournalEntry:
    return JournalEntry(
        run_id=flight.environment.scope.run_id,
        call_id=flight.key,
        digest=flight.call.digest,
        position=flight.position,
        result=done.text,
        is_error=done.is_error,
        evidence=done.evidence,
        loaded=done.loaded,
    )


def _from_journal(entry: JournalEntry) -> CallResult:
    return CallResult(entry.evidence.call_id, entry.result, entry.is_error, entry.evidence, entry.loaded)

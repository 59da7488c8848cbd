"""A call on its way through the boundary: what is known of it after each stage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.boundary.approval import Approvals, EffectLocks
from runtime.boundary.inner_reads import InnerReads
from runtime.boundary.working_time import WorkingTime
from runtime.capability import (
    AdmissionNow,
    ApproverRule,
    Arguments,
    CallContext,
    Capability,
    EffectKind,
    Output,
    RunCatalogView,
    Scope,
    Services,
)
from runtime.clock import Clock, NewId
from runtime.errors import CallError
from runtime.evidence import Evidence, Json
from runtime.limits import Limits


def named_by_preflight(_: EffectKind) -> ApproverRule | None:
    """No kind of effect has approvers of its own."""
    return None


class RunCatalog(RunCatalogView, Protocol):
    """The frozen run catalog, with the capabilities behind its names."""

    def capability(self, tool: str) -> Capability[Any] | None:
        """The capability of a tool of this run, or None."""
        ...

    def near(self, tool: str) -> tuple[str, ...]:
        """Names of this run's tools that look like `tool`, nearest first."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the model asked for it."""

    id: str
    tool: str
    input: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """sha256 over the tool and its canonical arguments without `note`: the identity of the call."""
        arguments = {key: value for key, value in self.input.items() if key != "note"}
        body = json.dumps([self.tool, arguments], sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
        return "sha256:" + hashlib.sha256(body.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call gave back: the envelope's text for the model, and its evidence."""

    call_id: str
    text: str
    is_error: bool
    evidence: Evidence
    loaded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """What all calls of a run share. Immutable, but for the stores that it points to. `dry_run`: what a person approves
    is checked to the end and then not done. `approvers_of` tells who approves effects of a kind whose preflight names
    nobody itself."""

    scope: Scope
    catalog: RunCatalog
    admission: AdmissionNow
    approvals: Approvals
    locks: EffectLocks
    services: Services
    limits: Limits
    clock: Clock
    new_id: NewId
    evidence: Callable[[str], Evidence | None]
    time: WorkingTime
    dry_run: bool = False
    approvers_of: Callable[[EffectKind], ApproverRule | None] = named_by_preflight


@dataclass(frozen=True, slots=True)
class InFlight:
    """A call between two stages. A stage returns a copy that knows more, or raises CallError."""

    environment: Environment
    call: Call
    position: int
    loaded: frozenset[str]
    started: float
    deadline: float
    reads: InnerReads
    over_budget: CallError | None = None
    capability: Capability[Any] | None = None
    arguments: Arguments | None = None
    revision: str = ""
    repeat: Evidence | None = None
    output: Output | None = None
    fingerprint: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def evidence_id(self) -> str:
        return f"E{self.position}"

    @property
    def key(self) -> str:
        """The call's own id in its run. A provider's ids may repeat; with the position in front they don't."""
        return f"{self.position}:{self.call.id}"

    @property
    def registered(self) -> Capability[Any]:
        """The capability, once the first stage has found it."""
        if self.capability is None:
            raise AssertionError("no capability before the first stage")
        return self.capability

    @property
    def typed(self) -> Arguments:
        """The typed arguments, once the second stage has checked them."""
        if self.arguments is None:
            raise AssertionError("no arguments before the second stage")
        return self.arguments

    @property
    def produced(self) -> Output:
        """The output, once the call has been executed."""
        if self.output is None:
            raise AssertionError("no output before execution")
        return self.output

    def context(self) -> CallContext:
        """What the executor is given."""
        environment = self.environment
        return CallContext(
            scope=environment.scope,
            call_id=self.key,
            limits=environment.limits,
            clock=environment.clock,
            services=environment.services,
            catalog=environment.catalog,
            loaded=self.loaded,
            evidence=environment.evidence,
            deadline=self.deadline,
            read=self.reads,
            admitted=self.reads.admitted,
            fingerprint=self.fingerprint,
        )


Stage = Callable[[InFlight], Awaitable[InFlight]]
Payload = dict[str, Json]

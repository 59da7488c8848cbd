"""Approvals as the boundary sees them: one frozen call, one person's answer, one effect at a time per target."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol
from weakref import WeakValueDictionary

from runtime.capability import ApproverRule, Preflight


@dataclass(frozen=True, slots=True)
class FrozenCall:
    """Exactly what a person is asked to allow. Its digest covers everything that could make it another call. `call_id`
    is the call's own in its run; `kind` the kind of effect; `source` the admitted source it touches, '' for none;
    `run_age_s` for how long its run has been open."""

    run_id: str
    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    preflight: Preflight
    policy_revision: str
    conversation: str = ""
    requester: str = ""
    kind: str = ""
    source: str = ""
    run_age_s: float = 0.0

    @property
    def rule(self) -> ApproverRule:
        """Who may approve it; a preflight that names nobody is approved by nobody."""
        return self.preflight.approvers or ApproverRule()

    @property
    def digest(self) -> str:
        """sha256 over the canonical call, as `sha256:…`."""
        parts = [
            self.run_id,
            self.call_id,
            self.tool,
            dict(self.arguments),
            self.preflight.fingerprint,
            self.policy_revision,
        ]
        body = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
        return "sha256:" + hashlib.sha256(body.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Approved:
    """People's yes to the frozen call of this digest, taken up: it is this run's to carry out now. `approvers` names
    them for people."""

    approval_id: str
    digest: str
    approvers: str


@dataclass(frozen=True, slots=True)
class NotApproved:
    """No yes: rejected, expired, voided or impossible. `reason` is a sentence for the model and the thread."""

    reason: str
    rejected: bool = False


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an attempt of this very call that a crash ended has left. `running`: it had its yes and may have executed;
    in any other state `reason` says how it ended."""

    approval_id: str
    state: str
    reason: str
    digest: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an approved call: `done`; `drift`, the target is no longer what people saw; `failed`, nothing was
    applied; `void`, it was never begun; `dry_run`, it was only rehearsed; `unknown`, nobody can tell and it is not run
    again. `sentence` is for people; `receipt` '' for none."""

    state: Literal["done", "drift", "failed", "void", "unknown", "dry_run"]
    sentence: str
    receipt: str = ""


class Approvals(Protocol):
    """Where a frozen call is put before people."""

    async def earlier(self, run_id: str, call_id: str) -> Earlier | None:
        """What an earlier attempt of this call left; None when it was never asked for. Asked before the preflight."""
        ...

    async def ask(self, call: FrozenCall) -> Approved | NotApproved:
        """Waits for the answer. Never grants by itself."""
        ...

    async def settle(self, approval_id: str, outcome: Outcome) -> None:
        """Takes down what came of a call that `ask` said yes to."""
        ...


class NoApprovals:
    """A place where nobody can be asked: every effect that needs a person is refused."""

    async def earlier(self, run_id: str, call_id: str) -> Earlier | None:
        return None

    async def ask(self, call: FrozenCall) -> Approved | NotApproved:
        return NotApproved("No person can be asked for an approval in this run.")

    async def settle(self, approval_id: str, outcome: Outcome) -> None:
        raise AssertionError("nothing is approved where nobody can be asked")


class EffectLocks:
    """One effect at a time per run and per target, inside this process."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hold(self, run_id: str, target: str) -> AsyncGenerator[None]:
        """Holds the run's and the target's lock, always in this order."""
        async with self._lock(f"run:{run_id}"), self._lock(f"target:{target}"):
            yield

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())

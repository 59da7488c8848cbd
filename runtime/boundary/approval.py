"""Approvals as the boundary sees them: one frozen call, one person's answer, one effect at a time per target."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from runtime.capability import Preflight


@dataclass(frozen=True, slots=True)
class FrozenCall:
    """Exactly what a person is asked to allow. Its digest covers everything that could make it another call."""

    run_id: str
    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    preflight: Preflight
    policy_revision: str

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
    """A person's yes to the frozen call of this digest."""

    digest: str
    approver: str


@dataclass(frozen=True, slots=True)
class NotApproved:
    """No yes: rejected, expired, voided or impossible. `reason` is a sentence for the model and the thread."""

    reason: str


class Approvals(Protocol):
    """Where a frozen call is put before a person."""

    async def ask(self, call: FrozenCall) -> Approved | NotApproved:
        """Waits for the answer. Never grants by itself."""
        ...


class NoApprovals:
    """A place where nobody can be asked: every effect that needs a person is refused."""

    async def ask(self, call: FrozenCall) -> Approved | NotApproved:
        return NotApproved("No person can be asked for an approval in this run.")


class EffectLocks:
    """One effect at a time per run and per target, inside this process."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def hold(self, run_id: str, target: str) -> AsyncGenerator[None]:
        """Holds the run's and the target's lock, always in this order."""
        async with self._locks[f"run:{run_id}"], self._locks[f"target:{target}"]:
            yield

"""Admission at the moment of a call: the policy in force, applied to who is present now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from runtime.admission.audience import Asker, Conversation
from runtime.admission.policy import Policy
from runtime.capability import Closed, Open, Scope


class Present(Protocol):
    """Who can read a conversation and who asks, as known now."""

    async def look(self, scope: Scope) -> tuple[Conversation, Asker | None]:
        """The conversation's place and its asker. What cannot be learned is None inside them."""
        ...


@dataclass(frozen=True, slots=True)
class AdmissionByPolicy:
    """Answers stage 3 of the boundary. `policy` gives the one to admit by, None when this process hasn't got it;
    `revision` a source's structure revision."""

    policy: Callable[[], Policy | None]
    present: Present
    revision: Callable[[str], Awaitable[str]]

    async def source(self, scope: Scope, source_id: str) -> Open | Closed:
        """Open only if the source was in the run's frozen scope and is open under the very same policy now."""
        policy = self.policy()
        if policy is None or policy.revision != scope.policy_revision:
            return Closed("The admission policy changed while this run was working.", "Ask again in a new message.")
        if source_id not in scope.sources:
            return Closed("This source is not open in this conversation.", "Use the sources that the tools list.")
        conversation, asker = await self.present.look(scope)
        denied = policy.denial(source_id, conversation, asker)
        if denied is not None:
            return Closed(f"The source is no longer open here. {denied.sentence}", "Say so; do not try another way.")
        return Open(await self.revision(source_id))

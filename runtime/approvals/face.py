"""What the desk asks of the side that people see."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from runtime.capability import Attachment
from runtime.state import Approval, NewDelivery


class Face(Protocol):
    """Shows requests to people. The two `posts` methods are pure: they run inside the state's transaction."""

    def asking(self, approval: Approval, token: str, attachments: Sequence[Attachment]) -> Sequence[NewDelivery]:
        """The card with its buttons, which carry `token`, and the files beside it."""
        ...

    def changed(self, before: Approval, after: Approval, token: str | None = None) -> Sequence[NewDelivery]:
        """What a change makes of the card, and what is said in the thread. `token`: that of buttons that stay."""
        ...

    def deliver(self, approval_id: str) -> None:
        """Begins to bring out what is in the outbox for this request; returns at once."""
        ...

    async def brought_out(self, approval_id: str, seconds: float) -> bool:
        """Waits, at most so long, until what is in the outbox is brought out; False when the card was refused."""
        ...

    async def refusal(self, approval: Approval) -> str:
        """Why nothing may be asked in this place now, as a sentence; '' when it may."""
        ...

    def waiting(self, conversation: str) -> AbstractAsyncContextManager[None]:
        """Shows, as long as it is open, that nobody works: a person is waited for."""
        ...

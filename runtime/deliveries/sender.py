"""What the outbox asks of the side that can really post, and the answers it may give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runtime.state import Delivery


@dataclass(frozen=True, slots=True)
class Sent:
    """The posting is there; `remote_id` is its name at the receiver."""

    remote_id: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The posting was not made and will not be: trying again cannot help."""

    reason: str


@dataclass(frozen=True, slots=True)
class Later:
    """The receiver is away or asks to try again after `seconds`: a posting was surely not made, a look told nothing."""

    seconds: float


@dataclass(frozen=True, slots=True)
class InDoubt:
    """The request went out and no answer came back: the posting may or may not be there."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotThere:
    """The receiver was asked and surely has no such posting."""


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The receiver could not be asked (a missing right, no history): nobody can know."""

    reason: str


SendOutcome = Sent | Refused | Later | InDoubt
Probed = Sent | NotThere | CannotTell | Later


class Sender(Protocol):
    """Makes postings. Both methods may be cancelled and may raise; the outbox then treats the posting as in doubt."""

    async def send(self, delivery: Delivery) -> SendOutcome:
        """Makes the posting, under `delivery.client_token`, so that the receiver may drop a repeat."""
        ...

    async def probe(self, delivery: Delivery) -> Probed:
        """Looks whether the posting was made by an earlier attempt. Answers NotThere only when an attempt that ended
        `settle_s` seconds ago (see Outbox) would be visible by now, and Later when the receiver cannot be asked now."""
        ...

"""Deliveries: every posting reaches its place once, or is reported. Knows nothing of what a place is."""

from runtime.deliveries.outbox import Drained, Outbox
from runtime.deliveries.sender import CannotTell, InDoubt, Later, NotThere, Probed, Refused, Sender, SendOutcome, Sent

__all__ = [
    "CannotTell",
    "Drained",
    "InDoubt",
    "Later",
    "NotThere",
    "Outbox",
    "Probed",
    "Refused",
    "SendOutcome",
    "Sender",
    "Sent",
]

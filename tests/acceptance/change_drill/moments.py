"""The moments of one approved change at which the bot is killed, in the order in which they come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from runtime.state.tables import effects

Then = Callable[[str], None]

VOID, DONE, FAILED, UNKNOWN = "void", "done", "failed", "unknown"


def _nothing(_: str) -> None:
    """The bot died; nothing else happens."""


def fail_over(state_url: str) -> None:
    """The target is another server from now on: what its ids say of the open change means nothing any more."""
    engine = sa.create_engine(sa.make_url(state_url))
    try:
        with engine.begin() as connection:
            executing = effects.c.state == "executing"
            (kept,) = connection.execute(sa.select(effects.c.xact).where(executing)).scalars()
            changed = {**kept, "timeline": "000000FE"}
            assert connection.execute(sa.update(effects).where(executing).values(xact=changed)).rowcount == 1
    finally:
        engine.dispose()


@dataclass(frozen=True, slots=True)
class Moment:
    """`label` is where the process dies (dying.py), `endings` how the request may stand afterwards, `then` what happens
    while nobody is there."""

    name: str
    label: str
    endings: frozenset[str]
    then: Then = _nothing


def _moments(*labels: str, ends: tuple[str, ...]) -> tuple[Moment, ...]:
    return tuple(Moment(label, label, frozenset(ends)) for label in labels)


MOMENTS: tuple[Moment, ...] = (
    # Nobody was asked yet: the resumed run asks, and the press that follows counts.
    *_moments("before the request is kept", ends=(DONE,)),
    *_moments(
        "after the request is kept", "before the card is posted", "after the card is posted", "before the claim",
        "inside the claim", "after the claim", ends=(VOID,),
    ),
    # The work waits only so long for the buttons to go.
    *_moments("before the buttons go", "after the buttons went", ends=(VOID, FAILED, DONE)),
    *_moments("before it is taken up", "after it was taken up", "before the change begins", ends=(VOID,)),
    *_moments("after the change began", "before the journal", "after the journal", "COMMIT lost", ends=(FAILED,)),
    *_moments("COMMIT sent", ends=(DONE, FAILED)),
    *_moments(
        "answer lost", "before it is done", "after it is done", "before the outcome is kept",
        "inside the outcome", "after the outcome is kept", "before the card is edited", "after the card is edited",
        "before the thread is told", "after the thread is told", "before the answer", "after the answer",
        ends=(DONE,),
    ),
    Moment("before COMMIT, then a failover", "after the journal", frozenset((UNKNOWN,)), fail_over),
    Moment("COMMIT sent, then a failover", "COMMIT sent", frozenset((UNKNOWN,)), fail_over),
)  # fmt: skip

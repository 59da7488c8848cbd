"""Who may have attached files read: our own people, wherever they may post; nothing unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.admission import Asker, Conversation
from runtime.admission.attached import attached_open

CHANNEL = Conversation("channel", "C0SALES")
MIA = Asker("U0MIA")


@pytest.mark.parametrize(
    "place",
    [
        CHANNEL,
        Conversation("im", "D0MIA"),
        Conversation("mpim", "G0GROUP"),
        replace(CHANNEL, shared=True),
        replace(CHANNEL, pending_shared=True),
        replace(CHANNEL, guest_can_read=True),
        replace(CHANNEL, guest_can_read=None),
    ],
)
def test_what_was_posted_is_open_to_those_who_read_it(place: Conversation) -> None:
    assert attached_open(place, MIA)


@pytest.mark.parametrize(
    "asker",
    [replace(MIA, **{what: value}) for what in ("external", "guest", "deactivated", "bot") for value in (True, None)],
)
@pytest.mark.parametrize("place", [CHANNEL, Conversation("im", "D0MIA")])
def test_only_our_own_people_have_it_read(place: Conversation, asker: Asker) -> None:
    assert not attached_open(place, asker)


@pytest.mark.parametrize("archived", [True, None])
def test_a_place_that_is_archived_or_unknown_stays_closed(archived: bool | None) -> None:
    assert not attached_open(replace(CHANNEL, archived=archived), MIA)

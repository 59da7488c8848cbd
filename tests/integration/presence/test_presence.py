"""Who can read a conversation and who asks, learned from Slack: what it says, what it doesn't, and for how long."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from bot.local import Channel, LocalSlack, Person, demo_world
from bot.presence import SlackPresence
from bot.slack_client import open_slack_client
from runtime.admission import Asker, Conversation
from runtime.testing.clock import ManualClock


@asynccontextmanager
async def presence(world=None, groups=frozenset()):
    clock = ManualClock()
    async with LocalSlack(world=world) as slack, open_slack_client(slack.bot_token, slack.api_url) as opened:
        yield (
            slack,
            clock,
            SlackPresence(opened.client, clock, team="T0FOOTNOTE", bot_user=slack.app.bot_user, groups=lambda: groups),
        )


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        ("C0SALES", Conversation("channel", "C0SALES")),
        ("C0GENERAL", Conversation("channel", "C0GENERAL", guest_can_read=True)),
        ("C0PARTNER", Conversation("channel", "C0PARTNER", shared=True)),
        ("C0OLD", Conversation("channel", "C0OLD", archived=True)),
    ],
)
async def test_what_slack_says_of_a_place(channel, expected) -> None:
    async with presence() as (_, _, known):
        place, _ = await known.facts(channel, "")
    assert place == expected


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("U0MIA", Asker("U0MIA", groups=frozenset({"S0ANLY"}))),
        ("U0GUS", Asker("U0GUS", guest=True)),
        ("U0SIN", Asker("U0SIN", guest=True)),
        ("U0XEN", Asker("U0XEN", external=True)),
    ],
)
async def test_what_slack_says_of_a_person(user, expected) -> None:
    async with presence(groups=frozenset({"S0ANLY"})) as (_, _, known):
        _, asker = await known.facts("C0SALES", user)
    assert asker == expected


@pytest.mark.parametrize("guest", [True, False])
async def test_a_large_channel_is_learned_from_the_list_of_all_people(guest) -> None:
    world = demo_world()
    crowd = [
        Person(f"U0X{n:03}", f"x{n}", f"Person {n}", guest="multi" if guest and n == 30 else "none") for n in range(40)
    ]
    world.people += crowd
    world.channels.append(Channel("C0CROWD", "crowd", [person.id for person in crowd] + [world.apps[0].bot_user]))
    async with presence(world) as (slack, _, known):
        place, _ = await known.facts("C0CROWD", "U0MIA")
        assert len(slack.calls_to("users.info")) <= 1
    assert place.guest_can_read is guest


async def test_who_joins_a_large_channel_is_seen_at_the_next_look_without_the_list_of_all_people() -> None:
    world = demo_world()
    crowd = [Person(f"U0X{n:03}", f"x{n}", f"Person {n}") for n in range(40)]
    world.people += crowd
    world.channels.append(Channel("C0CROWD", "crowd", [person.id for person in crowd] + [world.apps[0].bot_user]))
    async with presence(world) as (slack, _, known):
        before, _ = await known.facts("C0CROWD", "U0MIA")
        slack.workspace.world.people.append(Person("U0NEW", "new", "Newly Invited", guest="single"))
        next(c for c in slack.workspace.world.channels if c.id == "C0CROWD").members.append("U0NEW")
        known.forget("C0CROWD", "U0MIA")
        after, _ = await known.facts("C0CROWD", "U0MIA")
        assert len(slack.calls_to("users.list")) == 1
    assert (before.guest_can_read, after.guest_can_read) == (False, True)


@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
async def test_what_cannot_be_learned_is_unknown_and_asked_again(method) -> None:
    async with presence() as (slack, _, known):
        slack.faults.error(method, "internal_error", times=None)
        place, asker = await known.facts("C0SALES", "U0MIA")
        unknown = {
            "conversations.info": place.shared is None and place.archived is None,
            "conversations.members": place.guest_can_read is None,
            "users.info": asker.guest is None and asker.external is None and place.guest_can_read is None,
        }
        assert unknown[method]
        slack.faults.clear()
        again, asker = await known.facts("C0SALES", "U0MIA")
    if method != "users.info":
        assert again == Conversation("channel", "C0SALES")
    assert asker == Asker("U0MIA")


async def test_answers_are_kept_for_a_minute() -> None:
    async with presence() as (slack, clock, known):
        await known.facts("C0SALES", "U0MIA")
        asked = len(slack.calls)
        clock.advance(59)
        await known.facts("C0SALES", "U0MIA")
        assert len(slack.calls) == asked
        await slack.join("C0SALES", "U0GUS")
        clock.advance(1)
        place, _ = await known.facts("C0SALES", "U0MIA")
    assert place.guest_can_read is True

"""A conversation that others can read by the time an answer is ready gets a sentence instead of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.local.world import Channel, World
from bot.render.private_offer import PRIVATE_ACTION
from runtime.testing.messages_api import Reply

from .test_main_path import texts
from .test_sources import results_of, with_shop

COUNT: tuple[str, dict[str, Any]] = (
    "data_query_sqlite",
    {"source_id": "shop", "sql": "SELECT sum(amount) AS total FROM orders"},
)


def sales(world: World) -> Channel:
    return next(channel for channel in world.channels if channel.id == "C0SALES")


def shared(world: World) -> None:
    sales(world).ext_shared = True


def about_to_be_shared(world: World) -> None:
    sales(world).pending_ext_shared = True


def joined_by_a_guest(world: World) -> None:
    sales(world).members.append("U0GUS")


def asked_by_one_who_left(world: World) -> None:
    world.people = [replace(person, deleted=person.deleted or person.id == "U0MIA") for person in world.people]


@pytest.mark.parametrize("opened", [shared, about_to_be_shared, joined_by_a_guest, asked_by_one_who_left])
async def test_what_was_found_is_not_posted_where_others_read_by_now(stage, scripted, opened) -> None:
    with_shop(stage)

    def script(body: dict[str, Any]) -> Reply:
        if not results_of(body):
            return Reply("", [COUNT])
        opened(stage.slack.workspace.world)
        return Reply("The total is 378 [E1].")

    async with scripted(script) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what is the total?")
        messages = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "378" in json.dumps(results_of(endpoint.requests[-1]))
    said = json.dumps(stage.slack.messages("C0SALES"), ensure_ascii=False)
    assert "I don't post what I found: meanwhile it was closed here." in texts(messages)
    assert "378" not in said and "sum(amount)" not in said
    assert (PRIVATE_ACTION in json.dumps(messages)) == (opened is not asked_by_one_who_left)
    assert stage.slack.refusals == []


async def test_an_answer_that_rests_on_nothing_is_posted(stage, scripted) -> None:
    with_shop(stage)

    def script(_: dict[str, Any]) -> Reply:
        shared(stage.slack.workspace.world)
        return Reply("Ask me about orders.")

    async with scripted(script), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what can you do?")
        messages = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "Ask me about orders." in texts(messages)

"""A real Bolt app over Socket Mode: mentions, direct messages, retries, refresh, several sockets."""

from __future__ import annotations

import pytest
from slack_bolt.async_app import AsyncApp

from tests.integration.local.bolt_bots import socket_bot
from tests.patient_slack import patient_slack


@pytest.fixture
async def slack():
    async with patient_slack(retry_delays=(0.0, 60.0)) as running:
        yield running


class Recorder:
    """Answers mentions and remembers every event."""

    def __init__(self) -> None:
        self.bodies: list[dict] = []

    def register(self, app: AsyncApp) -> None:
        @app.event("app_mention")
        async def mention(event, body, say, set_status):
            self.bodies.append(body)
            root = event.get("thread_ts", event["ts"])
            await set_status("is thinking…")
            await say(text=f"you said {event['text']}", thread_ts=root)

        @app.event("message")
        async def message(event, body, say):
            self.bodies.append(body)
            if event.get("channel_type") == "im" and not event.get("bot_id"):
                await say(text="hello in private", thread_ts=event["ts"])

    def types(self) -> list[str]:
        return [body["event"]["type"] for body in self.bodies]


async def test_a_mention_arrives_twice_and_is_answered_in_its_thread(slack):
    recorder = Recorder()
    async with socket_bot(slack, recorder.register):
        ts = await slack.ask("sales", "U0MIA", "how many orders?")
        answers = await slack.wait_for_answers("sales", ts)
        await slack.wait_for(lambda: len(recorder.bodies) == 2)
    assert sorted(recorder.types()) == ["app_mention", "message"]
    assert answers[0]["text"] == "you said <@U0FOOTNOTE> how many orders?"
    assert answers[0]["thread_ts"] == ts
    mention, message = sorted(recorder.bodies, key=lambda body: body["event"]["type"])
    assert mention["event"]["ts"] == message["event"]["ts"] == ts
    assert mention["event_id"] != message["event_id"]
    assert message["event"]["channel_type"] == "channel"
    assert mention["authorizations"][0]["user_id"] == "U0FOOTNOTE"
    assert (mention["team_id"], mention["context_team_id"]) == ("T0FOOTNOTE", "T0FOOTNOTE")
    assert mention["is_ext_shared_channel"] is False


async def test_the_status_line_is_shown_and_cleared_by_the_answer(slack):
    async with socket_bot(slack, Recorder().register):
        ts = await slack.ask("sales", "U0MIA", "how many?")
        await slack.wait_for_answers("sales", ts)
        await slack.wait_for(lambda: slack.statuses and slack.statuses[-1].cleared_by_post)
    assert [entry.status for entry in slack.statuses] == ["is thinking…", ""]
    assert slack.status("sales", ts) == ""


async def test_a_direct_message_is_one_event(slack):
    recorder = Recorder()
    async with socket_bot(slack, recorder.register):
        ts = await slack.tell("U0MIA", "hi <@U0FOOTNOTE>")
        answers = await slack.wait_for_answers(slack.dm("U0MIA"), ts)
    assert recorder.types() == ["message"]
    assert recorder.bodies[0]["event"]["channel_type"] == "im"
    assert answers[0]["text"] == "hello in private"


async def test_an_unacknowledged_event_is_retried_with_its_number_and_reason(slack):
    seen: list[tuple] = []

    def register(app: AsyncApp) -> None:
        @app.event("app_mention")
        async def mention(body, request):
            seen.append((body["event_id"], request.headers.get("x-slack-retry-num")))

        @app.event("message")
        async def message():
            pass

    slack.app.events.discard("message.channels")
    async with socket_bot(slack, register):
        slack.faults.lose_acks(2)
        await slack.ask("sales", "U0MIA", "hello")
        await slack.wait_for(lambda: len(seen) == 2)
        await slack.wait_for(lambda: slack.hub.delivery.retries_waiting == 1)
        slack.hurry_retries()
        await slack.wait_for(lambda: len(seen) == 3)
        await slack.settled()
    assert len({event_id for event_id, _ in seen}) == 1
    assert [number for _, number in seen] == [["0"], ["1"], ["2"]]


async def test_several_sockets_share_the_events(slack):
    recorder = Recorder()
    async with socket_bot(slack, recorder.register, sockets=2):
        assert slack.sockets == 2
        roots = [await slack.ask("sales", "U0MIA", f"question {n}") for n in range(6)]
        for root in roots:
            await slack.wait_for_answers("sales", root)
    assert recorder.types().count("app_mention") == 6


@pytest.mark.parametrize("reason", ["refresh_requested", "warning"])
async def test_after_a_refresh_the_app_is_back_and_answers(slack, reason):
    async with socket_bot(slack, Recorder().register):
        opened = len(slack.calls_to("apps.connections.open"))
        await slack.disconnect(reason)
        await slack.wait_for(lambda: len(slack.calls_to("apps.connections.open")) > opened)
        ts = await slack.ask("sales", "U0MIA", "still there?")
        await slack.wait_for_answers("sales", ts)


async def test_after_a_broken_network_the_app_is_back_and_answers(slack):
    async with socket_bot(slack, Recorder().register):
        await slack.drop_sockets()
        ts = await slack.ask("sales", "U0MIA", "still there?")
        await slack.wait_for_answers("sales", ts)


async def test_duplicates_reordering_and_lateness_keep_the_event_id(slack):
    recorder = Recorder()
    slack.app.events.discard("message.channels")
    async with socket_bot(slack, recorder.register):
        slack.faults.hold_events()
        first = await slack.ask("sales", "U0MIA", "one")
        second = await slack.ask("sales", "U0MIA", "two")
        assert slack.faults.release_events("reversed", times=2) == 4
        await slack.wait_for(lambda: len(recorder.bodies) == 4)
    assert sorted(body["event"]["ts"] for body in recorder.bodies) == [first, first, second, second]
    assert len({body["event_id"] for body in recorder.bodies}) == 2


async def test_people_from_outside_and_shared_channels_are_marked(slack):
    recorder = Recorder()
    async with socket_bot(slack, recorder.register):
        await slack.ask("with-partner", "U0XEN", "what can you tell me?")
        await slack.wait_for(lambda: len(recorder.bodies) == 2)
    for body in recorder.bodies:
        assert body["is_ext_shared_channel"] is True
        assert body["event"]["user_team"] == "T0PARTNER"


async def test_outside_its_channels_the_bot_hears_mentions_only_and_cannot_answer(slack):
    recorder = Recorder()
    async with socket_bot(slack, recorder.register):
        await slack.say("random", "U0MIA", "nobody is addressed")
        await slack.ask("random", "U0MIA", "can you hear me?")
        await slack.wait_for(lambda: slack.calls_to("assistant.threads.setStatus"))
        await slack.wait_for(lambda: slack.calls[-1].result)
    assert recorder.types() == ["app_mention"]
    assert slack.calls_to("assistant.threads.setStatus")[0].error == "not_in_channel"


async def test_bolts_own_stream_and_prompts_work_in_a_direct_message(slack):
    def register(app: AsyncApp) -> None:
        @app.event("message")
        async def message(event, say_stream, set_suggested_prompts):
            if event.get("bot_id"):
                return
            await set_suggested_prompts(prompts=[{"title": "Orders", "message": "how many orders?"}])
            stream = await say_stream()
            await stream.append(markdown_text="**12** orders")
            await stream.stop(blocks=[{"type": "divider"}])

    async with socket_bot(slack, register):
        ts = await slack.tell("U0MIA", "how many?")
        channel = slack.dm("U0MIA")
        await slack.wait_for(lambda: slack.calls_to("chat.stopStream") and slack.calls[-1].ok)
    answer = slack.answers(channel, ts)[0]
    assert [block["type"] for block in answer["blocks"]] == ["markdown", "divider"]
    assert answer["text"] == "**12** orders"
    assert next(iter(slack.workspace.prompts.values()))["prompts"][0]["title"] == "Orders"

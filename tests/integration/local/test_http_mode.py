"""Signed HTTP delivery to a real Bolt app: signatures, retries, clock skew."""

from __future__ import annotations

from slack_bolt.async_app import AsyncApp

from tests.integration.local.bolt_bots import http_bot


class Listener:
    """Remembers mentions with their retry headers."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, list[str] | None, list[str] | None]] = []

    def register(self, app: AsyncApp) -> None:
        @app.event("app_mention")
        async def mention(body, request, say):
            headers = request.headers
            self.seen.append((body["event_id"], headers.get("x-slack-retry-num"), headers.get("x-slack-retry-reason")))
            await say(text="heard", thread_ts=body["event"]["ts"])

        @app.event("message")
        async def message():
            pass


async def test_a_signed_mention_is_answered(slack):
    listener = Listener()
    async with http_bot(slack, listener.register):
        ts = await slack.ask("sales", "U0MIA", "hello")
        assert (await slack.wait_for_answers("sales", ts))[0]["text"] == "heard"
    assert listener.seen[0][1:] == (None, None)


async def test_a_lost_acknowledgement_is_retried_with_headers(slack):
    listener = Listener()
    slack.app.events.discard("message.channels")
    async with http_bot(slack, listener.register):
        slack.faults.lose_acks()
        await slack.ask("sales", "U0MIA", "hello")
        await slack.wait_for(lambda: len(listener.seen) == 2)
    first, second = listener.seen
    assert first[0] == second[0]
    assert second[1:] == (["1"], ["http_timeout"])


async def test_a_wrong_secret_or_a_skewed_clock_is_refused_by_the_app(slack):
    slack.app.events.discard("message.channels")
    listener = Listener()
    async with http_bot(slack, listener.register):
        slack.faults.skew_clock(signature_seconds=-301)
        await slack.ask("sales", "U0MIA", "too old")
        await slack.wait_for(lambda: slack.deliveries)
        assert slack.deliveries[0].ack.reason == "http_error"
        slack.faults.clear()
        slack.app.signing_secret = "another"
        await slack.ask("sales", "U0MIA", "forged")
        await slack.wait_for(lambda: any("forged" in d.payload["event"]["text"] for d in slack.deliveries))
    assert listener.seen == []


async def test_event_times_can_be_skewed(slack, clock):
    slack.faults.skew_clock(event_seconds=-600)
    async with http_bot(slack, Listener().register):
        ts = await slack.ask("sales", "U0MIA", "hello")
        await slack.wait_for_answers("sales", ts)
    assert slack.deliveries[0].payload["event_time"] == int(clock.now().timestamp()) - 600

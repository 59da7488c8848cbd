"""What can't be posted ends in a reason that an operator can act on; nothing is lost in silence."""

from __future__ import annotations

import pytest

from bot.render.failure import plain_message
from tests.integration.delivery.samples import answer


async def reason(bench, **options):
    await bench.put([plain_message("one")], **options)
    drained = await bench.drain()
    assert len(drained.failed) == 1
    return drained.failed[0].reason


async def test_deleted_root(bench):
    await bench.slack.delete("C0SALES", bench.root)
    assert (await reason(bench)).startswith("thread_not_found: the thread's first message was deleted")


@pytest.mark.parametrize(
    ("channel", "name"),
    [("C0OTHER", "not_in_channel"), ("C0OLD", "is_archived"), ("C0NOWHERE", "channel_not_found")],
)
async def test_places(bench, channel, name):
    assert (await reason(bench, channel=channel)).startswith(f"{name}: ")


async def test_missing_scope_names_the_scope(bench):
    bench.slack.app.scopes.discard("chat:write")
    assert (
        await reason(bench)
        == "missing_scope: the app lacks a scope; add it and install the app again (scope chat:write)"
    )


async def test_revoked_token(bench):
    bench.slack.app.revoked = True
    assert (await reason(bench)).startswith("token_revoked: ")


async def test_wrong_token(bench):
    bench.client.token = "xoxb-wrong"
    text = await reason(bench)
    assert text.startswith("invalid_auth: ") and "xoxb-wrong" not in text


async def test_what_follows_a_refusal_is_not_posted_out_of_context(bench):
    messages, files = answer()
    await bench.slack.delete("C0SALES", bench.root)
    await bench.put(messages, files)
    drained = await bench.drain()
    assert len(drained.failed) == 3 and bench.slack.calls_to("files.getUploadURLExternal") == []


async def test_an_unreadable_history_is_unknown_not_posted_twice(bench):
    await bench.put([plain_message("one")])
    bench.slack.app.scopes -= {"channels:history", "groups:history", "im:history", "mpim:history"}
    bench.slack.faults.lose_reply("chat.postMessage")
    drained = await bench.drain()
    assert len(drained.unknown) == 1 and drained.unknown[0].reason.startswith("missing_scope")
    assert len(bench.answers()) == 1


async def test_slack_down_is_waited_for(bench):
    await bench.slack.close()
    await bench.put([plain_message("one")])
    drained = await bench.drain()
    assert len(drained.waiting) == 1
    await bench.slack.start()

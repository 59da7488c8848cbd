"""Messages reach their thread once, in order, in the best form that Slack takes."""

from __future__ import annotations

import asyncio

import pytest

from bot.delivery import deliveries_of, update_of
from bot.render.answer import answer_messages
from bot.render.failure import plain_message
from tests.integration.delivery.samples import answer, evidence, view


async def test_answer_then_evidence_then_file(bench):
    messages, files = answer()
    await bench.put(messages, files)
    drained = await bench.drain()
    assert drained.complete and len(drained.sent) == 3
    said, proof, attached = bench.answers()
    assert said["text"] == "North led with 1,200.50 [E1]."
    assert proof["blocks"][0]["type"] == "container"
    assert attached["files"][0]["name"] == "E1-orders.csv"
    assert attached["files"][0]["alt_txt"].startswith("Result E1 of run_sql")
    assert bench.slack.file(attached["files"][0]["id"]) == b"region,revenue\r\nNorth,1200.5\r\nSouth,900\r\n"
    assert bench.slack.refusals == [] and bench.slack.cautions == []
    first = bench.slack.calls_to("chat.postMessage")[0].args
    assert first["unfurl_links"] is False and first["unfurl_media"] is False and first["client_msg_id"]
    assert said["metadata"]["event_payload"] == {"delivery_id": drained.sent[0].id}


async def test_a_second_drain_posts_nothing_more(bench):
    messages, files = answer()
    await bench.put(messages, files)
    await bench.drain()
    await bench.drain()
    assert len(bench.answers()) == 3


async def test_a_lost_reply_is_looked_for_and_not_posted_twice(bench):
    await bench.put([plain_message("one"), plain_message("two")])
    bench.slack.faults.lose_reply("chat.postMessage")
    drained = await bench.drain()
    assert drained.complete
    assert [message["text"] for message in bench.answers()] == ["one", "two"]
    assert drained.sent[0].remote_id == bench.answers()[0]["ts"]


async def test_a_lost_request_is_looked_for_and_then_posted(bench):
    await bench.put([plain_message("one")])
    bench.slack.faults.lose_request("chat.postMessage")
    assert (await bench.drain()).complete
    assert [message["text"] for message in bench.answers()] == ["one"]


async def test_a_crash_after_the_post_is_found_by_the_next_process(bench):
    await bench.put([plain_message("one")])
    held = bench.slack.faults.hold("chat.postMessage", times=1)
    task = asyncio.create_task(bench.drain())
    await held.reached.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    held.release()
    assert (await bench.drain()).complete
    assert len(bench.answers()) <= 1 or pytest.fail("posted twice")


async def test_server_errors_are_doubtful_and_survive(bench):
    await bench.put([plain_message("one")])
    bench.slack.faults.http_error("chat.postMessage", status=503)
    assert (await bench.drain()).complete
    assert len(bench.answers()) == 1


async def test_a_short_rate_limit_is_waited_for_inside_the_call(bench):
    await bench.put([plain_message("one")])
    bench.slack.faults.rate_limit("chat.postMessage", retry_after=0)
    assert (await bench.drain()).complete
    assert len(bench.answers()) == 1


async def test_a_long_rate_limit_is_the_outboxs_to_wait_for(bench):
    await bench.put([plain_message("one")])
    bench.slack.faults.rate_limit("chat.postMessage", retry_after=40)
    assert (await bench.drain()).complete
    assert 40 in bench.naps.taken
    assert len(bench.answers()) == 1


async def test_refused_folds_become_flat_blocks(bench):
    messages, _ = answer()
    await bench.put(messages)
    bench.slack.faults.refuse_blocks("container")
    assert (await bench.drain()).complete
    kinds = {block["type"] for message in bench.answers() for block in message["blocks"]}
    assert "container" not in kinds and "table" not in kinds and "divider" in kinds
    assert "select region" in str(bench.answers()[1]["blocks"])


async def test_refused_blocks_become_text_and_a_file_holds_the_rest(bench):
    long = view(markdown="\n\n".join(f"Paragraph {n} " + "word " * 60 for n in range(18)))
    await bench.put(answer_messages(long)[:1])
    bench.slack.faults.refuse_blocks("section")
    assert (await bench.drain()).complete
    said, attached = bench.answers()
    assert "blocks" not in said and len(said["text"]) <= 4_000 and said["text"].startswith("Paragraph 0")
    whole = bench.slack.file(attached["files"][0]["id"]).decode()
    assert "Paragraph 17" in whole
    assert bench.slack.cautions == []


async def test_internal_error_steps_down_after_looking(bench):
    messages, _ = answer()
    await bench.put(messages[1:])
    bench.slack.faults.error("chat.postMessage", "internal_error")
    assert (await bench.drain()).complete
    assert bench.answers()[0]["blocks"][0]["type"] == "section"


async def test_many_wild_messages_are_all_taken(bench):
    items = [evidence(n, title=f"<!channel> {n}", rows=((f"<@U{n}>", n), ("&" * 300, None))) for n in range(1, 40)]
    shown = view(items)
    from dataclasses import replace

    await bench.put(answer_messages(replace(shown, cited=frozenset(item.id for item in items))))
    assert (await bench.drain()).complete
    assert bench.slack.refusals == []


async def test_a_message_outside_threads_is_found_in_the_channel(bench):
    await bench.state.deliveries.enqueue(deliveries_of("turn-1", "C0SALES", None, [plain_message("news")]))
    bench.slack.faults.lose_reply("chat.postMessage")
    drained = await bench.drain()
    assert drained.complete
    found = [message for message in bench.slack.messages("C0SALES") if message["text"] == "news"]
    assert [message["ts"] for message in found] == [drained.sent[0].remote_id]


async def test_an_update_changes_our_message_and_may_be_repeated(bench):
    await bench.put([plain_message("before")])
    ts = (await bench.drain()).sent[0].remote_id
    messages, _ = answer()
    await bench.state.deliveries.enqueue([update_of("turn-2", "C0SALES", ts, messages[1])])
    bench.slack.faults.lose_reply("chat.update")
    bench.slack.faults.refuse_blocks("container")
    assert (await bench.drain("turn-2")).complete
    (now,) = bench.answers()
    assert now["ts"] == ts and now["blocks"][0]["type"] == "section" and now["text"].startswith("Evidence E1")
    assert bench.slack.calls_to("chat.update")[0].args["parse"] == "none"


async def test_an_update_of_a_message_that_is_gone_is_refused(bench):
    await bench.state.deliveries.enqueue([update_of("turn-2", "C0SALES", "1.000001", plain_message("x"))])
    drained = await bench.drain("turn-2")
    assert drained.failed[0].reason == "message_not_found: the message to be edited is gone"


async def test_a_direct_message_is_a_thread_like_any_other(bench):
    channel = bench.slack.dm("U0MIA")
    root = await bench.slack.tell("U0MIA", "hello")
    await bench.put([plain_message("hi")], channel=channel, thread_ts=root)
    assert (await bench.drain()).complete
    assert [message["text"] for message in bench.slack.answers(channel, root)] == ["hi"]

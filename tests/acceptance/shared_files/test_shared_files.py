"""A file shared with a question is a table or document of that conversation, and of no other."""

from __future__ import annotations

from tests.acceptance.shared_files.conftest import REFUNDS, ZEBRAFISH, calls, results, told, words

JOIN = "select sum(o.amount) as amount, sum(r.refund) as refund from orders o join refunds r on r.order_id = o.id"


async def test_an_attached_table_is_joined_with_the_workspace(stage, scripted) -> None:
    script = calls(("list_files", {}), ("inspect_table", {"name": "refunds"}), ("run_sql", {"sql": JOIN}))
    async with scripted(script) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what was refunded?", files={"refunds.csv": REFUNDS})
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 2)
    first, last = endpoint.requests[0], endpoint.requests[-1]
    assert "«attached/refunds.csv» (tables: refunds)" in told(first)
    listed, inspected, joined = map(str, results(last))
    assert "attached/refunds.csv" in listed and "orders.csv" in listed
    assert '"rows":3' in inspected.replace(" ", "") or "3 rows" in inspected
    assert "35.75" in joined
    assert "attached/refunds.csv" in words(answers)
    assert stage.slack.refusals == []
    assert any("is reading refunds.csv" in status.status for status in stage.slack.statuses)


async def test_no_other_conversation_sees_it_by_any_way(stage, scripted) -> None:
    near = "zebrafis"  # one letter short: whoever knew the name would offer it
    ways = (
        ("list_files", {}),
        ("run_sql", {"sql": f"select * from {near}"}),
        ("run_sql", {"sql": "select stripe_i from orders"}),
        ("inspect_table", {"name": near}),
        ("read_file", {"names": [f"attached/{near}.csv"]}),
        ("grep_files", {"pattern": "stripe|fin"}),
        ("catalog_search", {"query": near}),
    )
    async with scripted(calls(*ways)) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "keep this", files={"zebrafish.csv": ZEBRAFISH})
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
        before = len(endpoint.requests)
        for channel in ("C0SALES", "C0FIN"):
            other = await stage.slack.ask(channel, "U0MIA", "what is there?")
            await stage.slack.wait_for_answers(channel, other, 1)
        direct = await stage.slack.tell("U0MIA", "and here?")
        await stage.slack.wait_for_answers(stage.slack.dm("U0MIA"), direct, 1)
    assert "zebrafish" in told(endpoint.requests[before - 1])
    finished = [body for body in endpoint.requests[before:] if len(results(body)) == len(ways)]
    assert len(finished) == 3
    for body in finished:
        assert "zebrafish" not in told(body)
        assert "stripe_id" not in told(body)
        assert "61.75" not in told(body)
        assert '\\"total\\": 1' in told(body) or '\\"total\\":1' in told(body)

"""Money caps: said in words before anything more is spent."""

from __future__ import annotations

import json

import pytest

from runtime.testing.messages_api import Reply

DEAR = {"input_tokens": 1_000_000, "output_tokens": 20}


@pytest.mark.parametrize(
    ("setting", "asker", "said"),
    [
        ("budgets: {person_usd_day: 1.5}\n", "U0MIA", "one person"),
        ("budgets: {channel_usd_day: 1.5}\n", "U0LEO", "this channel"),
        ("channels: {C0SALES: {budget_usd_day: 1.5}}\n", "U0LEO", "this channel"),
    ],
)
async def test_a_days_cap_is_said_and_nothing_more_is_spent(stage, scripted, setting, asker, said) -> None:
    stage.manifest.write_text(stage.manifest.read_text() + setting)
    async with scripted(lambda body: Reply("Yes.", usage=DEAR)) as endpoint, stage.bot():
        first = await stage.slack.ask("C0SALES", "U0MIA", "dear question")
        await stage.slack.wait_for_answers("C0SALES", first, 1)
        second = await stage.slack.ask("C0SALES", asker, "one more")
        answers = await stage.slack.wait_for_answers("C0SALES", second, 1)
        free = await stage.slack.ask("C0FIN", "U0ANN", "elsewhere, somebody else")
        await stage.slack.wait_for_answers("C0FIN", free, 1)
    assert said in json.dumps(answers[0]["blocks"])
    assert "2.00 USD spent" in json.dumps(answers[0]["blocks"])
    assert len(endpoint.requests) == 2

"""What stands in the environment beside our own variables, or around the process, doesn't keep the bot from serving."""

from __future__ import annotations

import asyncio
import signal

import pytest

from bot.identity import SlackUnavailable
from runtime.errors import ConfigurationError

NOBODY_LISTENS = "http://127.0.0.1:9"


async def answered(stage) -> None:
    ts = await stage.slack.ask("C0SALES", "U0MIA", "how many orders are there?")
    assert "60" in (await stage.slack.wait_for_answers("C0SALES", ts, 1))[0]["text"]


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_the_tokens_workspace_is_served_whatever_else_is_set_for_slack(stage, monkeypatch, capfd, way) -> None:
    others = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_BOT_TOKEN", "SLACK_VERIFICATION_TOKEN")
    for name in (*others, "SLACK_SIGNING_SECRET"):
        monkeypatch.setenv(name, "another")
    if way == "http":
        stage.over_http()
    async with stage.bot() as running:
        if way == "http":
            assert await stage.slack.use_http(f"http://127.0.0.1:{running.port}/slack/events")
        await answered(stage)
    assert "token" not in capfd.readouterr().err


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(stage, monkeypatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, NOBODY_LISTENS)
    async with stage.bot():
        await answered(stage)


@pytest.mark.parametrize("trouble", [503, "internal_error", "ratelimited"])
async def test_a_slack_in_trouble_when_sockets_are_opened_is_away_and_no_setting_is_blamed(stage, trouble) -> None:
    if isinstance(trouble, int):
        stage.slack.faults.http_error("apps.connections.open", status=trouble, times=None)
    else:
        stage.slack.faults.error("apps.connections.open", trouble, times=None)
    with pytest.raises(SlackUnavailable, match=str(trouble)):
        async with stage.bot():
            pass


@pytest.mark.parametrize(
    ("method", "error", "words"),
    [
        ("apps.connections.open", "missing_scope", "SLACK_APP_TOKEN.*connections:write"),
        ("apps.connections.open", "forbidden_team", "Socket Mode cannot be opened: forbidden_team"),
        ("auth.test", 404, r"auth\.test answers http_404.*SLACK_API_URL"),
        ("apps.connections.open", 404, r"apps\.connections\.open answers http_404.*SLACK_API_URL"),
    ],
)
async def test_what_no_waiting_mends_is_refused_with_what_to_look_at(stage, method, error, words) -> None:
    if isinstance(error, int):
        stage.slack.faults.http_error(method, status=error, times=None)
    else:
        stage.slack.faults.error(method, error, times=None)
    with pytest.raises(ConfigurationError, match=words):
        async with stage.bot():
            pass


@pytest.mark.parametrize("method", ["auth.test", "apps.connections.open"])
async def test_a_sigterm_before_the_bot_is_ready_ends_the_process(stage, method) -> None:
    held = stage.slack.faults.hold(method)
    process = await stage.spawn()
    await asyncio.wait_for(held.reached.wait(), 180)
    process.send_signal(signal.SIGTERM)
    said, logged = await asyncio.wait_for(process.communicate(), 180)
    assert process.returncode == 0
    assert said == b""
    assert b"Traceback" not in logged

"""Bad input, one fault at a time: a clear message to the person or the operator, and a process that stays up."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import stamina

from bot.identity import SlackUnavailable
from runtime.errors import ConfigurationError, StateError, StateLocked
from runtime.testing.messages_api import Reply

ROOT = Path(__file__).parents[2]


def said(messages) -> str:
    return json.dumps([[message["text"], message.get("blocks", [])] for message in messages], ensure_ascii=False)


async def still_works(stage) -> None:
    """The process is fine when the next question is answered."""
    ts = await stage.slack.ask("C0SALES", "U0LEO", "hello again")
    await stage.slack.wait_for_answers("C0SALES", ts, 1)


# -- what a model can get wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("run_sequel", {"sql": "select 1"}), "tool_not_available"),
        (("run_sql", {"query": "select 1"}), "invalid_arguments"),
        (("run_sql", {"sql": "selct 1"}), "sql_"),
        (("run_sql", {"sql": "select amont from orders"}), "sql_"),
        (("run_sql", {"sql": "select * from ordres"}), "sql_unknown_table"),
        (("run_sql", {"sql": "select * from read_csv('/etc/passwd')"}), "_not_allowed"),
        (("inspect_table", {"name": "nowhere"}), "not_found"),
        (("file_query", {"path_pattern": "*.csv", "sql": "select 1"}), "tool_not_available"),
    ],
)
async def test_a_wrong_call_is_a_typed_result_and_the_run_goes_on(stage, scripted, call, code) -> None:
    seen = {}

    def script(body) -> Reply:
        results = [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_result"]
        if not results:
            return Reply("", [call])
        seen.update(json.loads(results[0]["content"][0]["text"]))
        assert results[0]["is_error"] is True
        return Reply("That did not work.")

    async with scripted(script), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "try something")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 2)
    assert code in seen["error"]["code"]
    assert seen["error"]["message"]
    assert "failed" in said(answers)


async def test_a_file_that_vanished_is_said(stage, scripted) -> None:
    def script(body) -> Reply:
        results = [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_result"]
        if len(results) == 0:
            return Reply("", [("list_files", {})])
        if len(results) == 1:
            (stage.folder / "data" / "orders.csv").unlink()
            return Reply("", [("run_sql", {"sql": "select count(*) from orders"})])
        return Reply(f"It said: {json.loads(results[1]['content'][0]['text'])['error']['code']}.")

    async with scripted(script), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "count")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "sql_unknown_table" in said(answers) or "file_changed" in said(answers)


async def test_files_that_cannot_be_read_right_are_listed_with_the_reason_or_what_was_mended(stage, scripted) -> None:
    data = stage.folder / "data"
    with (data / "huge.csv").open("wb") as file:
        file.truncate(5 * 1024**3)
    (data / "broken.csv").write_text('a,b\n1,"never closed\n2,3\n')
    (data / "binary.csv").write_bytes(b"a,b\n1,\x00\x00\x01\n")
    (data / "pipe.csv").unlink(missing_ok=True)
    os.mkfifo(data / "pipe.csv")
    listed = {}

    def script(body) -> Reply:
        results = [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_result"]
        if not results:
            return Reply("", [("list_files", {})])
        listed.update(json.loads(results[0]["content"][0]["text"])["data"])
        return Reply("Listed.")

    async with scripted(script), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what can't you read?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
    entries = {entry["name"]: entry for entry in listed["entries"]}
    assert entries["huge.csv"]["reason"]
    assert entries["pipe.csv"]["reason"]
    assert "never closed in line 2" in " ".join(entries["broken.csv"]["notes"])
    assert "NUL bytes removed" in " ".join(entries["binary.csv"]["notes"])
    assert not entries["orders.csv"].get("notes")


# -- the model's endpoint --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [Reply(status=529), Reply("x", fault="half_stream"), Reply("x", fault="nonsense"), Reply(status=401)],
    ids=["overloaded", "half a stream", "nonsense", "key refused"],
)
async def test_a_failing_model_leaves_evidence_a_sentence_and_a_retry_button(stage, scripted, reply) -> None:
    broken = True

    def script(body) -> Reply:
        if body["messages"][-1]["content"][0]["type"] != "tool_result":
            return Reply("", [("run_sql", {"sql": "select count(*) as n from orders"})])
        return reply if broken else Reply("There are 60 [E1].")

    with stamina.set_testing(True, attempts=2, cap=True):
        async with scripted(script), stage.bot():
            ts = await stage.slack.ask("C0SALES", "U0MIA", "how many?")
            answers = await stage.slack.wait_for_answers("C0SALES", ts, 3)
            assert "I could not finish" in said(answers)
            assert "E1" in said(answers)
            broken = False
            button = answers[-1]
            await stage.slack.click("U0MIA", button["ts"], "retry")
            again = await stage.slack.wait_for_answers("C0SALES", ts, 5)
    assert "There are 60 [E1]" in said(again)


async def test_a_model_that_is_down_is_said(stage) -> None:
    stage.overrides = {
        "FOOTNOTE_MODEL": "claude-sonnet-5-5",
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    }
    with stamina.set_testing(True, attempts=1):
        async with stage.bot():
            ts = await stage.slack.ask("C0SALES", "U0MIA", "how many?")
            answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "cannot be reached" in said(answers)


# -- Slack -----------------------------------------------------------------------------------------------------------


async def test_a_message_of_forty_thousand_characters_is_answered_in_words(stage) -> None:
    async with stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "x" * 39_900)
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
        assert "39,900 characters" in said(answers)
        await still_works(stage)


async def test_an_empty_mention_is_answered_with_an_example(stage) -> None:
    async with stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "Ask me something" in said(answers)


async def test_a_deleted_thread_root_ends_quietly_and_the_process_goes_on(stage, scripted) -> None:
    root = {}
    deleted = asyncio.Event()

    def script(body) -> Reply:
        return Reply("Too late?")

    async with scripted(script), stage.bot() as running:
        rule = stage.slack.faults.hold("chat.postMessage")
        ts = root["ts"] = await stage.slack.ask("C0SALES", "U0MIA", "how many?")
        await rule.reached.wait()
        await stage.slack.delete("C0SALES", ts)
        deleted.set()
        rule.release()
        stage.slack.faults.clear()
        await still_works(stage)
        await running.durable.close()
        pending = await running.analyst.state.inbox.pending()
    assert pending == []


@pytest.mark.parametrize(
    ("channel", "user", "offered"),
    [
        ("C0GENERAL", "U0MIA", True),
        ("C0GENERAL", "U0GUS", False),
        ("C0PARTNER", "U0ANN", True),
        ("C0PARTNER", "U0XEN", False),
    ],
)
async def test_asking_in_private_is_offered_only_to_whom_it_would_help(stage, scripted, channel, user, offered) -> None:
    async with scripted(lambda body: Reply("I see nothing here.")), stage.bot():
        ts = await stage.slack.ask(channel, user, "how many?")
        answers = await stage.slack.wait_for_answers(channel, ts, 1)
    assert "No data source is open in this conversation" in said(answers)
    assert ("direct message instead" in said(answers)) is offered
    assert ("has to ask, or an operator can open it" in said(answers)) is not offered


@pytest.mark.parametrize("files", [{}, {"plan.csv": b"a,b\n1,2\n"}], ids=["words", "a file"])
async def test_a_guest_who_writes_to_the_bot_is_told_what_to_do(stage, scripted, files) -> None:
    async with scripted(lambda body: Reply("I see nothing here.")), stage.bot():
        channel = stage.slack.dm("U0GUS")
        ts = await stage.slack.ask(channel, "U0GUS", "how many?", files=files)
        answers = await stage.slack.wait_for_answers(channel, ts, 1)
    assert "A member of this workspace who is no guest has to ask" in said(answers)
    assert ("can share them with a question" in said(answers)) is bool(files)


async def test_a_channel_without_the_bot_is_said_to_the_person_or_the_log_and_work_goes_on(stage, scripted) -> None:
    async with scripted(lambda body: Reply("Yes.")), stage.bot():
        await stage.slack.ask("C0OTHER", "U0MIA", "are you here?")
        await stage.slack.wait_for(
            lambda: [c for c in stage.slack.calls_to("chat.postMessage") if c.args.get("channel") == "C0OTHER"] or None
        )
        await still_works(stage)


async def test_a_missing_scope_in_mid_life_is_survived(stage, scripted) -> None:
    async with scripted(lambda body: Reply("Yes.")), stage.bot():
        await stage.slack.remove_scope("assistant:write", "files:write")
        await still_works(stage)


@pytest.mark.parametrize("error", ["invalid_auth", "token_revoked", "account_inactive"])
async def test_a_bad_token_refuses_to_start_and_says_so(stage, error) -> None:
    stage.slack.faults.error("auth.test", error, times=None)
    with pytest.raises(ConfigurationError, match=r"Slack refused SLACK_BOT_TOKEN|SLACK_BOT_TOKEN has|account"):
        async with stage.bot():
            pass


async def test_a_bad_app_token_refuses_to_start(stage) -> None:
    stage.overrides = {"SLACK_APP_TOKEN": "xapp-wrong"}
    with pytest.raises(ConfigurationError, match="SLACK_APP_TOKEN"):
        async with stage.bot():
            pass


async def test_missing_required_scopes_refuse_to_start(stage) -> None:
    await stage.slack.remove_scope("chat:write")
    with pytest.raises(ConfigurationError, match="chat:write"):
        async with stage.bot():
            pass


async def test_a_slack_that_does_not_answer_is_named(stage) -> None:
    stage.overrides = {"SLACK_API_URL": "http://127.0.0.1:9"}
    with pytest.raises(SlackUnavailable, match=r"127\.0\.0\.1:9"):
        async with stage.bot():
            pass


async def test_a_clock_off_by_more_than_five_minutes_refuses_requests_and_says_so(stage, capfd) -> None:
    stage.over_http()
    async with stage.bot() as running:
        await stage.slack.use_http(f"http://127.0.0.1:{running.port}/slack/events")
        stage.slack.faults.skew_clock(signature_seconds=-400)
        await stage.slack.ask("C0SALES", "U0MIA", "how many?")
        await stage.slack.wait_for(lambda: stage.slack.deliveries or None)
        stage.slack.faults.clear()
        await still_works(stage)
    assert "check the clock" in "".join(capfd.readouterr())


# -- the machine ------------------------------------------------------------------------------------------------------


async def test_a_second_process_on_the_same_state_is_refused_by_name(stage) -> None:
    async with stage.bot():
        with pytest.raises(StateLocked, match=str(os.getpid())):
            async with stage.bot():
                pass


async def test_a_stale_lock_of_a_dead_process_does_not_matter(stage) -> None:
    (stage.folder / "state.db.lock").write_text("999999")
    async with stage.bot():
        await still_works(stage)


async def test_a_busy_port_is_named(stage) -> None:
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        stage.over_http(secret="secret", port=port)
        with pytest.raises(ConfigurationError, match=f"Port {port} is used"):
            async with stage.bot():
                pass


async def test_a_data_folder_that_cannot_be_written_is_named(stage) -> None:
    blocked = stage.folder / "blocked"
    blocked.write_text("a file where a folder should be")
    stage.overrides = {"FOOTNOTE_STATE": f"sqlite:///{blocked}/state.db"}
    with pytest.raises(StateError, match="blocked"):
        async with stage.bot():
            pass


async def test_a_cache_folder_that_cannot_be_written_is_named(stage) -> None:
    blocked = stage.folder / "blocked"
    blocked.write_text("a file where a folder should be")
    stage.overrides = {"FOOTNOTE_DATA_DIR": str(blocked / "cache")}
    with pytest.raises((StateError, ConfigurationError), match="blocked"):
        async with stage.bot():
            pass


def footnote(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=ROOT,
        env={**keep, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "SLACK_BOT_TOKEN"),
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, "SLACK_SIGNING_SECRET"),
        (
            {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "FOOTNOTE_MODEL": "claude-opus-5"},
            "ANTHROPIC_API_KEY",
        ),
        ({"FOOTNOTE_HTTP_PORT": "http"}, "FOOTNOTE_HTTP_PORT"),
        ({"FOOTNOTE_HTTP_PORT": "8080.0"}, "FOOTNOTE_HTTP_PORT: is no port: a whole number from 0 to 65535"),
        ({"SLACK_BOT_TOKEN_FILE": "/nowhere/token"}, "/nowhere/token"),
        ({"SLACK_BOT_TOKEN": "xoxb-1\nX-Other: 1"}, "SLACK_BOT_TOKEN"),
        ({"ANTHROPIC_API_KEY": "kéy"}, "ANTHROPIC_API_KEY"),
        ({"SLACK_API_URL": "not a url"}, "SLACK_API_URL"),
        ({"SLACK_API_URL": "ftp://slack.example/"}, "SLACK_API_URL"),
        ({"SLACK_API_URL": "http://"}, "SLACK_API_URL"),
        ({"ANTHROPIC_BASE_URL": "http://host:port"}, "ANTHROPIC_BASE_URL"),
    ],
)
def test_serve_without_what_it_needs_exits_with_two_and_names_it(environment, words) -> None:
    done = footnote("serve", **environment)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_question_to_a_model_without_its_key_ends_at_once_whatever_is_open(tmp_path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.csv").write_text("id\n1\n")
    sqlite3.connect(tmp_path / "shop.db").execute("CREATE TABLE orders (id INTEGER)")
    manifest = tmp_path / "m.yaml"
    manifest.write_text(
        "version: 1\nworkspace: {root: ./files, audience: {im: true}}\n"
        "sources: [{id: shop, kind: sqlite, path: ./shop.db, audience: {im: true}}]\n"
    )
    done = footnote("ask", "how many?", "--manifest", str(manifest), FOOTNOTE_MODEL="claude-opus-5")
    assert done.returncode == 2
    assert "needs ANTHROPIC_API_KEY" in done.stderr


def test_a_question_without_end_is_refused_and_not_repeated(tmp_path) -> None:
    manifest = tmp_path / "m.yaml"
    manifest.write_text("version: 1\n")
    done = footnote("ask", "a" * 50_000, "--manifest", str(manifest))
    assert done.returncode == 2
    assert "50,000 characters; I read at most 12,000" in done.stderr and "aaaa" not in done.stdout + done.stderr


def test_a_wrong_manifest_exits_with_two_and_the_nearest_key(tmp_path) -> None:
    manifest = tmp_path / "m.yaml"
    manifest.write_text("version: 1\nworkspaec: {}\n")
    done = footnote("ask", "how many?", "--manifest", str(manifest))
    assert done.returncode == 2
    assert "did you mean 'workspace'" in done.stderr


@pytest.mark.parametrize("root", ['"a\\0b"', "loop", "manifest.yaml", "nowhere"])
@pytest.mark.parametrize("command", [("check",), ("sql", "select 1")])
def test_a_workspace_folder_that_is_none_exits_with_two_and_is_named(tmp_path, root, command) -> None:
    (tmp_path / "loop").symlink_to("loop")
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(f"version: 1\ntimezone: UTC\nworkspace: {{root: {root}, audience: {{im: true}}}}\n")
    done = footnote(*command, FOOTNOTE_MANIFEST=str(manifest), FOOTNOTE_DATA_DIR=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert "workspace.root" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("port", ["99999", "-5", "http", ""])
def test_a_port_that_is_none_is_wrong_use(port) -> None:
    done = footnote("demo", f"--port={port}")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "is no port" in done.stderr


async def test_sigterm_ends_the_process_cleanly_and_the_next_one_takes_over(stage) -> None:
    async with stage.process() as first:
        await stage.slack.wait_for_socket()
        first.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(first.wait(), 180) == 0
    async with stage.process():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "How many orders are there?")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "60" in said(answers)

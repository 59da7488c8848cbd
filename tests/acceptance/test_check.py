"""`footnote check` about a manifest: patterns that match nothing, and what ids and names stand for in Slack."""

from __future__ import annotations

import asyncio

import pytest

from runtime.state import migrate_state

from .conftest import write_workspace
from .test_sources import SALES_ONLY, footnote, with_shop

RULES = """\
    tables: {allow: ["*"], deny: [payroll, salaries]}
    columns: {deny: [orders.amount], mask: [customers.email, customers.emial]}
"""


def findings(done, part: str) -> list[str]:
    """The lines about one part."""
    return [line for line in done.stdout.splitlines() if line.split()[1:2] == [part]]


async def test_a_pattern_that_matches_nothing_is_named(stage) -> None:
    with_shop(stage, more=RULES)
    done = await asyncio.to_thread(footnote, stage, "check")
    ok, *warnings = findings(done, "shop")
    assert "2 tables and views are open" in ok
    assert len(warnings) == 2 and all(line.startswith("warn") for line in warnings)
    assert "tables.deny: 'salaries' matches nothing" in warnings[0]
    assert "columns.mask: 'customers.emial' matches nothing" in warnings[1]
    assert done.returncode == 0


async def test_a_setting_that_is_missing_is_no_line_that_says_ok(stage) -> None:
    with_shop(stage)
    done = await asyncio.to_thread(footnote, stage, "check")
    slack, model, composition = findings(done, "settings")
    assert slack.startswith("ok") and "Slack by Socket Mode" in slack
    assert model.startswith("ok") and "model offline" in model and "local composition" in composition
    done = await asyncio.to_thread(footnote, stage, "check", SLACK_BOT_TOKEN="", SLACK_APP_TOKEN="")
    slack, model, _ = findings(done, "settings")
    assert slack.startswith("fail") and "SLACK_BOT_TOKEN is not set" in slack and done.returncode == 2
    assert "signed HTTP" not in done.stdout and "required values" not in done.stdout


async def test_it_says_how_the_sealed_interpreter_stands(stage) -> None:
    with_shop(stage)
    done = await asyncio.to_thread(footnote, stage, "check")
    (line,) = findings(done, "guest")
    assert line.startswith("ok") and "Python 3.14." in line


async def test_live_says_whom_the_ids_mean_and_which_are_unknown(stage) -> None:
    with_shop(stage)
    text = stage.manifest.read_text()
    stage.manifest.write_text(text.replace("im: true}\n    ", "").replace("C0SALES", "C0SALES, C0GONE"))
    done = await asyncio.to_thread(footnote, stage, "check", "--live")
    unknown, named = findings(done, "ids")
    assert unknown.startswith("warn") and "C0GONE was not found: Slack says channel_not_found" in unknown
    assert "C0SALES is #sales" in named and "U0ANN is @ann" in named


async def test_live_says_the_ids_behind_the_names_of_a_manifest_that_is_refused_for_them(stage) -> None:
    stage.manifest = write_workspace(stage.folder)
    text = stage.manifest.read_text().replace('channels: ["*"]', 'channels: ["#sales", nowhere], groups: [analysts]')
    stage.manifest.write_text(text)
    done = await asyncio.to_thread(footnote, stage, "check", "--live")
    assert done.returncode == 2 and "workspace.audience.channels" in done.stdout
    told = "\n".join(findings(done, "ids"))
    assert "channels: '#sales' is C0SALES; write the id" in told
    assert "channels: 'nowhere' is known to nobody in Slack" in told
    assert "groups: 'analysts' is S0ANLY" in told


async def test_a_state_is_told_and_neither_made_nor_migrated(stage) -> None:
    with_shop(stage)
    path = stage.folder / "kept" / "state.db"
    url = f"sqlite:///{path}"
    done = await asyncio.to_thread(footnote, stage, "check", FOOTNOTE_STATE=url)
    [line] = findings(done, "state")
    assert line.startswith("ok") and f"{path}: not there yet" in line and not path.parent.exists()
    migrate_state(url)
    done = await asyncio.to_thread(footnote, stage, "check", FOOTNOTE_STATE=url)
    [line] = findings(done, "state")
    assert line.startswith("ok") and f"{path}: schema " in line and "writable" in line
    path.write_bytes(b"something else")
    done = await asyncio.to_thread(footnote, stage, "check", FOOTNOTE_STATE=url)
    [line] = findings(done, "state")
    assert line.startswith("fail") and "is not a SQLite database" in line and done.returncode == 1


@pytest.mark.parametrize(
    ("url", "part", "words", "code"),
    [
        ("postgresql://bot:hidden@127.0.0.1:9/footnote", "state", "cannot be used", 1),
        ("mysql://bot@localhost/footnote", "settings", "must begin with sqlite:/// or postgresql://", 2),
    ],
)
async def test_a_state_out_of_reach_is_a_fault_without_its_password(stage, url, part, words, code) -> None:
    with_shop(stage)
    done = await asyncio.to_thread(footnote, stage, "check", FOOTNOTE_STATE=url)
    assert any(line.startswith("fail") and words in line for line in findings(done, part)) and done.returncode == code
    assert "hidden" not in done.stdout + done.stderr


async def test_what_is_set_and_not_used_yet_is_said(stage) -> None:
    with_shop(stage)
    text = stage.manifest.read_text()
    other = stage.folder / "other.yaml"
    other.write_text(text + "retention: {conversations_days: 30}\nexports: {destinations: []}\n")
    done = await asyncio.to_thread(footnote, stage, "check", "--manifest", str(other), SLACK_CLIENT_ID="1.2")
    assert any("SLACK_CLIENT_ID" in line and "not used yet" in line for line in findings(done, "settings"))
    told, *unused = findings(done, "manifest")
    assert str(other) in told and [line.split()[2] for line in unused] == ["exports", "retention"]
    done = await asyncio.to_thread(footnote, stage, "check")
    assert "not applied yet" not in done.stdout and "not used yet" not in done.stdout


async def test_a_rule_whose_approvers_are_nobody_is_said(stage) -> None:
    rule = "updates: [{table: accounts, columns: [tier], approvers: {}}]"
    crm = f"  - {{id: crm, kind: postgresql, url: '${{CRM_URL}}', updates_url: '${{CRM_URL}}', {rule}, {SALES_ONLY}}}\n"
    with_shop(stage, sources=crm)
    done = await asyncio.to_thread(footnote, stage, "check", CRM_URL="postgresql://nobody@127.0.0.1:1/none")
    warned, _ = findings(done, "crm")
    assert warned.startswith("warn") and "approvers of accounts name nobody" in warned

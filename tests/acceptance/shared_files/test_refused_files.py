"""Files that are not read: the question is answered all the same, with the reason for people and model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.acceptance.shared_files.conftest import REFUNDS, calls, results, told, words

GSHEET = {
    "id": "F0GSHEET",
    "name": "plan.csv",
    "mimetype": "text/csv",
    "size": 10,
    "mode": "external",
    "is_external": True,
    "external_type": "gdrive",
    "url_private_download": "https://docs.google.example/plan",
}


async def answered(stage, scripted, files: dict[str, bytes] | None = None, **more: Any) -> tuple[str, str, str]:
    """What people read, what the model was told at first, and what list_files gave."""
    async with scripted(calls(("list_files", {}))) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what is in it?", files=files, **more)
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert stage.slack.refusals == []
    return words(answers), told(endpoint.requests[0]), str(results(endpoint.requests[-1]))


async def test_a_file_that_is_kept_elsewhere(stage, scripted) -> None:
    extra = {"subtype": "file_share", "files": [GSHEET]}
    said, model, listed = await answered(stage, scripted, extra=extra)
    assert "«plan.csv» was not read: it is kept outside Slack" in said
    assert "«plan.csv» was not read: it is kept outside Slack" in model
    assert "orders.csv" in listed and "plan.csv" not in listed


async def test_a_file_that_was_deleted_while_the_question_waited(stage, scripted) -> None:
    gone = {"id": "F0GONE", "name": "gone.csv", "mimetype": "text/csv", "file_access": "check_file_info"}
    said, model, listed = await answered(stage, scripted, extra={"subtype": "file_share", "files": [gone]})
    # Before the answer: it tells that the answer is without that file.
    assert 0 < said.index("«gone.csv» was not read: it was deleted") < said.index("Done.")
    assert "«gone.csv» was not read: it was deleted" in model
    assert "orders.csv" in listed


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("credentials.csv", REFUNDS, "its name looks like that of a secret"),
        ("film.mp4", b"\0" * 40, "files of the kind .mp4 are not read"),
        ("large.csv", b"a,b\n" + b"1,2\n" * 300_000, "at most 1 MiB are read here"),
        ("broken.xlsx", b"PK\x03\x04 no workbook at all", "was not read"),
    ],
)
async def test_a_file_that_cannot_be_read_here(stage, scripted, name: str, body: bytes, reason: str) -> None:
    stage.manifest.write_text(stage.manifest.read_text() + "slack_files: {max_mib: 1}\n")
    said, model, listed = await answered(stage, scripted, {name: body, "refunds.csv": REFUNDS})
    assert f"«{name}» was not read" in said and reason in said
    assert name in model
    assert "attached/refunds.csv" in listed  # one that is refused keeps no other away


async def test_without_the_right_to_read_files_slack_sends_a_page(stage, scripted) -> None:
    stage.slack.app.scopes.discard("files:read")
    said, _, listed = await answered(stage, scripted, {"refunds.csv": REFUNDS})
    assert "the app lacks the right files:read" in said
    assert "refunds.csv" not in listed


@pytest.mark.parametrize(("channel", "asker"), [("C0PARTNER", "U0XEN"), ("C0GENERAL", "U0GUS")])
async def test_files_of_guests_and_other_organisations_are_not_read(stage, scripted, channel: str, asker: str) -> None:
    async with scripted(calls(("list_files", {}))) as endpoint, stage.bot():
        ts = await stage.slack.ask(channel, asker, "what is in it?", files={"refunds.csv": REFUNDS})
        answers = await stage.slack.wait_for_answers(channel, ts, 1)
    assert "own people only" in words(answers)
    assert "list_files" not in {tool["name"] for tool in endpoint.requests[0]["tools"]}
    assert not list((stage.folder / "cache").rglob("refunds.csv"))


async def test_a_file_that_only_files_info_tells_of_is_looked_up(stage, scripted) -> None:
    async with scripted(calls(("list_files", {}))) as endpoint, stage.bot():
        await stage.slack.say("C0FIN", "U0MIA", "it stands here", files={"refunds.csv": REFUNDS})
        stub = {
            "id": next(iter(stage.slack.workspace.files)),
            "created": 0,
            "timestamp": 0,
            "file_access": "check_file_info",
        }
        extra = {"subtype": "file_share", "files": [stub]}
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what is in it?", extra=extra)
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "attached/refunds.csv" in str(results(endpoint.requests[-1]))


async def test_a_file_that_slack_is_still_at_is_waited_for(stage, scripted) -> None:
    naps: list[float] = []

    async def nap(seconds: float) -> None:
        if seconds > 10:
            await asyncio.Event().wait()
        naps.append(seconds)
        if len(naps) == 2:
            stage.slack.faults.release_files()

    stage.slack.faults.hold_files()
    async with scripted(calls(("list_files", {}))) as endpoint, stage.bot(sleep=nap):
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what is in it?", files={"refunds.csv": REFUNDS})
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert len(naps) == 2
    assert "attached/refunds.csv" in str(results(endpoint.requests[-1]))


async def test_the_name_of_a_refused_file_mentions_and_links_nobody(stage, scripted) -> None:
    name = "<!channel> [open](https:example.com) `x` *b*.gsheet"
    said, _, _ = await answered(stage, scripted, {name: REFUNDS})
    assert "was not read" in said
    assert "<!channel>" not in said and "](https" not in said

"""The shelf keeps to its bounds, over one conversation and over time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.question import Question
from bot.shared_files.in_thread import taken_back
from bot.shared_files.shelf import Shelf, Shelved
from bot.shared_files.slack_file import described
from runtime.admission.manifest import SlackFiles
from runtime.engines.workspace.conversation_files import ConversationFiles
from runtime.limits import DEFAULT, MIB
from runtime.state import open_state
from runtime.testing.clock import ManualClock, counted_ids
from tests.integration.shared_files.conftest import Bench, bytes_of

BODY = b"a,b\n" + b"1,2\n" * 250_000  # almost a MiB


@pytest.fixture
async def shelf(bench: Bench, tmp_path: Path) -> AsyncGenerator[Shelf]:
    """A shelf for three files or three MiB a conversation."""
    clock = ManualClock()
    state = open_state("sqlite://", clock=clock, new_id=counted_ids())
    limits = DEFAULT.override({"shared_files": 3, "shared_files_bytes": 3 * MIB})
    rooms = ConversationFiles(tmp_path / "rooms", bench.store, lambda: None, limits, clock)
    bench.place.file = bytes_of(BODY)
    yield Shelf(state, bench.store, rooms, bench.fetcher, limits, lambda: SlackFiles(keep_days=2), clock, clock.sleep)
    await rooms.close()
    state.close()


async def take(shelf: Shelf, bench: Bench, *ids: str, conversation: str = "a", size: int | None = len(BODY)) -> Shelved:
    files = [bench.place.described(id=file_id, name=f"{file_id}.csv", size=size) for file_id in ids]
    return await shelf.take(conversation, files)


def shown(folder: Path) -> set[str]:
    """The names in all rooms."""
    return {path.name for path in folder.rglob("*.csv")}


async def test_a_file_is_fetched_once_for_its_conversation(shelf: Shelf, bench: Bench) -> None:
    first = await take(shelf, bench, "F1", "F2")
    assert (first.names, first.came, first.refused) == (("F1.csv", "F2.csv"), ("F1.csv", "F2.csv"), ())
    fetched = len(bench.place.asked)
    assert await take(shelf, bench, "F1") == replace(first, came=("F1.csv",))
    assert await take(shelf, bench) == replace(first, came=())
    assert len(bench.place.asked) == fetched
    assert len(bench.store.contents()) == 1
    assert await take(shelf, bench, conversation="b") == Shelved()


async def test_a_conversation_takes_so_many_files_and_the_next_begins_anew(shelf: Shelf, bench: Bench) -> None:
    bench.place.file = bytes_of(b"a\n1\n")
    full = await take(shelf, bench, "F1", "F2", "F3", "F4", size=4)
    assert full.names == ("F1.csv", "F2.csv", "F3.csv")
    assert full.refused == ("«F4.csv» was not read: this conversation has 3 files already; share it in a new thread.",)
    assert (await take(shelf, bench, "F4", conversation="b", size=4)).names == ("F4.csv",)


@pytest.mark.parametrize("size", [len(BODY), None])
async def test_the_files_of_a_conversation_are_bounded_in_all(shelf: Shelf, bench: Bench, size: int | None) -> None:
    shelf = replace(shelf, limits=replace(shelf.limits, shared_files_bytes=2 * MIB + MIB // 2))
    taken = await take(shelf, bench, "F1", "F2", "F3", size=size)
    assert taken.names == ("F1.csv", "F2.csv")
    (refused,) = taken.refused
    assert "MiB" in refused and "F3.csv" in refused


async def test_the_sweep_of_each_day_removes_what_is_old(shelf: Shelf, bench: Bench, tmp_path: Path) -> None:
    await take(shelf, bench, "F1")
    shelf.clock.advance(timedelta(days=1.5).total_seconds())  # type: ignore[attr-defined]
    bench.place.file = bytes_of(b"a\n1\n")
    await take(shelf, bench, "F2", size=4)
    await take(shelf, bench, "F3", conversation="b", size=4)
    await shelf.sweep()
    assert (await take(shelf, bench)).names == ("F1.csv", "F2.csv")
    shelf.clock.advance(timedelta(days=1).total_seconds())  # type: ignore[attr-defined]
    await shelf.sweep()
    assert len(bench.store.contents()) == 1
    assert shown(tmp_path) == {"F2.csv", "F3.csv"}
    assert (await take(shelf, bench)).names == ("F2.csv",)


async def test_a_deleted_file_makes_room_and_its_name_is_free(shelf: Shelf, bench: Bench) -> None:
    await take(shelf, bench, "F1")
    assert await shelf.deleted("F1") and not await shelf.deleted("F1")
    bench.place.file = bytes_of(b"a\n7\n")
    again = await shelf.take("a", [bench.place.described(id="F9", name="F1.csv", size=4)])
    assert again.names == ("F1.csv",)
    assert shelf.store.contents() >= {file.sha256 for file in await shelf.state.shared_files.of("a")}
    await shelf.sweep()
    assert len(shelf.store.contents()) == 1


async def test_of_several_files_of_one_name_the_newest_has_it(shelf: Shelf, bench: Bench, tmp_path: Path) -> None:
    def posted(file_id: str, name: str = "v1.csv") -> dict[str, object]:
        return bench.place.described(id=file_id, name=name, size=4)

    for file_id, body in (("F9", b"a\n1\n"), ("F5", b"a\n2\n")):
        bench.place.file = bytes_of(body)
        taken = await shelf.take("a", [posted(file_id)])
        shelf.clock.advance(60)  # type: ignore[attr-defined]
        assert taken.came == ("v1.csv",)
    assert taken.names == ("v1 (older 1).csv", "v1.csv")
    assert [(each.name, each.older) for each in taken.versions] == [("v1.csv", ("v1 (older 1).csv",))]
    newest, older = taken.versions[0].came
    assert newest and older and newest - older == timedelta(seconds=60)
    assert {path.name: path.read_bytes() for path in (tmp_path / "rooms").rglob("*.csv")} == {
        "v1 (older 1).csv": b"a\n1\n",
        "v1.csv": b"a\n2\n",
    }
    await shelf.deleted("F5")
    assert (await shelf.take("a", [])).versions == ()
    assert shown(tmp_path) == {"v1.csv"}


async def test_a_file_that_came_with_the_question_is_newer_than_those_before_it(shelf: Shelf, bench: Bench) -> None:
    async def serve(request: web.Request) -> web.StreamResponse:
        shelf.clock.advance(1)  # type: ignore[attr-defined]
        return await bytes_of(b"a\n%d\n" % len(bench.place.asked))(request)

    bench.place.file = serve
    earlier, asked = (
        [bench.place.described(id=file_id, name="v1.csv", size=None) for file_id in ids]
        for ids in (("F2", "F3", "F4"), ("F1",))
    )
    taken = await shelf.take("a", asked, earlier)
    assert taken.came == ("v1.csv",)
    assert taken.names == ("v1 (older 1).csv", "v1 (older 2).csv", "v1.csv")
    assert [file.file_id for file in await shelf.state.shared_files.of("a")] == ["F2", "F3", "F1"]
    assert "3 files already" in " ".join(taken.refused)


async def test_what_a_crash_left_half_written_is_removed(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), bench.store.incoming() as incoming:
        incoming.write(b"half")
        raise RuntimeError
    assert list((tmp_path / "bytes").iterdir()) == []
    (tmp_path / "bytes" / "tmpabc.tmp").write_bytes(b"half")
    bench.store.drop_unfinished()
    assert list((tmp_path / "bytes").iterdir()) == []


async def test_what_is_too_much_is_told_in_one_sentence(shelf: Shelf, bench: Bench) -> None:
    bench.place.file = bytes_of(b"a\n1\n")
    ids = [f"F{number:02}" for number in range(1, 61)]
    (said,) = (await take(shelf, bench, *ids, size=4)).refused
    assert said.startswith("«F04.csv», «F05.csv», «F06.csv», «F07.csv», «F08.csv» and 52 more were not read")
    assert "this conversation has 3 files already" in said


async def test_a_file_that_is_deleted_while_the_others_come_is_told(shelf: Shelf, bench: Bench) -> None:
    served = bytes_of(b"a\n1\n")

    async def meanwhile(request: web.Request) -> web.StreamResponse:
        if len(bench.place.asked) == 2:
            await shelf.deleted("F1")
        return await served(request)

    bench.place.file = meanwhile
    taken = await take(shelf, bench, "F1", "F2", size=4)
    assert (taken.names, taken.came) == (("F2.csv",), ("F2.csv",))
    assert taken.refused == ("«F1.csv» was not read: it was deleted in Slack before I came to it.",)


async def test_a_damaged_copy_is_told_and_fetched_again_with_the_next_question(
    shelf: Shelf, bench: Bench, tmp_path: Path
) -> None:
    bench.place.file, bench.place.infos = bytes_of(b"a\n1\n"), [bench.place.described(id="F1", name="F1.csv", size=4)]
    await take(shelf, bench, "F1", size=4)
    (kept,) = await shelf.state.shared_files.of("a")
    await shelf.rooms.clear(())
    (tmp_path / "bytes" / kept.sha256).write_bytes(b"a\n2\n")
    (said,) = (await take(shelf, bench)).refused
    assert said.startswith("«F1.csv» was not read: the copy that I had of it is damaged")
    assert (await take(shelf, bench)).names == ("F1.csv",)


def _edited(question: Question, *, kept: list[str]) -> dict[str, Any]:
    """The event of Slack that a question's message keeps only these files."""
    before = {"ts": question.ts, "thread_ts": question.thread_ts, "files": list(question.files)}
    after = before | {"files": [file for file in question.files if file["id"] in kept]}
    event = {"subtype": "message_changed", "channel": question.channel, "message": after, "previous_message": before}
    return {"team_id": question.team, "event": event}


async def test_a_file_that_is_edited_out_of_a_question_that_waits_is_not_fetched_for_it(
    shelf: Shelf, bench: Bench
) -> None:
    files = described([bench.place.described(id=file_id, name=f"{file_id}.csv", size=len(BODY)) for file_id in "ABC"])
    one, two = (
        Question("T1", "C1", ts, "1.0", "U1", "what is in them?", True, files if ts == "2.0" else files[:1])
        for ts in ("2.0", "3.0")
    )
    turns: list[str] = []
    for question in (one, two):
        kept = await shelf.state.inbox.accept(
            f"Ev{question.ts}", question.key, str(question.address), "message", question.as_json()
        )
        turns.append(kept.turn_id)
    # Two edits of the same message, the second without files any more; and one of a message that nobody asked with.
    assert not await shelf.withdrawn(*taken_back(_edited(one, kept=["B", "C"])))
    assert not await shelf.withdrawn(*taken_back(_edited(replace(one, files=files[1:]), kept=["C"])))
    assert not await shelf.withdrawn(*taken_back(_edited(replace(one, ts="9.0"), kept=[])))
    items = [await shelf.state.inbox.get(turn_id) for turn_id in turns]
    first, second = (Question(**item.body) for item in items if item and item.body)
    assert (first.text, second) == (one.text, replace(two, files=list(two.files)))
    taken = await shelf.take(str(first.address), first.files)
    assert (taken.names, taken.came) == (("C.csv",), ("C.csv",))
    assert taken.refused == (
        "«A.csv» and «B.csv» were not read, each for this reason: it was taken out of its message before I came to it.",
    )
    assert len(bench.place.asked) == 1
    # Another message of the thread has it still.
    assert (await shelf.take(str(second.address), second.files)).came == ("A.csv",)
    # What was retracted or has ended stays without words and as it was.
    await shelf.state.inbox.retract(turns[:1])
    await shelf.state.inbox.finish(turns[1])
    await shelf.withdrawn(*taken_back(_edited(one, kept=[])))
    await shelf.withdrawn(*taken_back(_edited(two, kept=[])))
    gone, ended = [await shelf.state.inbox.get(turn_id) for turn_id in turns]
    assert gone and gone.body is None and ended and Question(**(ended.body or {})) == second

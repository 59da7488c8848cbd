"""Rooms of conversations: attached files beside a folder or alone, never elsewhere, made again from the bytes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from runtime.clock import SystemClock
from runtime.engines.workspace.byte_store import DirectoryBytes
from runtime.engines.workspace.conversation_files import ConversationFiles
from runtime.engines.workspace.joint_files import join
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError
from runtime.limits import DEFAULT

ONE_WORKER = DEFAULT.override({"worker_pool": 1})
FOLDER = {
    "orders.csv": "id,amount\n1,10\n2,20\n",
    "attached/plan.csv": "month,goal\n1,100\n",
    "notes.md": "# Notes\nThe folder's own words.\n",
}
ATTACHED = {
    "refunds.csv": "order_id,refund\n1,3\n2,4\n",
    "orders.csv": "id,amount\n7,70\n",
    "memo.md": "# Memo\nRefunds above 3 need a reason.\n",
}


@dataclass
class House:
    """A folder's workspace, and rooms beside it."""

    folder: Path
    base: Workspace | None
    rooms: ConversationFiles
    store: DirectoryBytes

    def put(self, files: Mapping[str, str]) -> dict[str, str]:
        """The bytes of files in the store, their contents by name."""
        found: dict[str, str] = {}
        for name, text in files.items():
            with self.store.incoming() as incoming:
                incoming.write(text.encode())
            found[name] = incoming.sha256
        return found


Build = Callable[..., Awaitable[House]]


@pytest.fixture
async def build(tmp_path: Path) -> AsyncGenerator[Build]:
    """Opens a house; `files` are the folder's, None for no workspace."""
    opened: list[House] = []

    async def one(files: Mapping[str, str] | None = FOLDER) -> House:
        base = None
        if files is not None:
            for name, text in files.items():
                path = tmp_path / "folder" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            base = await Workspace.open(tmp_path / "folder", tmp_path / "cache", ONE_WORKER, SystemClock())
        store = DirectoryBytes(tmp_path / "bytes")
        rooms = ConversationFiles(tmp_path / "rooms", store, lambda: base, ONE_WORKER, SystemClock())
        opened.append(House(tmp_path, base, rooms, store))
        return opened[-1]

    yield one
    for house in opened:
        await house.rooms.close()
        if house.base is not None:
            await house.base.close()


async def rows(workspace: Workspace, sql: str) -> tuple[tuple[object, ...], ...]:
    return (await workspace.read(sql, seconds=15, rows_kept=100)).rows


async def test_both_are_one_workspace_and_sql_joins_them(build: Build) -> None:
    house = await build()
    assert await house.rooms.furnish("a", house.put(ATTACHED)) == []
    view = house.rooms.view("a", beside_folder=True)
    catalog = await view.catalog()
    assert {file.path for file in catalog.files if file.attached} == {f"attached_2/{name}" for name in ATTACHED}
    assert {table.name: table.file for table in catalog.tables} == {
        "orders": "orders.csv",
        "plan": "attached/plan.csv",
        "refunds": "attached_2/refunds.csv",
        "attached_orders": "attached_2/orders.csv",
    }
    assert await rows(view, "select amount, refund from orders o join refunds r on r.order_id = o.id order by 1") == (
        (10, 3),
        (20, 4),
    )
    assert await rows(view, "select amount from attached_orders") == ((70,),)
    assert await rows(view, "select goal from plan") == ((100,),)
    result = await view.read("select refund from refunds", seconds=15, rows_kept=1)
    assert result.sources[0].file == "attached_2/refunds.csv"
    (mine,) = await view.documents.open(["attached_2/memo.md"])
    (theirs,) = await view.documents.open(["notes.md"])
    assert not isinstance(mine, CallError) and "need a reason" in mine.text.pages[0]
    assert not isinstance(theirs, CallError) and "own words" in theirs.text.pages[0]
    assert (await view.documents.raw("attached_2/refunds.csv")).text == ATTACHED["refunds.csv"]
    profile = await view.inspect("refunds", [], 1)
    assert ("order_id", "orders", "id") in profile.joins
    chosen, _ = await view.read_files("attached*/refunds.csv", "select sum(refund) as n from data")
    assert chosen.rows == ((7,),)


async def test_alone_nothing_of_the_folder_is_there(build: Build) -> None:
    house = await build()
    await house.rooms.furnish("a", house.put(ATTACHED))
    view = house.rooms.view("a", beside_folder=False)
    catalog = await view.catalog()
    assert {file.path for file in catalog.files} == {f"attached/{name}" for name in ATTACHED}
    assert await rows(view, "select amount from orders") == ((70,),)
    for sql in ("select * from plan", "select * from pla", "select goal from orders"):
        with pytest.raises(CallError) as caught:
            await rows(view, sql)
        assert "plan" not in str(caught.value.as_json()).replace(sql, "").replace("'plan'", "")
    (missing,) = await view.documents.open(["notes.md"])
    assert isinstance(missing, CallError) and missing.code == "not_found" and "notes" not in missing.hint


async def test_a_room_is_seen_by_no_other_and_not_by_the_folder(build: Build) -> None:
    house = await build()
    assert house.base is not None
    before = await house.base.catalog()
    await house.rooms.furnish("a", house.put(ATTACHED))
    await house.rooms.furnish("b", house.put({"other.csv": "x\n1\n"}))
    await rows(house.rooms.view("a", beside_folder=True), "select * from refunds")
    other = await house.rooms.view("b", beside_folder=True).catalog()
    assert {file.name for file in other.files if file.attached} == {"other.csv"}
    with pytest.raises(CallError) as caught:
        await rows(house.rooms.view("b", beside_folder=True), "select * from refund")
    assert "refunds" not in str(caught.value.as_json())
    assert await house.base.catalog() == before


async def test_without_a_workspace_the_rooms_have_workers_of_their_own(build: Build) -> None:
    house = await build(None)
    await house.rooms.furnish("a", house.put(ATTACHED))
    for beside in (False, True):
        view = house.rooms.view("a", beside_folder=beside)
        assert await rows(view, "select sum(refund) from refunds") == ((7,),)


async def test_a_room_follows_its_list_and_says_whose_bytes_are_gone(build: Build) -> None:
    house = await build()
    contents = house.put(ATTACHED)
    await house.rooms.furnish("a", contents)
    view = house.rooms.view("a", beside_folder=True)
    await rows(view, "select * from refunds")
    del contents["refunds.csv"]
    contents["memo.md"] = house.put({"memo.md": "# Another\n"})["memo.md"]
    assert await house.rooms.furnish("a", {**contents, "late.csv": "0" * 64}) == ["late.csv"]
    catalog = await view.catalog()
    assert {file.name for file in catalog.files if file.attached} == {"orders.csv", "memo.md"}
    (memo,) = await view.documents.open(["memo.md"])
    assert not isinstance(memo, CallError) and "Another" in memo.text.pages[0]
    with pytest.raises(CallError, match="refunds"):
        await rows(view, "select * from refunds")


async def test_damaged_bytes_are_never_shown(build: Build) -> None:
    house = await build()
    contents = house.put({"a.csv": "x\n1\n"})
    (house.folder / "bytes" / contents["a.csv"]).write_text("x\n2\n")
    assert await house.rooms.furnish("a", contents) == ["a.csv"]


async def test_of_a_lost_file_nothing_stays_on_the_disk(build: Build) -> None:
    house = await build()
    secret = "zebrafish"
    contents = house.put({"a.csv": f"name\n{secret}\n", "a.md": f"# {secret}\n", "b.csv": "x\n1\n"})
    await house.rooms.furnish("a", contents)
    view = house.rooms.view("a", beside_folder=True)
    assert await rows(view, "select * from a") == ((secret,),)
    await view.inspect("a", [], 5)
    await view.documents.open(["a.md"])
    for name in ("a.csv", "a.md"):
        house.store.remove(contents.pop(name))
    await house.rooms.furnish("a", contents)
    await house.rooms.trim("nobody", {})
    assert await rows(view, "select * from b") == ((1,),)
    kept = [path for path in (house.folder / "rooms").rglob("*") if path.is_file()]
    assert kept and not [path for path in kept if secret.encode() in path.read_bytes()]
    await house.rooms.clear([])
    assert [path for path in (house.folder / "rooms").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("marks", ["{", "[]", '{"a.csv": ["f", 1, 2, 3]}', '{"a.csv": 7}'])
async def test_damaged_marks_cost_a_copy_and_nothing_else(build: Build, marks: str) -> None:
    house = await build()
    contents = house.put({"a.csv": "x\n1\n"})
    await house.rooms.furnish("a", contents)
    (shown,) = (house.folder / "rooms").rglob("a.csv")
    shown.chmod(0o600)
    shown.write_text("x\n9\n")
    (shown.parent.parent / "marks.json").write_text(marks)
    assert await house.rooms.furnish("a", contents) == []
    assert shown.read_text() == "x\n1\n"


async def test_rooms_of_others_are_kept_when_some_are_cleared(build: Build) -> None:
    house = await build()
    await house.rooms.furnish("a", house.put(ATTACHED))
    await house.rooms.furnish("b", house.put({"b.csv": "x\n5\n"}))
    await house.rooms.clear(["b", "c"])
    assert await rows(house.rooms.view("b", beside_folder=True), "select x from b") == ((5,),)
    assert not [
        file for file in (await house.rooms.view("b", beside_folder=True).catalog()).files if "refund" in file.path
    ]


def entry(path: str, *tables: str) -> WorkspaceFile:
    return WorkspaceFile(path, "table", 1, 1, "sha256:1", tables)


def test_a_taken_name_gets_a_new_one_that_nobody_has() -> None:
    folder = WorkspaceCatalog("f", (entry("a.csv", "a"), entry("b.csv", "Attached_A")))
    attached = WorkspaceCatalog(
        "r",
        (entry("A.csv", "A"), entry("c.csv", "c", "attached_A_2")),
        tuple(WorkspaceTable(name, "A.csv", "sha256:1", (), 1, Path("x")) for name in ("A", "attached_A_2", "c")),
    )
    joined = join(folder, attached, "attached")
    named = {name for file in joined.files if file.attached for name in file.tables}
    assert named == {"attached_A_3", "c", "attached_A_2"}
    assert {table.name for table in joined.tables} == named
    assert len({name.casefold() for file in joined.files for name in file.tables}) == 5

"""Files shared in a conversation are remembered once, for that conversation, until they are forgotten or old."""

from datetime import timedelta

from runtime.state import SharedFile


def shared(conversation: str, file_id: str, sha256: str = "aa") -> SharedFile:
    return SharedFile(conversation, file_id, f"{file_id}.csv", sha256, 3)


async def test_a_conversation_has_its_own_files_only_each_once_in_their_order(state, clock):
    for file in (shared("T:C:1", "F2"), shared("T:C:1", "F1"), shared("T:C:2", "F3"), shared("T:C:1", "F2", "bb")):
        await state.shared_files.keep(file)
        clock.advance(1)
    assert [(file.file_id, file.sha256) for file in await state.shared_files.of("T:C:1")] == [
        ("F2", "aa"),
        ("F1", "aa"),
    ]
    assert [file.file_id for file in await state.shared_files.of("T:C:2")] == ["F3"]
    assert await state.shared_files.of("T:C") == []


async def test_a_deleted_file_is_gone_from_every_conversation(state):
    for file in (shared("a", "F1"), shared("b", "F1"), shared("b", "F2", "bb")):
        await state.shared_files.keep(file)
    assert await state.shared_files.forget("F1") == {"a", "b"}
    assert await state.shared_files.forget("F1") == frozenset()
    assert await state.shared_files.conversations() == {"b"}
    assert await state.shared_files.contents() == {"bb"}


async def test_a_file_is_withdrawn_from_one_conversation(state):
    for file in (shared("a", "F1"), shared("a", "F2", "bb"), shared("b", "F1")):
        await state.shared_files.keep(file)
    assert await state.shared_files.withdraw("a", {"F1", "F9"})
    assert not await state.shared_files.withdraw("a", {"F1"})
    assert [file.file_id for file in await state.shared_files.of("a")] == ["F2"]
    assert await state.shared_files.conversations() == {"a", "b"}


async def test_old_files_are_dropped_by_the_time_they_came(state, clock):
    await state.shared_files.keep(shared("a", "F1"))
    clock.advance(1)
    between = clock.now()
    await state.shared_files.keep(shared("a", "F2"))
    assert await state.shared_files.drop_older(between) == {"a"}
    assert [file.file_id for file in await state.shared_files.of("a")] == ["F2"]
    assert await state.shared_files.drop_older(clock.now() + timedelta(days=1)) == {"a"}

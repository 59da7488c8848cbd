"""Which files people shared in which conversation, and under which content their bytes are kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

import sqlalchemy as sa

from runtime.clock import Clock
from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import shared_files

# Keeps a file unless this conversation has it.
_KEEP = InsertUnlessThere(shared_files, shared_files.c.file_id)

# The files of a conversation in the order in which they came.
_OF_CONVERSATION = (
    sa.select(shared_files)
    .where(shared_files.c.conversation == sa.bindparam("of_conversation"))
    .order_by(shared_files.c.kept_at, shared_files.c.name, shared_files.c.file_id)
)
_DROPPED = sa.delete(shared_files).returning(shared_files.c.conversation)
_DELETED = _DROPPED.where(shared_files.c.file_id == sa.bindparam("of_file"))
_WITHDRAWN = _DROPPED.where(
    shared_files.c.conversation == sa.bindparam("of_conversation"),
    shared_files.c.file_id.in_(sa.bindparam("of_files", expanding=True)),
)
_OLDER = _DROPPED.where(shared_files.c.kept_at < sa.bindparam("before"))

# What is still wanted of rooms and bytes.
_CONVERSATIONS = sa.select(shared_files.c.conversation).distinct()
_CONTENTS = sa.select(shared_files.c.sha256).distinct()


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file of one conversation. `name` is its own, which several may have; `sha256` (hexadecimal) names its content;
    `size` is in bytes; `kept_at` is when it came, None before it is kept."""

    conversation: str
    file_id: str
    name: str
    sha256: str
    size: int
    kept_at: datetime | None = field(default=None, compare=False)


class SharedFiles:
    """The shared_files table."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock

    async def of(self, conversation: str) -> Sequence[SharedFile]:
        """The files of a conversation, oldest first."""
        return await self._connector.run(
            lambda c: [_file(row) for row in c.execute(_OF_CONVERSATION, {"of_conversation": conversation}).mappings()]
        )

    async def keep(self, file: SharedFile) -> None:
        """Notes a file whose bytes are kept; one that the conversation has stays as it is."""
        row: dict[str, object] = {**asdict(file), "kept_at": self._clock.now()}
        await self._connector.run(lambda c: _KEEP.wrote(c, row))

    async def forget(self, file_id: str) -> frozenset[str]:
        """Drops a file; the conversations that had it."""
        return await self._connector.run(lambda c: frozenset(c.execute(_DELETED, {"of_file": file_id}).scalars()))

    async def withdraw(self, conversation: str, file_ids: Collection[str]) -> bool:
        """Drops files from one conversation; True when it had one of them."""
        values = {"of_conversation": conversation, "of_files": list(file_ids)}
        return await self._connector.run(lambda c: bool(c.execute(_WITHDRAWN, values).scalars().all()))

    async def drop_older(self, before: datetime) -> frozenset[str]:
        """Drops the files that came before a moment; the conversations that had them."""
        return await self._connector.run(lambda c: frozenset(c.execute(_OLDER, {"before": before}).scalars()))

    async def conversations(self) -> frozenset[str]:
        """Those that have files."""
        return await self._connector.run(lambda c: frozenset(c.execute(_CONVERSATIONS).scalars()))

    async def contents(self) -> frozenset[str]:
        """The contents that any conversation has."""
        return await self._connector.run(lambda c: frozenset(c.execute(_CONTENTS).scalars()))


def _file(row: sa.RowMapping) -> SharedFile:
    return SharedFile(row["conversation"], row["file_id"], row["name"], row["sha256"], row["size"], row["kept_at"])

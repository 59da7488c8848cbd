"""Names the files of a conversation: of several of one name the newest has it, and the older ones a number."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.shared_files.unread import enumerated
from runtime.state import SharedFile


@dataclass(frozen=True, slots=True)
class Named:
    """A file, what it is `called` in its conversation, and what the `older` files of its own name are called there, the
    oldest first."""

    file: SharedFile
    called: str
    older: tuple[str, ...] = ()

    def version(self, others: Sequence[Named]) -> Versions:
        """This name with what the older files of it are called and when each came, by all files of the conversation."""
        came = {each.called: each.file.kept_at for each in others}
        return Versions(self.called, self.older, tuple(came.get(name) for name in (self.called, *self.older)))


@dataclass(frozen=True, slots=True)
class Versions:
    """A name that several files of a conversation have: the newest by it, the `older` ones by names of their own, the
    oldest first. `came` tells when they came, the newest first and then as in `older`, None where it isn't known."""

    name: str
    older: tuple[str, ...]
    came: tuple[datetime | None, ...] = ()


def named(files: Sequence[SharedFile]) -> tuple[Named, ...]:
    """The files by their names, in the order of `files`: oldest first. One content under one name is one file, as old
    as it came last, and stands here once for each time that it came."""
    versions: dict[str, list[str]] = {}
    for file in files:
        contents = versions.setdefault(file.name.casefold(), [])
        if file.sha256 in contents:
            contents.remove(file.sha256)
        contents.append(file.sha256)
    taken = set(versions)
    older: dict[tuple[str, str], str] = {}
    latest = {file.name.casefold(): file.name for file in files}
    for own, contents in versions.items():
        for sha256 in contents[:-1]:
            older[own, sha256] = name = _numbered(latest[own], taken)
            taken.add(name.casefold())
    found: list[Named] = []
    for file in files:
        own = file.name.casefold()
        if (own, file.sha256) in older:
            found.append(Named(file, older[own, file.sha256]))
        else:
            found.append(Named(file, latest[own], tuple(older[own, each] for each in versions[own][:-1])))
    return tuple(found)


def _numbered(name: str, taken: Collection[str]) -> str:
    stem, suffix = os.path.splitext(name)
    number = 1
    while (given := f"{stem} (older {number}){suffix}").casefold() in taken:
        number += 1
    return given


def told(versions: Versions, zone: str) -> str:
    """The sentences that say which of several files of one name is meant by it, and when each came, in `zone`."""
    names = [f"«{each}»" for each in versions.older]
    newest = f"«{versions.name}» is the newest file of that name in this thread"
    if len(names) == 1:
        order = f"{newest}; the older one is {names[0]} here."
    else:
        order = f"{newest}; the older ones are {enumerated(names)} here, the oldest first."
    moments = [f"{each.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}" for each in versions.came if each is not None]
    # Files of one thread that came to us together, with the first question, are told apart by their order alone.
    if len(set(moments)) < len(names) + 1:
        return order
    return f"{order} They came to me at {enumerated(moments)} ({zone}), in the order named here."

"""Says to people which files are not read, and why: files of one reason in one sentence, however many they are."""

from __future__ import annotations

from collections.abc import Iterable

_NAMED = 5


def not_read(files: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Sentences about files, each a name and the reason as the end of a sentence."""
    names: dict[str, list[str]] = {}
    for name, reason in files:
        names.setdefault(reason, []).append(f"«{name}»")
    return tuple(_sentence(named, reason) for reason, named in names.items())


def _sentence(named: list[str], reason: str) -> str:
    if len(named) == 1:
        return f"{named[0]} was not read: {reason}."
    shown, more = named[:_NAMED], len(named) - _NAMED
    listed = f"{', '.join(shown)} and {more:,} more" if more > 0 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{listed} were not read, each for this reason: {reason}."

"""Says to people which files are not read, and why: files of one reason in one sentence, however many they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    more = len(named) - _NAMED
    shown = [*named[:_NAMED], f"{more:,} more"] if more > 0 else named
    return f"{enumerated(shown)} were not read, each for this reason: {reason}."


def enumerated(names: Sequence[str]) -> str:
    """`a, b and c` of two names or more."""
    return f"{', '.join(names[:-1])} and {names[-1]}"

"""A small language of shapes: each builder returns a check from (value, pointer) to its problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .measures import characters
from .problem import Problem

Check = Callable[[Any, str], Iterator[Problem]]


def text(most: int | None = None, least: int = 0) -> Check:
    """A string of `least` to `most` characters."""

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield Problem(pointer, "must be a string")
        elif characters(value) < least:
            yield Problem(pointer, f"must be more than {least - 1} characters")
        elif most is not None and characters(value) > most:
            yield Problem(pointer, f"must be less than {most + 1} characters")

    return check


def flag(value: Any, pointer: str) -> Iterator[Problem]:
    """A boolean."""
    if not isinstance(value, bool):
        yield Problem(pointer, "must be a boolean")


def number(low: float | None = None, high: float | None = None, *, whole: bool = False) -> Check:
    """A finite number within bounds, both included."""

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        kind = int if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kind) or value != value or abs(value) == float("inf"):
            yield Problem(pointer, "must be a number")
        elif low is not None and value < low:
            yield Problem(pointer, f"must be at least {low}")
        elif high is not None and value > high:
            yield Problem(pointer, f"must be at most {high}")

    return check


def choice(*allowed: str) -> Check:
    """One of these words."""

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        if value not in allowed:
            yield Problem(pointer, f"must be one of {', '.join(allowed)}")

    return check


def anything(value: Any, pointer: str) -> Iterator[Problem]:
    """No rule."""
    yield from ()


def items(each: Check, least: int = 0, most: int | None = None) -> Check:
    """A list with a bounded number of elements."""

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield Problem(pointer, "must be an array")
            return
        if len(value) < least:
            yield Problem(pointer, f"no fewer than {least} items required")
        if most is not None and len(value) > most:
            yield Problem(pointer, f"no more than {most} items allowed")
            return
        for place, item in enumerate(value):
            yield from each(item, f"{pointer}/{place}")

    return check


def shape(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None, *also: Check) -> Check:
    """An object with these fields and no others; `also` are rules across fields."""
    fields = {**required, **(optional or {})}

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield Problem(pointer, "must be an object")
            return
        for name in required:
            if value.get(name) is None:
                yield Problem(pointer, f"missing required field: {name}")
        for name, inner in value.items():
            if name not in fields:
                yield Problem(pointer, f"invalid additional property: {name}")
            elif inner is not None:
                yield from fields[name](inner, f"{pointer}/{name}")
        for rule in also:
            yield from rule(value, pointer)

    return check


def tagged(kinds: Mapping[str, Check] | Callable[[], Mapping[str, Check]], what: str) -> Check:
    """An object whose `type` chooses its shape; an unknown type is refused by name."""

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        known = kinds() if callable(kinds) else kinds
        kind = value.get("type") if isinstance(value, dict) else None
        chosen = known.get(kind) if isinstance(kind, str) else None
        if chosen is None:
            yield Problem(f"{pointer}/type", f"unsupported {what} type: {kind}")
        else:
            yield from chosen(value, pointer)

    return check


def at_least_one(*names: str) -> Check:
    """At least one of these fields is present."""

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        if not any(value.get(name) for name in names):
            yield Problem(pointer, f"one of {', '.join(names)} is required")

    return check


def exactly_one(*names: str) -> Check:
    """Exactly one of these fields is present."""

    def check(value: Any, pointer: str) -> Iterator[Problem]:
        if sum(bool(value.get(name)) for name in names) != 1:
            yield Problem(pointer, f"exactly one of {', '.join(names)} is required")

    return check

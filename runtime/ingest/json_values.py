"""What JSON values are here, in memory and as text, and the records that are made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

Object = dict[str, Any]


class Number(str):
    """A number as it is written in the file."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Records:
    """One mapping of key to value for each row, and what has to be said about how they were found. `label` tells them
    from the other records of a file that has several kinds; '' are those that the file is named after."""

    records: Sequence[Mapping[str, Any]]
    notes: tuple[str, ...] = ()
    label: str = ""


def is_object(value: Any) -> TypeGuard[Object]:
    """Whether it is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether it is a list."""
    return isinstance(value, list)


def free_key(name: str, records: Sequence[Mapping[str, Any]]) -> str:
    """`name`, with marks behind it as long as some record has a value of that name."""
    while any(name in each for each in records):
        name += "_"
    return name


def as_json(value: Any) -> str:
    """A value as JSON text, its numbers as they were written. Raises RecursionError when it is nested too deeply."""
    if isinstance(value, Number):
        return str(value)
    if is_object(value):
        pairs = value.items()
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {as_json(each)}" for key, each in pairs) + "}"
    if is_list(value):
        return "[" + ", ".join(as_json(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)

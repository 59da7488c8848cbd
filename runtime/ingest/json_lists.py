"""Finds the lists of records in an object: the one that it wraps, or several, each a table or all of them one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.ingest.json_values import Object, Records, as_json, free_key, is_list, is_object
from runtime.ingest.wording import counted, cut

_MOST_TABLES = 50
_SHOWN = 8
_SHOWN_CHARS = 60
_PLAIN_NAMES = ("data", "records", "rows", "items", "results", "result", "entries", "values", "content", "list")


def lists_of(body: Mapping[str, Any]) -> dict[str, list[Object]]:
    """Non-empty lists of objects, one or two keys deep, under the way to them."""
    return dict(_lists(body))


def _lists(body: Mapping[str, Any]) -> Iterator[tuple[str, list[Object]]]:
    for key, value in body.items():
        if _holds_records(value):
            yield key, value
        elif is_object(value):
            yield from ((f"{key}.{inner}", deeper) for inner, deeper in value.items() if _holds_records(deeper))


def _holds_records(value: Any) -> bool:
    return is_list(value) and bool(value) and all(is_object(each) for each in value)


def tables_of(body: Mapping[str, Any], lists: Mapping[str, list[Object]]) -> tuple[Records, ...]:
    """The tables of an object by its `lists`, of which there is one at least: lists that are all it holds and whose
    records have the same keys are one table, else each is one by itself."""
    if len(lists) > 1 and len(lists) == len(body) and lists.keys() == body.keys() and _same_keys(lists):
        return (_together(lists),)
    around = _around(body, lists)
    if len(lists) == 1:
        ((way, records),) = lists.items()
        return (Records(records, (f"wrapped export: the rows are the {len(records):,} records of {way!r}", *around)),)
    taken = dict(list(lists.items())[:_MOST_TABLES])
    left = [way for way in lists if way not in taken]
    if left:
        around += (f"not read besides: {counted(len(left), 'list')} from {left[0]!r} on",)
    plain = [way for way in taken if way.rpartition(".")[2].casefold() in _PLAIN_NAMES]
    return tuple(
        Records(records, (_beside(way, taken), *around), "" if plain == [way] else way)
        for way, records in taken.items()
    )


def _same_keys(lists: Mapping[str, list[Object]]) -> bool:
    return len({frozenset(key for record in records for key in record) for records in lists.values()}) == 1


def _together(lists: Mapping[str, list[Object]]) -> Records:
    name = free_key("key", [record for records in lists.values() for record in records])
    rows = [{name: key, **record} for key, records in lists.items() for record in records]
    return Records(
        rows, (f"{len(lists):,} lists of records with the same keys put together: {name} says whose a row is",)
    )


def _beside(way: str, lists: Mapping[str, list[Object]]) -> str:
    others = [f"{each!r} ({counted(len(records), 'record')})" for each, records in lists.items() if each != way]
    more = "" if len(others) <= _SHOWN else ", …"
    return f"the records of {way!r}; tables of their own are {', '.join(others[:_SHOWN])}{more}"


def _around(body: Mapping[str, Any], lists: Mapping[str, list[Object]]) -> tuple[str, ...]:
    known = {way.split(".")[0] for way in lists} | lists.keys()
    around = [f"{key} = {_short(value)}" for key, value in body.items() if key not in known]
    return (f"beside the records the object says: {'; '.join(around[:_SHOWN])}",) if around else ()


def _short(value: Any) -> str:
    return cut(value if type(value) is str else as_json(value), _SHOWN_CHARS)

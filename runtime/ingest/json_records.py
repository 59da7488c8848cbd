"""Turns a JSON or NDJSON text into records, with every digit of its numbers; what is broken or said twice is noted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from runtime.ingest.json_lists import lists_of, tables_of
from runtime.ingest.json_slips import what_else
from runtime.ingest.json_values import Number, Object, Records, free_key, is_list, is_object
from runtime.ingest.outcome import IngestRefused
from runtime.ingest.wording import counted

_SHOWN_LINES = 5
_WRAPPED = 5
_BLANKS = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n,]*")
_DEEP = "it is nested too deeply"


@dataclass(slots=True)
class _Decoder:
    """Python's JSON decoder, keeping the text of numbers and counting what is not JSON."""

    twice: dict[str, int] = field(default_factory=dict[str, int])
    not_numbers: int = 0
    decode: json.JSONDecoder = field(init=False)

    def __post_init__(self) -> None:
        self.decode = json.JSONDecoder(
            parse_int=Number, parse_float=Number, parse_constant=self._constant, object_pairs_hook=self._object
        )

    def _constant(self, _: str) -> None:
        self.not_numbers += 1

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    self.twice[key] = self.twice.get(key, 0) + 1
                seen.add(key)
        return found

    def notes(self) -> Iterator[str]:
        for key, count in self.twice.items():
            yield f"duplicate key {key!r} in {counted(count, 'object')}: its last value is kept"
        if self.not_numbers:
            yield f"{counted(self.not_numbers, 'value')} NaN or Infinity: not a number, read as missing"


def parsed(text: str, *, lines: bool) -> tuple[Records, ...]:
    """The records of a text, several tables of them at times: of each line when `lines`, else of the one value in it.
    What looks like the other kind is read as that. Raises IngestRefused with the line when it is neither."""
    decoder = _Decoder()
    try:
        if lines and not text.lstrip().startswith("["):
            return (_of_lines(text, decoder),)
        start = cast(re.Match[str], _BLANKS.match(text)).end()
        value, end = decoder.decode.raw_decode(text, start)
        if text[end:].strip():
            return ((None if _many_objects(text) else _of_objects(text, _Decoder())) or _of_lines(text, _Decoder()),)
    except json.JSONDecodeError as error:
        if _many_objects(text):
            return (_of_lines(text, _Decoder()),)
        said = f"{error.msg[0].lower()}{error.msg[1:]}{what_else(error)}"
        raise IngestRefused(f"line {error.lineno}: not valid JSON ({said})") from error
    except RecursionError as error:
        raise IngestRefused(_DEEP) from error
    said = tuple(decoder.notes())
    return tuple(replace(found, notes=(*found.notes, *said)) for found in _of_value(value))


def _many_objects(text: str) -> bool:
    """True when the first line that is not blank is a whole object by itself."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    try:
        return isinstance(json.loads(first), dict)
    except ValueError:
        return False


def _of_lines(text: str, decoder: _Decoder) -> Records:
    records: list[Mapping[str, Any]] = []
    broken: list[tuple[int, str]] = []
    # Only line feeds end a line: other separators may stand inside a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = decoder.decode.decode(line)
        except json.JSONDecodeError as error:
            broken.append((number, error.msg))
        except RecursionError:
            broken.append((number, _DEEP))
        else:
            records.append(value if is_object(value) else {"value": value})
    if len(broken) > len(records):
        if found := _of_objects(text, _Decoder()):
            return found
        raise IngestRefused(f"line {broken[0][0]}: not valid JSON ({broken[0][1]}), like {len(broken):,} lines of it")
    notes = list(decoder.notes())
    if broken:
        where = ", ".join(str(number) for number, _ in broken[:_SHOWN_LINES]) + (", …" * (len(broken) > _SHOWN_LINES))
        which = "line" if len(broken) == 1 else "lines"
        notes.insert(0, f"{counted(len(broken), 'broken line')} skipped as not valid JSON: {which} {where}")
    return Records(records, tuple(notes))


def _of_objects(text: str, decoder: _Decoder) -> Records | None:
    """The records of objects that stand one behind another, with a comma between them or none; None if they aren't."""
    records: list[Object] = []
    end = 0
    while (start := cast(re.Match[str], _BETWEEN.match(text, end)).end()) < len(text):
        try:
            value, end = decoder.decode.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            return None
        if not is_object(value):
            return None
        records.append(value)
    if not records:
        return None
    return Records(records, ("objects one behind another, each read as a record", *decoder.notes()))


def _of_value(value: Any) -> tuple[Records, ...]:
    if is_list(value):
        return (_of_list(value),)
    if not is_object(value):
        raise IngestRefused("it holds a single value, not records")
    body, way = _inside(value)
    if way:
        told = f"wrapped export: what is read stands under {way!r}"
        return tuple(replace(found, notes=(told, *found.notes)) for found in _of_value(body))
    if rows := _of_split(body) or _of_indexed(body):
        return (rows,)
    if lists := lists_of(body):
        return tables_of(body, lists)
    return (_of_object(body),)


def _of_object(body: Object) -> Records:
    """The table of an object without lists of records."""
    columns = [each for each in body.values() if is_list(each)]
    if len(columns) == len(body) > 1 and len({len(each) for each in columns}) == 1:
        rows = [dict(zip(body, cells, strict=True)) for cells in zip(*columns, strict=True)]
        return Records(rows, ("object of lists of one length: each key is a column",))
    if len(body) > 1 and all(is_object(each) for each in body.values()):
        name = free_key("key", list(body.values()))
        rows = [{name: key, **each} for key, each in body.items()]
        return Records(rows, (f"object of objects: one row for each key, kept in {name}",))
    return Records([body], ("a single object, read as one row",))


def _inside(body: Object) -> tuple[Object, str]:
    """What an object of one key after another holds in the end, if lists of objects stand there, and the way to it."""
    way: list[str] = []
    inner = body
    while len(inner) == 1 and len(way) < _WRAPPED and is_object(deeper := next(iter(inner.values()))):
        way.append(next(iter(inner)))
        inner = deeper
    return (inner, ".".join(way)) if way and lists_of(inner) else (body, "")


def _of_split(body: Object) -> Records | None:
    """The table of an object that names its columns in one list and holds its rows as lists in another."""
    names, rows = body.get("columns"), body.get("data", body.get("rows"))
    if not is_list(names) or not is_list(rows) or not rows or not all(type(each) is str for each in names):
        return None
    if len(set(names)) < len(names) or not all(is_list(row) and len(row) == len(names) for row in rows):
        return None
    return Records(
        [dict(zip(names, row, strict=True)) for row in rows], ("a list of columns and a list of rows put together",)
    )


def _of_indexed(body: Object) -> Records | None:
    """The table of an object of columns, each an object of the rows' numbers from 0 on."""
    columns = [each for each in body.values() if is_object(each)]
    numbers = [str(place) for place in range(len(columns[0]))] if columns else []
    if not numbers or len(columns) < len(body) or any(list(each) != numbers for each in columns):
        return None
    rows = [{name: column[number] for name, column in body.items()} for number in numbers]
    return Records(rows, ("object of columns, each by the rows' numbers: one row for each number",))


def _of_list(value: list[Any]) -> Records:
    others = [each for each in value if not is_object(each)]
    if value and len(others) == len(value) and all(is_list(each) for each in value):
        return _of_rows(value)
    records: list[Object] = [each if is_object(each) else {"value": each} for each in value]
    notes = (f"{counted(len(others), 'element')} of the list not an object: kept in the column value",)
    return Records(records, notes if others else ())


def _of_rows(value: list[list[Any]]) -> Records:
    """A list of lists is a table by position; a first row of different words names its columns."""
    first = value[0]
    named = len(value) > 1 and all(type(each) is str and each for each in first) and len(set(first)) == len(first)
    width = max(len(row) for row in value)
    names = [str(each) for each in first] if named else []
    names += [f"column_{place + 1}" for place in range(len(names), width)]
    said = "its first row names the columns" if named else "columns are named by their place"
    return Records(
        [dict(zip(names, row, strict=False)) for row in value[1 if named else 0 :]], (f"list of lists: {said}",)
    )

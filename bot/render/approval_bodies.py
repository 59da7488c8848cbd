"""What exactly would happen, drawn for each kind of effect: rows before and after, a diff of texts, the next times."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from bot.render import blocks, limits, words
from bot.render.blocks import Block
from bot.render.clean import one_line
from bot.render.measure import cut, fits
from bot.render.pieces import fenced
from bot.render.text import cell_plain, cell_raw, code_text, line_text, name_text
from bot.render.text_table import rightward

_COLUMNS = 8
_ROWS = 5
_CONDITIONS = 10
_DIFF_CHARS = 1_800
_TIMES = 3
_LINES = 12
_CELL_CHARS = 60
_ARROW = " → "
IN_THE_FILE = "in the file"
_UNSEEN = " (they differ in blanks or signs that can't be seen)"
_HIDING = " (with blanks or signs that can't be seen)"
_OPERATORS = {
    "eq": "=",
    "ne": "≠",
    "lt": "<",
    "lte": "≤",
    "gt": ">",
    "gte": "≥",
    "in": "in",
    "not_in": "not in",
    "is_null": "is empty",
    "is_not_null": "is not empty",
}

Details = Mapping[str, Any]


def body(kind: str, details: Details) -> list[Block]:
    """The blocks for a preflight's details; a kind without a drawing of its own is told line by line."""
    return _BODIES.get(kind, _told)(details)


def _rows(details: Details) -> list[Block]:
    """A change of data: where and how many, what is set, under which condition, the first rows before → after."""
    source, table = str(details.get("source") or ""), str(details.get("table") or "")
    count = int(details.get("row_count") or 0)
    facts = [f"*{words.counted(count, 'row')}* of *{line_text('.'.join(filter(None, (source, table))), 160)}*"]
    if sets := _listed(details.get("set")):
        facts.append(
            "*Set* " + ", ".join(f"{line_text(str(s.get('column')), 60)} = {_value(s.get('value'))}" for s in sets)
        )
    texts = ["\n".join(facts)]
    if where := _conditions(details.get("where")):
        texts.append(f"*Where* {where}")
    whole = "\n".join(texts)
    if not fits(whole, limits.PIECE_CHARS, limits.PIECE_BYTES):  # neither keeps the other from being read
        half = limits.PIECE_CHARS // 2 - 1, limits.PIECE_BYTES // 2 - 1
        whole = "\n".join(cut(text, *half) for text in texts)
    return [blocks.section(whole, expand=True), *_before_after(details, count)]


def _value(value: object) -> str:
    """What is asked for, exactly: no digit of a number is left out, and what can't be seen is said to be there."""
    return line_text(repr(value) if isinstance(value, float) else cell_plain(value), 120) + _hiding(value)


def _hiding(value: object) -> str:
    return _HIDING if isinstance(value, str) and one_line(value) != value else ""


def _values(values: Sequence[object]) -> str:
    more = len(values) - _CONDITIONS
    return ", ".join(map(_value, values[:_CONDITIONS])) + (f" and {more:,} more" if more > 0 else "")


def _conditions(where: object) -> str:
    if isinstance(where, str):
        return line_text(where, 400)
    told = []
    for item in _listed(where)[:_CONDITIONS]:
        op = str(item.get("op"))
        sign = _OPERATORS.get(op) or line_text(op, 20)
        value = item.get("value")
        shown = _values(value) if isinstance(value, list) else _value(value)
        compared = "" if op in ("is_null", "is_not_null") else f" {shown}"
        told.append(f"{line_text(str(item.get('column')), 60)} {sign}{compared}")
    more = len(_listed(where)) - len(told)
    return " and ".join(told) + (f" and {more} more conditions" if more > 0 else "")


def _before_after(details: Details, count: int) -> list[Block]:
    names = [str(name) for name in details.get("columns") or ()]
    before, after = _table_rows(details.get("before"), names), _table_rows(details.get("after"), names)
    pairs = list(zip(before, after, strict=False))[:_ROWS]
    if not names or not pairs:
        return []
    shown = _worth_showing(names, pairs, [str(key) for key in details.get("keys") or ()])
    cells = [[_cell(old[at], new[at]) for at in shown] for old, new in pairs]
    header = [name_text(names[at], limits.HEADER_CELL_CHARS) for at in shown]
    made = [blocks.table([header, *cells], rightward(header, cells))]
    left_out = [f"the first {len(pairs)} of {words.counted(count, 'row')}"] if count > len(pairs) else []
    if len(shown) < len(names):
        left_out.append(f"{len(shown)} of {words.counted(len(names), 'column')}")
    if any(_is_cut(row[at]) for row in (*before[:_ROWS], *after[:_ROWS]) for at in shown):
        left_out.append("the beginnings of long values")
    if left_out:
        told = ", ".join(left_out)
        made.append(blocks.context(f"{told[0].upper()}{told[1:]}; all are {IN_THE_FILE}."))
    return made


def _worth_showing(
    names: Sequence[str], pairs: Sequence[tuple[list[Any], list[Any]]], keys: Sequence[str]
) -> list[int]:
    """Where not all columns fit: the keys and what changes."""
    if len(names) <= _COLUMNS:
        return list(range(len(names)))
    changed = [at for at in range(len(names)) if any(old[at] != new[at] for old, new in pairs)]
    told = [at for at, name in enumerate(names) if name in keys] + changed
    return sorted(set(told[:_COLUMNS])) or list(range(_COLUMNS))


def _cell(old: object, new: object) -> str:
    if old == new:
        return cell_raw(old, _CELL_CHARS)
    one, other = (cell_raw(value, _CELL_CHARS) for value in (old, new))
    if one == other:
        one, other = (cell_raw(text, _CELL_CHARS) for text in _from_where_they_part(str(old), str(new)))
    return f"{one}{_ARROW}{other}" + (_UNSEEN if one == other else _hiding(new))


def _from_where_they_part(one: str, other: str) -> tuple[str, str]:
    """Two texts that begin alike, without most of what they share."""
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    start = max(alike - _CELL_CHARS // 3, 0)
    return ("…" + one[start:], "…" + other[start:]) if start else (one, other)


def _is_cut(value: object) -> bool:
    return cell_raw(value, _CELL_CHARS) != cell_raw(value, _CELL_CHARS + 1)


def _table_rows(rows: object, names: Sequence[str]) -> list[list[Any]]:
    made = []
    for row in rows if isinstance(rows, list) else ():
        values = [row.get(name) for name in names] if isinstance(row, Mapping) else list(row)
        made.append([*values, *[None] * len(names)][: len(names)])
    return made


def _texts(details: Details) -> list[Block]:
    """A change of a text: a diff, line by line."""
    before, after = str(details.get("before") or ""), str(details.get("after") or "")
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:]
    diff = "\n".join(line for line in lines if not line.startswith("@@"))
    name = str(details.get("name") or "")
    made = [blocks.section(f"*{line_text(name, 120)}*")] if name else []
    shown = code_text(cut(diff or "(no change)", _DIFF_CHARS))
    return [*made, blocks.section(fenced(shown), expand=True)]


def _schedule(details: Details) -> list[Block]:
    """A routine: what it does, when, and the next three times."""
    facts = [
        f"*{title}* {line_text(str(details[key]), 400)}"
        for title, key in (
            ("Routine", "name"),
            ("Does", "instruction"),
            ("When", "schedule"),
            ("Time zone", "timezone"),
        )
        if details.get(key)
    ]
    places = [f"<#{place}>" for place in map(str, details.get("destinations") or ()) if _id(place, "CG")]
    if places:
        facts.append(f"*Posts to* {', '.join(places)}")
    times = [line_text(str(moment), 80) for moment in list(details.get("next") or ())[:_TIMES]]
    if times:
        facts.append("*Next times*\n" + "\n".join(f"• {moment}" for moment in times))
    return [blocks.section(cut("\n".join(facts), limits.PIECE_CHARS), expand=True)] if facts else _told(details)


def _told(details: Details) -> list[Block]:
    lines = [
        f"*{line_text(str(key), 60)}* {line_text(cell_plain(value), 300)}"
        for key, value in list(details.items())[:_LINES]
        if key != "warnings"
    ]
    return [blocks.section(cut("\n".join(lines), limits.PIECE_CHARS), expand=True)] if lines else []


def _listed(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _id(text: str, letters: str) -> bool:
    return text[:1] in letters and text.isalnum() and text.isupper()


_BODIES: Mapping[str, Callable[[Details], list[Block]]] = {
    "mutate_data": _rows,
    "advisory_context": _texts,
    "manage_routine": _schedule,
}

"""A result as a CSV file: UTF-8, RFC 4180, NULL as nothing and an empty text as `""`; values exactly as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from bot.render import limits, words
from bot.render.clean import one_line
from bot.render.text import value_text
from runtime.evidence import Evidence

_QUOTED = re.compile(r'[",\r\n]|^\s|\s$|^$')
_UNFIT = re.compile(r"[^\w.\-]+")
_NAME_CHARS = 60


def csv_file(item: Evidence, max_bytes: int = limits.CSV_BYTES) -> tuple[bytes, str]:
    """The kept rows with a header line, and what must be said about completeness ('' for a whole result).

    Whole rows only: what would exceed `max_bytes` is left out. Raises ValueError for an item without a table: an empty
    file can't be uploaded.
    """
    content, written = _csv(item, max_bytes)
    return content, _note(item, written)


def _note(item: Evidence, written: int) -> str:
    total = item.row_count if item.row_count is not None else len(item.rows)
    unknown = item.truncated is not None and item.truncated.total is None and item.truncated.reason == "rows_kept"
    if item.truncated is not None and item.truncated.total is not None:
        total = max(total, item.truncated.total)
    if written >= total and not unknown:
        return ""
    return f"only the first {written:,} of {'more' if unknown and written >= total else f'{total:,}'} rows"


def csv_name(item: Evidence) -> str:
    """`E2-orders.csv`, from the evidence id and the first source."""
    names = words.source_names(item)
    stem = PurePath(names[0]).stem if names else item.tool
    safe = _UNFIT.sub("_", one_line(stem)).strip("._")[:_NAME_CHARS]
    return f"{_UNFIT.sub('_', item.id)}-{safe or 'result'}.csv"


def _csv(item: Evidence, max_bytes: int) -> tuple[bytes, int]:
    if not item.tabular:
        raise ValueError(f"{item.id} has no table")
    body = bytearray(_record([column.name for column in item.columns]))
    written = 0
    for record in _records(item):
        if len(body) + len(record) > max_bytes:
            break
        body += record
        written += 1
    return bytes(body), written


def _records(item: Evidence) -> Iterator[bytes]:
    size = len(item.columns)
    for row in item.rows[: limits.CSV_ROWS]:
        yield _record([*row, *[None] * (size - len(row))][:size])


def _record(values: Sequence[object]) -> bytes:
    return (",".join(map(_field, values)) + "\r\n").encode("utf-8", "replace")


def _field(value: object) -> str:
    if value is None:
        return ""
    text = repr(value) if isinstance(value, float) else value_text(value)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text

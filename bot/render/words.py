"""How counts, times, sources and titles of evidence are said to people."""

from __future__ import annotations

from bot.render import limits
from bot.render.clean import one_line
from bot.render.measure import cut
from bot.render.text import name_text
from runtime.evidence import Evidence, SourceRef

DOT = " · "
_NAMES_SHOWN = 2


def counted(number: int, noun: str) -> str:
    """`1 row`, `1,204 rows`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def seconds(elapsed_ms: float) -> str:
    """`0.003 s`, `0.04 s`, `12 s`."""
    value = max(elapsed_ms, 0.0) / 1000
    return f"{value:,.0f} s" if value >= 10 else f"{value:.2f} s" if value >= 0.01 else f"{value:.3f} s"


def rows_found(item: Evidence) -> str:
    """How many rows the result has, `1,000+ rows` when nobody knows; empty for results that are no table."""
    if not item.tabular:
        return ""
    number = len(item.rows) if item.row_count is None else item.row_count
    if item.truncated is not None and item.truncated.total is None:
        return f"{number:,}+ rows"
    return counted(number, "row")


def source_name(source: SourceRef) -> str:
    """The file when there is one, else `source.object`."""
    if source.file:
        return source.file
    return f"{source.source}.{source.object}" if source.source and source.object else source.object or source.source


def source_names(item: Evidence) -> tuple[str, ...]:
    """Each source once, in reading order."""
    return tuple(dict.fromkeys(name for source in item.sources if (name := one_line(source_name(source)))))


def listed(names: tuple[str, ...], most: int = _NAMES_SHOWN) -> str:
    """`a, b and 3 more`."""
    shown = ", ".join(cut(name, 60) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def heading(item: Evidence) -> str:
    """A fold's title: `E2 · run_sql · 12 rows · orders.csv · 0.04 s`."""
    outcome = "failed" if item.failed else rows_found(item)
    parts = (item.id, item.tool, outcome, listed(source_names(item)), seconds(item.elapsed_ms))
    text = DOT.join(part for part in parts if part)
    return cut(name_text(text), limits.CONTAINER_TITLE_CHARS, limits.FOLD_TITLE_BYTES)

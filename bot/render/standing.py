"""`/footnote sources` and `/footnote why` in words, for the person who asked alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.render.text import line_text
from bot.render.words import counted
from runtime.catalog import ClosedView

SOURCES_SHOWN, _TABLES_SHOWN, _VIEWS = 12, 6, 3
_NAME, _TROUBLE, _REVISION = 40, 160, 8
_TROUBLE_IN_FULL = 600
NOTHING_OPEN = "No data source is open in this conversation."
_ROWS = {"full": "", "sample": "the model sees at most 30 rows of a result", "none": "the model sees no rows"}
FILES, TOOLS = "files", "mcp"


@dataclass(frozen=True, slots=True)
class OpenSource:
    """An open source. `tables` are names, of a remote server those of its tools; `revision` is the digest of its
    structure, '' for what has none; `trouble` says why it can't be read now."""

    id: str
    kind: str
    label: str
    model_rows: str
    tables: tuple[str, ...] = ()
    revision: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ClosedSource:
    """A declared source that is closed here, why, and whether it is open to the same person in a direct message."""

    id: str
    sentence: str
    private: bool


@dataclass(frozen=True, slots=True)
class Closed:
    """What is closed here: `place` is what closes it for most sources, '' when nothing does; `sources` are those that
    this person may know of, and all of them when `complete`."""

    place: str
    sources: tuple[ClosedSource, ...]
    complete: bool


def sources_text(opened: Sequence[OpenSource]) -> str:
    """What is open: one line for each source."""
    return "\n".join(["*Open here*", *source_lines(opened)]) if opened else f"{NOTHING_OPEN} `/footnote why` says why."


def source_lines(opened: Sequence[OpenSource]) -> list[str]:
    """A line for each of the first sources, and how many more there are."""
    lines = [_line(source) for source in opened[:SOURCES_SHOWN]]
    return lines + ([f"and {len(opened) - SOURCES_SHOWN:,} more"] if len(opened) > SOURCES_SHOWN else [])


def closed_views(views: Sequence[ClosedView]) -> str:
    """The views that aren't open for what they call, for people: which, and why. '' for none."""
    if not views:
        return ""
    named = ", ".join(line_text(view.id, _NAME) for view in views[:_VIEWS])
    more = f" and {len(views) - _VIEWS:,} more" if len(views) > _VIEWS else ""
    return f"Not open: {named}{more}, as what {'it calls' if len(views) == 1 else 'they call'} may read anything"


def why_text(opened: Sequence[OpenSource], closed: Closed) -> str:
    """What is open and what of it can't be used now, what isn't open and why not, and who may know more."""
    named = ", ".join(f"*{line_text(source.id, _NAME)}*" for source in opened[:SOURCES_SHOWN])
    lines = [f"Open here: {named}." if opened else NOTHING_OPEN]
    lines += [
        f"• *{line_text(source.id, _NAME)}* is open, but not all of it can be used now: "
        + line_text(source.trouble, _TROUBLE_IN_FULL)
        for source in opened[:SOURCES_SHOWN]
        if source.trouble
    ]
    if closed.place:
        lines.append(f"What keeps most sources closed: {closed.place}")
    lines += closed_lines(closed)
    lines.append(
        "These are all declared sources."
        if closed.complete
        else "More may be open in other places or to other people; the operators of this workspace decide and know."
    )
    return "\n".join(lines)


def closed_lines(closed: Closed) -> list[str]:
    """A line for each of the first closed sources that this person may know of."""
    return [
        f"• *{line_text(source.id, _NAME)}* is closed here. {source.sentence}"
        + (" It is open to you in a direct message." if source.private else "")
        for source in closed.sources[:SOURCES_SHOWN]
    ]


def _line(source: OpenSource) -> str:
    parts = [source.kind, source.label]
    if source.trouble:
        parts.append(line_text(source.trouble, _TROUBLE))
    if source.tables or not source.trouble:
        parts.append(_named(source))
    if source.revision:
        parts.append(f"revision {source.revision.removeprefix('sha256:')[:_REVISION]}")
    if said := _ROWS[source.model_rows]:
        parts.append(said)
    return f"• *{line_text(source.id, _NAME)}* — {' · '.join(parts)}"


def _named(source: OpenSource) -> str:
    count = counted(len(source.tables), "tool" if source.kind == TOOLS else "table")
    names = [line_text(name, _NAME) for name in source.tables[:_TABLES_SHOWN]]
    more = ["…"] if len(source.tables) > _TABLES_SHOWN else []
    return f"{count} ({', '.join([*names, *more])})" if names else count

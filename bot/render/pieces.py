"""Parts of a document as texts of bounded length: nothing lost, fences balanced, no markup cut in two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bot.render import limits, text_table
from bot.render.document import Code, Part, Prose, Table
from bot.render.inert import defang, escape_code
from bot.render.measure import fits, longest

FENCE = "```"
_FENCED_CHARS = 2 * len(FENCE) + 2
_FENCED_BYTES = _FENCED_CHARS + 2  # a line's end is written with two
_MARKUP = re.compile(r"<[^<>\n]*>|&(?:amp|lt|gt);")


def pieces(parts: Iterable[Part], max_chars: int, max_bytes: int = limits.PIECE_BYTES) -> tuple[str, ...]:
    """Texts of at most `max_chars` UTF-16 units and `max_bytes` bytes of JSON each, as few as reading order and whole
    units allow."""
    done: list[str] = []
    for text, near in _units(parts, max_chars, max_bytes):
        gap = "\n" if near else "\n\n"
        if done and fits(done[-1] + gap + text, max_chars, max_bytes):
            done[-1] += gap + text
        else:
            done.append(text)
    return tuple(done)


def fenced(body: str) -> str:
    """An inert body between fences."""
    return f"{FENCE}\n{body}\n{FENCE}"


def _units(parts: Iterable[Part], max_chars: int, max_bytes: int) -> Iterator[tuple[str, bool]]:
    for part in parts:
        if isinstance(part, Prose):
            near = part.near
            for text in split(part.text, max_chars, max_bytes):
                yield text, near
                near = True
        else:
            body = part.text if isinstance(part, Code) else table_text(part)
            for text in split(body, max_chars - _FENCED_CHARS, max_bytes - _FENCED_BYTES, keep_indent=True):
                yield fenced(text), False


def table_text(table: Table) -> str:
    """A table as the inert inside of a fence: side by side when it is narrow enough, else one value a line."""
    header, *rows = [[defang(cell) for cell in row] for row in (table.header, *table.rows)]
    grid = text_table.grid(header, rows)
    wide = text_table.width(grid[1]) > limits.TEXT_TABLE_WIDTH
    return escape_code("\n".join(text_table.records(header, rows) if wide and rows else grid))


def split(text: str, max_chars: int, max_bytes: int = limits.PIECE_BYTES, *, keep_indent: bool = False) -> list[str]:
    """`text` in pieces, cut at a line's end, else at a blank, else anywhere but inside `<…>` or an entity."""
    done: list[str] = []
    while not fits(text, max_chars, max_bytes):
        at = _cut_at(text, max_chars, max_bytes)
        head, text = text[:at], text[at:]
        if head.strip():
            done.append(head.rstrip())
        text = text.removeprefix("\n") if keep_indent else text.lstrip()
    if text.strip():
        done.append(text.rstrip() if keep_indent else text)
    return done


def _cut_at(text: str, max_chars: int, max_bytes: int) -> int:
    most = longest(min(len(text), max_chars), lambda end: fits(text[:end], max_chars, max_bytes))
    across = next((markup for markup in _MARKUP.finditer(text) if markup.end() > most), None)
    end = min(most, across.start()) if across else most
    clear = _MARKUP.sub(lambda markup: "<" * len(markup[0]), text[:end])  # a blank inside is no place to cut
    line, blank, floor = clear.rfind("\n") + 1, clear.rfind(" ") + 1, end // 2
    return line if line > floor else blank if blank > floor else end or max(1, most)

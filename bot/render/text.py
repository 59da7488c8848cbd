"""Foreign text for Slack: answers in Markdown, cells, titles, code; the only doors to the wire for what others wrote.

Answers go out as `section` blocks of mrkdwn with `expand: true` and `verbatim: true`, not as `markdown` blocks: in
mrkdwn every live thing begins with a raw `<`, which escaping removes for sure, while how `markdown` blocks treat
mentions, autolinks and images is not published.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection

from bot.render import limits
from bot.render.clean import blank, clean, one_line
from bot.render.document import Part, read
from bot.render.grammar import parser
from bot.render.inert import TICK, break_shortcodes, defang, inert, inert_code, inert_plain
from bot.render.inline import plain
from bot.render.links import LinkPolicy
from bot.render.measure import cut
from bot.render.pieces import pieces

NULL_CELL = "—"
EMPTY_CELL = "(empty)"
BLANK_CELL = "(blank)"
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_LOOK_ALIKES = str.maketrans({"*": "∗", "~": "∼", "`": TICK})
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")


def answer_parts(markdown: str, hosts: Collection[str] = ()) -> tuple[Part, ...]:
    """The model's Markdown as parts in reading order; links live only on `hosts`."""
    return read(markdown, LinkPolicy(frozenset(host.lower() for host in hosts)))


def answer_text(markdown: str, hosts: Collection[str] = (), max_chars: int = limits.PIECE_CHARS) -> tuple[str, ...]:
    """The model's Markdown as mrkdwn texts of at most `max_chars` each, tables as monospace. Empty for no text."""
    return pieces(answer_parts(markdown, hosts), max_chars)


def cell_plain(value: object, max_chars: int = limits.CELL_CHARS) -> str:
    """One value on one line, cut with `…`, never empty: cleaned, not yet inert. NULL, '' and blanks read apart."""
    if value is None:
        return NULL_CELL
    text = value_text(value)
    if isinstance(value, int | float):
        return cut(text, max_chars)
    if not text:
        return EMPTY_CELL
    text = one_line(text[: 4 * max_chars])
    return BLANK_CELL if blank(text) else cut(text, max_chars)


def cell_text(value: object, max_chars: int = limits.CELL_CHARS) -> str:
    """One value for a mrkdwn object."""
    return inert(cell_plain(value, max_chars))


def cell_raw(value: object, max_chars: int = limits.CELL_CHARS) -> str:
    """One value for a native table's raw_text, where nothing is parsed."""
    return cut(inert_plain(cell_plain(value, max_chars)), max_chars)


def cell_code(value: object, max_chars: int = limits.CELL_CHARS) -> str:
    """One value for a monospace table: defanged, and to be escaped together with its line once that is padded."""
    return cut(defang(cell_plain(value, max_chars)), max_chars)


def title_text(text: str, max_chars: int = limits.CONTAINER_TITLE_CHARS) -> str:
    """One line for a plain_text object; Markdown marks of the model are dropped."""
    tokens = parser().parseInline(_HEADING.sub("", one_line(text)))
    return name_text(" ".join(plain(token.children or []) for token in tokens), max_chars)


def name_text(text: str, max_chars: int = limits.CONTAINER_TITLE_CHARS) -> str:
    """One line for a plain_text object, marks kept: for names of files, tables and columns. Never empty."""
    # plain_text draws shortcodes, but unlike mrkdwn it parses nothing else
    line = cut(break_shortcodes(inert_plain(one_line(text))).replace("`", TICK), max_chars)
    return NULL_CELL if blank(line) else line


def line_text(text: str, max_chars: int = limits.LINE_CHARS) -> str:
    """One line of foreign text for a mrkdwn object that is to look as written: no emphasis, no code, no links.
    `—` when there is nothing to see."""
    line = cut(one_line(text[: 4 * max_chars]), max_chars)
    return NULL_CELL if blank(line) else inert(_EDGE_UNDERSCORE.sub("＿", line.translate(_LOOK_ALIKES)))


def code_text(code: str) -> str:
    """The inside of a fence, all of it: lines and blanks kept."""
    return inert_code(clean(code).replace("\t", "    "))


def summary_of(markdown: str) -> str:
    """The beginning of an answer as a message's `text`, without any markup; its code where there is nothing else."""
    words, code = list[str](), list[str]()
    for token in parser().parse(clean(markdown[: 20 * limits.SUMMARY_CHARS])):
        if token.type == "inline":
            words.append(plain(token.children or []))
        elif token.type in ("fence", "code_block"):
            code.append(token.content)
        if sum(map(len, words)) > limits.SUMMARY_CHARS:
            break
    told = " ".join(words)
    return fallback_text(" ".join(code) if blank(told) else told)


def fallback_text(text: str, max_chars: int = limits.SUMMARY_CHARS) -> str:
    """A message's `text`: what notifications and screen readers get. One line of escaped text, never empty."""
    line = inert(cut(one_line(text), max_chars))
    return line if not blank(line) else NULL_CELL


def value_text(value: object) -> str:
    """A value that is not NULL as plain text: numbers to 15 digits, nested values as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format(value, ".15g") if math.isfinite(value) else {"nan": "NaN"}.get(str(value), str(value))
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


__all__ = [
    "answer_parts",
    "answer_text",
    "cell_code",
    "cell_plain",
    "cell_raw",
    "cell_text",
    "code_text",
    "fallback_text",
    "line_text",
    "name_text",
    "summary_of",
    "title_text",
    "value_text",
]

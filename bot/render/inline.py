"""One line of Markdown (a paragraph's inside) as mrkdwn, or as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from markdown_it.token import Token

from bot.render.grammar import cjk
from bot.render.inert import TICK, break_shortcodes, defang, escape, inert, inert_code
from bot.render.links import LinkPolicy

_URL = re.compile(r"https://[^\s<>\"'`|]+")
_TRAILING = ".,;:!?)]}*_~"
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)[^>]*>")
_ALT = re.compile(r"""\balt\s*=\s*("([^"]*)"|'([^']*)'|(\S+))""", re.IGNORECASE)
_BREAKING_TAGS = frozenset(
    ["br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "pre", "hr"]
)
_SILENT_TAGS = _BREAKING_TAGS | {"b", "strong", "i", "em", "u", "s", "del", "ins", "code", "a", "span", "center", "img"}
_SILENT_TAGS |= {"sub", "sup", "font", "small", "big", "mark", "td", "th", "thead", "tbody"}
_MARKS = {"strong": "*", "em": "_", "s": "~"}


@dataclass(slots=True)
class _Segment:
    """`text` is foreign and still to be made inert; `raw` is ours and finished; `open` and `close` are emphasis."""

    kind: Literal["text", "raw", "open", "close"]
    value: str
    partner: _Segment | None = field(default=None, repr=False)
    space: bool = False


def mrkdwn(tokens: Sequence[Token], policy: LinkPolicy, *, bold: bool = False) -> str:
    """Inline tokens as mrkdwn; `bold` when the caller sets the whole line in bold, so that bold doesn't nest."""
    segments = _settle(list(_segments(tokens, policy, {"*"} if bold else set())))
    return "".join(_text(segment.value, policy) if segment.kind == "text" else segment.value for segment in segments)


def plain(tokens: Sequence[Token]) -> str:
    """Inline tokens as text without any markup, not yet inert: link labels, image descriptions, code as it is."""
    parts: list[str] = []
    for token in tokens:
        if token.type == "image":
            parts.append(plain(token.children or []))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "html_inline":
            parts.append(_html(token.content).replace("\n", " "))
        elif token.nesting == 0:
            parts.append(token.content)
    return "".join(parts)


def _segments(tokens: Sequence[Token], policy: LinkPolicy, inside: set[str]) -> Iterator[_Segment]:
    opened: list[_Segment | None] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.type == "link_open":
            end = _closing(tokens, position)
            yield from _link(token, tokens[position:end], policy, inside)
            position = end + 1
        elif token.tag in _MARKS and token.nesting == 1:
            mark = _MARKS[token.tag]
            segment = None if mark in inside else _Segment("open", mark)
            opened.append(segment)
            if segment:
                inside.add(mark)
                yield segment
        elif token.tag in _MARKS and token.nesting == -1:
            first = opened.pop()
            if first:
                inside.discard(first.value)
                last = _Segment("close", first.value, partner=first)
                first.partner = last
                yield last
        else:
            yield from _leaf(token)


def _leaf(token: Token) -> Iterator[_Segment]:
    if token.type == "code_inline":
        body = inert_code(token.content.replace("\n", " ").replace("`", TICK)).strip()
        if body:
            yield _Segment("raw", f"`{body}`")
    elif token.type == "image":
        yield _Segment("text", plain(token.children or []))
    elif token.type in ("softbreak", "hardbreak"):
        yield _Segment("text", "\n")
    elif token.type == "html_inline":
        yield _Segment("text", _html(token.content))
    else:
        yield _Segment("text", token.content)


def _closing(tokens: Sequence[Token], start: int) -> int:
    depth = 1
    for position in range(start, len(tokens)):
        depth += tokens[position].nesting if tokens[position].tag == "a" else 0
        if depth == 0:
            return position
    return len(tokens)


def _link(token: Token, inner: Sequence[Token], policy: LinkPolicy, inside: set[str]) -> Iterator[_Segment]:
    address = policy.admit(str(token.attrs.get("href", "")))
    if address is None:
        yield from _segments(inner, policy, inside)
        return
    label = " ".join(plain(inner).split()).replace("|", "¦").replace("`", TICK)
    if token.info == "auto" or not label:
        yield _Segment("raw", f"<{address}>")
    else:
        yield _Segment("raw", f"<{address}|{escape(break_shortcodes(defang(label)))}>")


def _html(tag: str) -> str:
    """Inline HTML as text: known tags vanish or break the line, comments vanish, the rest is shown as written."""
    if tag.startswith("<!--"):
        return ""
    found = _TAG.fullmatch(tag)
    name = found[1].lower() if found else ""
    if name == "img":
        alt = _ALT.search(tag)
        return next((group for group in alt.groups()[1:] if group), "") if alt else ""
    if name not in _SILENT_TAGS:
        return tag
    return "\n" if name in _BREAKING_TAGS else ""


def _settle(segments: list[_Segment]) -> list[_Segment]:
    """Emphasis that Slack would not draw (inside a word, or around nothing) is dropped, then texts are joined.

    Slack wants a mark at a word's edge. Next to CJK, where words have no edges, a blank is put in instead.
    """
    place = {id(segment): position for position, segment in enumerate(segments)}
    for position, segment in enumerate(segments):
        if segment.kind == "open" and segment.partner is not None:
            _judge(segments, position, place[id(segment.partner)])
    joined: list[_Segment] = []
    for segment in segments:
        if segment.kind in ("open", "close"):
            if segment.value:
                edge = " " if segment.space else ""
                joined.append(_Segment("raw", edge + segment.value if segment.kind == "open" else segment.value + edge))
        elif joined and joined[-1].kind == segment.kind == "text":
            joined[-1] = _Segment("text", joined[-1].value + segment.value)
        else:
            joined.append(segment)
    return joined


def _judge(segments: list[_Segment], start: int, end: int) -> None:
    before, first = _neighbour(segments, start, -1), _neighbour(segments, start, 1)
    last, after = _neighbour(segments, end, -1), _neighbour(segments, end, 1)
    glued = [edge for edge in (before, after) if edge.isalnum()]
    if first.isspace() or last.isspace() or any(not cjk(edge) for edge in glued):
        segments[start].value = segments[end].value = ""
        return
    segments[start].space, segments[end].space = before.isalnum(), after.isalnum()
    for segment in segments[start + 1 : end]:
        if segment.kind == "text":
            segment.value = segment.value.replace("\n", " ")


def _neighbour(segments: list[_Segment], position: int, step: int) -> str:
    """The visible character next to a mark, other marks skipped; a blank at either end of the line."""
    position += step
    while 0 <= position < len(segments):
        segment = segments[position]
        if segment.kind in ("text", "raw") and segment.value:
            return segment.value[0 if step > 0 else -1]
        position += step
    return " "


def _text(text: str, policy: LinkPolicy) -> str:
    """Foreign text made inert, bare addresses on a listed host linked."""
    parts, position = [], 0
    text = text.replace("`", TICK)
    for found in _URL.finditer(text):
        address = found[0].rstrip(_TRAILING)
        live = policy.admit(address)
        if live is not None and (found.start() == 0 or not text[found.start() - 1].isalnum()):
            parts += [inert(text[position : found.start()]), f"<{live}>"]
            position = found.start() + len(address)
    parts.append(inert(text[position:]))
    return "".join(parts)

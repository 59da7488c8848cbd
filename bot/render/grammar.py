"""The Markdown we read: CommonMark with tables and strike-through, and what differs for answers in Slack."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

_SLACK_LINK = re.compile(r"<(https?://[^|>\s]{1,1000})\|([^>\n]{0,300})>")
_MARK = re.compile(r"E\d+", re.IGNORECASE)
_MAX_NESTING = 60  # deeper lists and quotes are noise; the parser's own default of 20 drops their text


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """The shared parser. It keeps no state between documents.

    Indented code is off (models indent prose), raw HTML blocks are read as inline HTML, every link is parsed whatever
    its scheme, because the renderer decides what is live.
    """
    md = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])
    md.disable(["code", "html_block"])
    md.validateLink = lambda url: True
    md.inline.ruler.at("emphasis", _emphasis)
    md.inline.ruler.before("autolink", "slack_link", _slack_link)
    md.core.ruler.after("block", "evidence_marks", _keep_marks)
    return md


def cjk(character: str) -> bool:
    """Whether `character` belongs to a script written without blanks between words."""
    return unicodedata.east_asian_width(character) in ("W", "F") and character < "\U0001f000"


def _emphasis(state: StateInline, silent: bool) -> bool:
    """CommonMark's rule, except that `2**10` is a power, and that emphasis works next to CJK punctuation."""
    marker = state.src[state.pos]
    if silent or marker not in "_*":
        return False
    scanned = state.scanDelims(state.pos, marker == "*")
    can_open, can_close = scanned.can_open, scanned.can_close
    end = state.pos + scanned.length
    before = state.src[state.pos - 1] if state.pos else " "
    after = state.src[end] if end < state.posMax else " "
    if marker == "*" and before.isdigit() and after.isdigit():
        can_open = can_close = False
    elif marker == "*" and (cjk(before) or cjk(after)):
        can_open, can_close = not after.isspace(), not before.isspace()
    for _ in range(scanned.length):
        token = state.push("text", "", 0)
        token.content = marker
        state.delimiters.append(
            Delimiter(
                marker=ord(marker),
                length=scanned.length,
                token=len(state.tokens) - 1,
                end=-1,
                open=can_open,
                close=can_close,
            )
        )
    state.pos = end
    return True


def _slack_link(state: StateInline, silent: bool) -> bool:
    """Slack's own `<https://…|label>`, which models write too, read as a link."""
    found = _SLACK_LINK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": found[1]}
        state.push("text", "", 0).content = found[2]
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _keep_marks(state: StateCore) -> None:
    """A reference definition named like a footnote mark would turn the mark `[E1]` into a link: it is dropped."""
    references = state.env.get("references", {})
    for label in [label for label in references if _MARK.fullmatch(label)]:
        del references[label]

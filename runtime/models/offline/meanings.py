"""What a word of business means here, as a document defines it: quoted, never computed by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.models.offline.documents import within
from runtime.models.offline.gathering import Calls
from runtime.models.offline.lexicon import BUSINESS_WORDS, FILLERS
from runtime.models.offline.listing import Listing
from runtime.models.offline.plan import Plan
from runtime.models.offline.tokens import stem, tokenize
from runtime.models.offline.transcript import Turn

_WORK_OUT = r"(?:count|define|calculate|compute|measure|work\s+out|determine)"
_WORKED_OUT = r"(?:counted|defined|calculated|computed|measured|worked\s+out|determined)"
_ASKED = tuple(
    re.compile(rf"(?i)^\s*{form}\s*[.?!]*\s*$")
    for form in (
        r"what\s+(?:does|do)\s+(?P<word>.+?)\s+mean(?:\s+here)?",
        r"what\s+(?:do\s+we\s+mean|is\s+meant)\s+by\s+(?P<word>.+?)",
        r"what\s+counts\s+as\s+(?P<word>.+?)",
        r"(?:please\s+)?define\s+(?P<word>.+?)",
        r"(?:what\s+is\s+)?(?:the|our|your)?\s*(?:definition|meaning)\s+of\s+(?P<word>.+?)",
        rf"how\s+(?:do|does|did|should)\s+\w+\s+{_WORK_OUT}\s+(?P<word>.+?)",
        rf"how\s+(?:is|are)\s+(?P<word>.+?)\s+{_WORKED_OUT}(?:\s+here)?",
    )
)
_BARE = re.compile(r"(?i)^\s*what(?:\s+is|\s+are|'s|’s)\s+(?:our\s+)?(?P<word>\w+)\s*\??\s*$")
_MOST_WORDS, _LINES = 3, 3


def asked_meaning(question: str, listing: Listing) -> tuple[str, ...]:
    """The words whose meaning is asked for where there are documents: "How do we count revenue?"; else none."""
    found = next((match for form in _ASKED if (match := form.match(question))), None)
    bare = _BARE.match(question)
    if found is None and bare is not None and stem(bare["word"]) in BUSINESS_WORDS:
        found = bare
    if found is None or not _has_documents(listing):
        return ()
    words = tuple(token.stem for token in tokenize(found["word"]) if token.wordlike and token.stem not in FILLERS)
    return words if len(words) <= _MOST_WORDS else ()


def unknown_meaning(words: Sequence[str], listing: Listing) -> tuple[str, ...]:
    """The first of these words that is one of business, where documents may say what it means; else none."""
    known = [stem(word) for word in words if stem(word) in BUSINESS_WORDS]
    return (known[0],) if known and _has_documents(listing) else ()


def measured_meaning(plan: Plan, listing: Listing) -> tuple[str, ...]:
    """The word of business that the plan's figure is called by, where documents may define it; else none."""
    column = plan.aggregate.column
    return unknown_meaning(column.words, listing) if column is not None else ()


def meaning(turn: Turn, words: Sequence[str]) -> Calls | tuple[str, ...]:
    """The lines that say what the words mean, quoted with place and mark, the plainest first; or the search. None of
    no words."""
    term = _term(words)
    hits = _hits(turn, rf"{term}.*\b(is|are|means?|counts?)\b") if words else ()
    if isinstance(hits, list):
        return hits
    begins = re.compile(rf"\W*(?:an?\s+|the\s+|our\s+)?{term}", re.IGNORECASE)
    return tuple(_said(hit) for hit in sorted(hits, key=lambda hit: begins.match(hit.text) is None)[:_LINES])


def explained(turn: Turn, words: Sequence[str]) -> Calls | str:
    """What is said to a question for the meaning of words: where no line defines them, those that hold them; empty
    when there is none."""
    lines = meaning(turn, words)
    head = "The documents say what it means here:"
    if not lines:
        hits = _hits(turn, _term(words))
        lines = hits if isinstance(hits, list) else tuple(_said(hit) for hit in hits[:_LINES])
        head = "No line of a document defines it; these lines hold the word:"
    return lines if isinstance(lines, list) else "\n".join((head, *(f"- {line}" for line in lines))) if lines else ""


def _term(words: Sequence[str]) -> str:
    return r"\s+".join(rf"\b{re.escape(word)}\w*" for word in words)


@dataclass(frozen=True, slots=True)
class _Hit:
    text: str
    at: str
    evidence: str


def _hits(turn: Turn, pattern: str) -> Calls | tuple[_Hit, ...]:
    search: dict[str, object] = {"pattern": pattern, "note": "searching the documents"}
    made = turn.made("grep_files", search)
    if made is None:
        return [("grep_files", search)]
    found: Sequence[Mapping[str, Any]] = (made.data.get("hits") or ()) if made.ok else ()
    return tuple(_Hit(str(hit.get("text", "")), str(hit.get("at")), made.evidence) for hit in found)


def _said(hit: _Hit) -> str:
    return f"«{within(hit.text)}» (`{hit.at}`) [{hit.evidence}]"


def _has_documents(listing: Listing) -> bool:
    return any(entry.kind == "document" for entry in listing.entries)

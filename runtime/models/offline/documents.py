"""Questions about what documents say: lines found by grep_files, quoted word for word with their places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.models.offline.lexicon import BUSINESS_WORDS, FILLERS, MONTHS
from runtime.models.offline.listing import Listing
from runtime.models.offline.tokens import Token, stem, tokenize
from runtime.models.offline.transcript import Done, Turn
from runtime.models.offline.wording import as_code

_SAYS = re.compile(
    r"(?i)^\s*what\s+(?:does|do|did)\s+(?P<where>.+?)\s+(?:say|state|tell\s+(?:me|us))\s+(?:about|on|of)\s+"
    r"(?P<what>.+?)\s*\??\s*$"
)
_FIND = re.compile(
    r"(?i)^\s*(?:please\s+)?(?:find|search(?:\s+for)?|look\s+for)\s+(?P<what>.+?)\s+in\s+"
    r"(?P<where>.+?)\s*[.?!]?\s*$"
)
_ANY = re.compile(r"(?i)\b(?:documents?|docs|files|notes|texts|pdfs?|policy|policies|contracts?|handbook|logs?)\b")
_QUOTED = re.compile("[\"“”«»‘’']")
_LINES, _LEAST_WORDS = 5, 2
_ASKS_FOR_WORDS = re.compile(r"(?i)^\s*(?:what|who|whom|where|which|when)\b(?!\s+(?:share|percentage|number))")
_LINE_CHARS = 240


def document_searches(question: str, listing: Listing) -> tuple[dict[str, object], ...]:
    """The arguments of the greps that the question asks for, to be made in turn until one finds something: all words
    on one line, then any of them. None when it is no such question."""
    found = _SAYS.match(question) or _FIND.match(question)
    if found is None:
        return ()
    names = _named(found["where"], listing)
    if not names and not _ANY.search(found["where"]):
        return ()
    words = _words(found["what"])
    if not words or not any(entry.kind == "document" for entry in listing.entries):
        return ()
    patterns = dict.fromkeys((".*".join(words), "|".join(words)))
    where: dict[str, object] = {"names": names} if names else {}
    return tuple({"pattern": text, **where, "note": "searching the documents"} for text in patterns)


def definition_search(words: Sequence[str]) -> dict[str, object] | None:
    """The arguments of the grep for what a word of business means here; None when none of `words` is one."""
    found = [word for word in words if stem(word) in BUSINESS_WORDS]
    return {"pattern": rf"\b{found[0]}\b.*\bis\b", "note": "searching the documents"} if found else None


def defined(search: Done) -> str:
    """The line of a document that says what the word is, quoted; empty when there is none."""
    hits: Sequence[Mapping[str, Any]] = search.data.get("hits") or ()
    if not search.ok or not hits:
        return ""
    line, at = _quoted(str(hits[0].get("text", ""))), hits[0].get("at")
    return f"\n\nA document says what it is, but I can't work it out by that: «{line}» (`{at}`) [{search.evidence}]."


def line_search(question: str, listing: Listing) -> dict[str, object] | None:
    """The arguments of the grep for a question that only documents could answer: any of its words, and its month as
    dates write it. None when it asks for a number, or says too little."""
    words = _telling(question)
    if not _ASKS_FOR_WORDS.match(question) or len(words) < _LEAST_WORDS:
        return None
    if not any(entry.kind == "document" for entry in listing.entries):
        return None
    return {"pattern": "|".join(words), "max_hits": 100, "note": "searching the documents"}


def _telling(question: str) -> list[str]:
    """The question's words as patterns; a month may also stand as the middle of a date."""
    found = [rf"\b{re.escape(token.stem)}" for token in tokenize(question) if _carries_sense(token)]
    months = [MONTHS[token.low] for token in tokenize(question) if token.low in MONTHS]
    return [*found, *(rf"\d{{4}}-{month:02d}-\d{{2}}" for month in months)]


def _carries_sense(token: Token) -> bool:
    return token.wordlike and token.stem not in FILLERS and token.low not in MONTHS


def best_lines(search: Done, question: str) -> str | None:
    """The lines that hold most of the question's words, quoted; None when no line holds two of them."""
    hits: Sequence[Mapping[str, Any]] = search.data.get("hits") or ()
    patterns = [re.compile(word, re.IGNORECASE) for word in _telling(question)]
    scored = [(sum(bool(pattern.search(str(hit.get("text", "")))) for pattern in patterns), hit) for hit in hits]
    most = max((score for score, _ in scored), default=0)
    if not search.ok or most < _LEAST_WORDS:
        return None
    lines = [
        f"- `{hit.get('at')}`: «{_quoted(str(hit.get('text', '')))}» [{search.evidence}]"
        for score, hit in scored
        if score == most
    ]
    return "I only find words, I don't understand them. These lines hold most of yours:\n" + "\n".join(lines[:_LINES])


def found_answer(turn: Turn) -> str:
    """The matching lines, quoted with file and line or page and the mark of their search."""
    search = turn.of("grep_files")[-1]
    mark = f"[{search.evidence}]"
    if not search.ok:
        return f"I can't answer that: the documents could not be searched ({as_code(search.error)}) {mark}."
    hits: Sequence[Mapping[str, Any]] = search.data.get("hits") or ()
    searched: Mapping[str, Any] = search.data.get("searched") or {}
    part = "" if searched.get("complete") else " Not everything could be searched; the evidence says what was left out."
    if not hits:
        return f"I can't answer that: no line of the documents here matches {mark}.{part}"
    lines = [f"- `{hit.get('at')}`: «{_quoted(str(hit.get('text', '')))}» {mark}" for hit in hits[:_LINES]]
    more = f"\nMore lines match; these are the first {mark}." if int(search.data.get("total", 0)) > _LINES else ""
    some = " No line holds all of the words; these hold some of them." if len(turn.of("grep_files")) > 1 else ""
    return f"This is what the documents say, word for word:{some}\n" + "\n".join(lines) + more + part


def _quoted(line: str) -> str:
    plain = " ".join(line.split())
    return plain if len(plain) <= _LINE_CHARS else plain[:_LINE_CHARS] + "…"


def _named(where: str, listing: Listing) -> list[str]:
    """The documents whose name, or whole stem, stands in the words."""
    words = {token.low for token in tokenize(where)}
    return [
        entry.name
        for entry in listing.entries
        if entry.kind == "document" and words & {_base(entry.name), _base(entry.name).rsplit(".", 1)[0]}
    ][:8]


def _base(name: str) -> str:
    return name.casefold().rsplit("/", 1)[-1]


def _words(what: str) -> list[str]:
    """The words that carry the sense, as patterns; a phrase in quotes as it stands."""
    plain = what.strip()
    if len(plain) > 2 and _QUOTED.match(plain[0]) and _QUOTED.match(plain[-1]):
        return [re.escape(plain[1:-1])]
    return [re.escape(token.text) for token in tokenize(plain) if token.wordlike and token.stem not in FILLERS]

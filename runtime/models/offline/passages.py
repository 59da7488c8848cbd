"""The passage of a document that answers a question in plain words: the line that holds all that is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.models.offline.catalog import Table
from runtime.models.offline.documents import quoted
from runtime.models.offline.gathering import Calls
from runtime.models.offline.lexicon import FILLERS, MONTHS
from runtime.models.offline.listing import Listing
from runtime.models.offline.tokens import stem, stems, tokenize
from runtime.models.offline.transcript import Done, Turn

FIGURES = re.compile(
    r"(?i)\b(?:total|sum|average|mean|median|share|percentage|percent|proportion|count\s+of|numbers?|how\s+many|top|trend|"
    r"correlation|distribution)\b|^\s*(?:list|show|draw|plot|chart|compare|count)\b"
)
_HOW = re.compile(r"(?i)\bhow\s+(?:long|much|soon|quickly|fast|far|often)\b")
_EMPTY = frozenset(stem(word) for word in ("happen", "work", "count", "about", "concerning", "regarding"))
_LINES, _FEW_WORDS, _NEAR, _OPENING = 3, 3, 2, 5
_HEADING = re.compile(r"^\s*#{1,6}\s")
_HOW_LONG = re.compile(r"(?i)\bhow\s+(?:long|soon|quickly|fast)\b|\bwithin\s+what\s+time\b")
_LASTS = re.compile(r"(?i)\b(?:minute|hour|day|week|month|year)s?\b")
_WORD_BY_WORD = "_I found this by its words and quote it; I don't read documents with understanding._"


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines quoted with their places; `whole` when they hold everything that was asked for."""

    text: str
    whole: bool


@dataclass(frozen=True, slots=True)
class _Line:
    at: str
    file: str
    text: str
    held: frozenset[str]
    own: int

    @property
    def heads(self) -> bool:
        return bool(_HEADING.match(self.text))


def passage(turn: Turn, listing: Listing, tables: Sequence[Table] = ()) -> Calls | Passage | None:
    """The lines that hold most of the question's words, or the calls that find them; words in a document's own name
    count for all its lines. None when the question asks for a figure, or no line comes near. What is about one of
    `tables` is no question for a whole document."""
    words = telling(turn.question, listing)
    if not words or FIGURES.search(turn.question) or _asks_rows(turn.question, tables):
        return None
    within = documents_named(turn.question, listing)
    search: dict[str, object] = {"pattern": "|".join(words), "max_hits": 100, "note": "searching the documents"}
    search |= {"names": within} if within else {}
    made = turn.made("grep_files", search)
    if made is None:
        return [("grep_files", search)]
    lines = _lines(made, words)
    if not lines:
        return _opening(turn, listing, words, tables)
    most = max(len(line.held) for line in lines)
    best = sorted((line for line in lines if len(line.held) == most), key=lambda line: -line.own)
    whole = most == len(words) and (bool(within) or _enough(turn.question, words))
    if whole and best[0].heads:
        return _below(turn, best[0])
    if not whole and (opening := _opening(turn, listing, words, tables)) is not None:
        return opening
    if not whole and most < _NEAR:
        return None
    best = [line for line in best if not whole or line.own == best[0].own]
    if whole and _HOW_LONG.search(turn.question) and not any(_LASTS.search(line.text) for line in best):
        best = [*(line for line in lines if _LASTS.search(line.text) and len(line.held) >= most - 1), *best]
    shown = [quoted(line.at, line.text, f"[{made.evidence}]") for line in best]
    return passage_of(shown[:_LINES], whole=whole)


def passage_of(lines: Sequence[str], *, whole: bool) -> Passage:
    """Quoted lines under their heading."""
    if whole:
        return Passage("This is what the documents say:\n" + "\n".join(lines) + f"\n\n{_WORD_BY_WORD}", whole=True)
    return Passage("These lines of documents hold most of your words:\n" + "\n".join(lines), whole=False)


def _enough(question: str, words: Sequence[str]) -> bool:
    """One word is a question of its own only where hardly anything else was said."""
    return len(words) > 1 or sum(token.wordlike for token in tokenize(question)) <= _FEW_WORDS


def _lines(search: Done, words: Sequence[str]) -> list[_Line]:
    if not search.ok:
        return []
    return [_line(hit, words) for hit in search.data.get("hits") or ()]


def _line(hit: Mapping[str, Any], words: Sequence[str]) -> _Line:
    text, file = str(hit.get("text", "")), str(hit.get("file", ""))
    own = {word for word in words if re.search(word, text, re.IGNORECASE)}
    return _Line(str(hit.get("at", "")), file, text, frozenset(own | _named(file, words)), len(own))


def _named(file: str, words: Sequence[str]) -> set[str]:
    """The words that stand in a document's name or folders."""
    plain = " ".join(stems(file))
    return {word for word in words if re.search(word, plain)}


def _below(turn: Turn, heading: _Line) -> Calls | Passage:
    """What stands below a heading that holds all words."""
    pattern = "^" + re.escape(heading.text.strip()) + r"\s*$"
    where: dict[str, object] = {"names": [heading.file], "context": 3, "note": "reading the section"}
    search = {"pattern": pattern, **where}
    made = turn.made("grep_files", search)
    if made is None:
        return [("grep_files", search)]
    hits: Sequence[Mapping[str, Any]] = made.data.get("hits") or ()
    if not hits:
        return passage_of([quoted(heading.at, heading.text, f"[{made.evidence}]")], whole=False)
    hit = hits[0]
    below = [(nth, str(line)) for nth, line in enumerate(hit.get("after", ()), start=1) if str(line).strip()]
    mark = f"[{made.evidence}]"
    lines = [
        quoted(heading.at, heading.text, mark),
        *(quoted(place_below(hit, nth), line, mark) for nth, line in below),
    ]
    return passage_of(lines, whole=bool(below))


def place_below(hit: Mapping[str, Any], below: int) -> str:
    """Where a line stands that is so many below a hit; a page is told whole."""
    return str(hit["at"]) if hit.get("page") is not None else f"{hit['file']}:{int(hit['line']) + below}"


def _opening(turn: Turn, listing: Listing, words: Sequence[str], tables: Sequence[Table]) -> Calls | Passage | None:
    """The first lines of the one document that a short question names by its subject: "return window?"."""
    if len(words) > _FEW_WORDS or any(_names_table(word, tables) for word in words):
        return None
    named = [e.name for e in listing.entries if e.kind == "document" and 2 * len(_named(e.name, words)) >= len(words)]
    if len(named) != 1:
        return None
    where: dict[str, object] = {"names": named, "max_hits": _OPENING, "note": "reading the document"}
    search = {"pattern": r"^[^#\s]", **where}
    made = turn.made("grep_files", search)
    if made is None:
        return [("grep_files", search)]
    hits: Sequence[Mapping[str, Any]] = made.data.get("hits") or ()
    lines = [quoted(str(hit.get("at")), str(hit.get("text", "")), f"[{made.evidence}]") for hit in hits]
    if not lines:
        return None
    head = f"No line holds all of your words. `{named[0]}` is about them and begins:\n"
    return Passage(head + "\n".join(lines) + f"\n\n{_WORD_BY_WORD}", whole=True)


def _names_table(pattern: str, tables: Sequence[Table]) -> bool:
    names = (
        " ".join(words) for table in tables for words in (table.words, *(column.words for column in table.columns))
    )
    return any(re.search(pattern, name) for name in names)


def _asks_rows(question: str, tables: Sequence[Table]) -> bool:
    """ "Which orders …": rows are wanted, which no document has."""
    tokens = [token for token in tokenize(question) if token.wordlike]
    return any(token.low == "which" for token in tokens[:1]) and any(
        table.words == tuple(token.stem for token in tokens[1 : 1 + len(table.words)])
        for table in tables
        if table.words
    )


def documents_named(question: str, listing: Listing) -> list[str]:
    """The documents whose file names stand in the question."""
    found = [listing.named(token) for token in tokenize(question) if token.kind in ("file", "quoted")]
    return [entry.name for entry in found if entry is not None and entry.kind == "document"]


def telling(question: str, listing: Listing) -> list[str]:
    """The question's words as patterns, none where there is no document; a month may also stand as the middle of a
    date. A word without sense elsewhere has one when a document is named by it: "return"."""
    names = {part for entry in listing.entries if entry.kind == "document" for part in stems(entry.name)}
    if not names:
        return []
    tokens = [token for token in tokenize(_HOW.sub("", question)) if token.wordlike and token.low not in MONTHS]
    tokens = [token for token in tokens if token.kind != "file" and listing.named(token) is None]
    found = [
        rf"\b{re.escape(token.stem)}" for token in tokens if token.stem not in FILLERS | _EMPTY or token.stem in names
    ]
    months = [MONTHS[token.low] for token in tokenize(question) if token.low in MONTHS]
    return [*dict.fromkeys((*found, *(rf"\d{{4}}-{month:02d}-\d{{2}}" for month in months)))]

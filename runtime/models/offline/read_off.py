"""The lines of documents that a figure may be read off: a table in a document is text, and is quoted, not computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from runtime.models.offline.documents import quoted
from runtime.models.offline.gathering import Calls
from runtime.models.offline.listing import Listing
from runtime.models.offline.passages import FIGURES, Passage, documents_named, passage_of, place_below, telling
from runtime.models.offline.tokens import stem
from runtime.models.offline.transcript import Turn

_NEAR, _LINES, _BELOW, _APART = 2, 4, 3, 12
_NUMBER = re.compile(r"^[^\w\s]?\d[\d.,:/%-]*$")
Hit = Mapping[str, Any]


@dataclass(slots=True)
class _Spot:
    """Hits that stand together: on one page, or few lines apart."""

    hits: list[Hit] = field(default_factory=list[Hit])

    def held(self, words: Sequence[str]) -> set[str]:
        """The words that stand here."""
        return {word for word in words for hit in self.hits if _holds(word, str(hit["text"]))}


def read_off(turn: Turn, listing: Listing, unknown: Sequence[str] = ()) -> Calls | Passage | None:
    """The lines with figures where most words of a question for a figure stand, with the header of a table above them;
    or the call that finds them. One of the `unknown` words, which no table explains, is among them. None when no figure
    is asked for, or nothing comes near."""
    if not FIGURES.search(turn.question):
        return None
    words = telling(FIGURES.sub(" ", turn.question), listing)
    if not words:
        return None
    named = documents_named(turn.question, listing)
    search: dict[str, object] = {"pattern": "|".join(words), "max_hits": 100, "context": _BELOW}
    search |= {**({"names": named} if named else {}), "note": "searching the documents"}
    made = turn.made("grep_files", search)
    if made is None:
        return [("grep_files", search)]
    sought = [rf"\b{re.escape(stem(word))}" for word in unknown]
    found = [(len(spot.held(words)), spot) for spot in _spots(made.data.get("hits") or ())]
    fitting = [
        (held, lines)
        for held, spot in found
        if held >= min(_NEAR, len(words)) and (named or not sought or spot.held(sought))
        if (lines := [*_told(spot, words)])
    ]
    if not fitting:
        return None
    _, best = max(fitting, key=lambda one: one[0])
    return passage_of([quoted(at, text, f"[{made.evidence}]") for at, text in best[:_LINES]], whole=False)


def _spots(hits: Sequence[Hit]) -> Iterator[_Spot]:
    spot = _Spot([*hits[:1]])
    for before, hit in pairwise(hits):
        near = before.get("page") is not None or int(hit.get("line", 0)) - int(before.get("line", 0)) <= _APART
        if (before["file"], before.get("page")) != (hit["file"], hit.get("page")) or not near:
            yield spot
            spot = _Spot()
        spot.hits.append(hit)
    if spot.hits:
        yield spot


def _told(spot: _Spot, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines to be quoted, each once: rows of a table with what stands above, sentences that hold several words."""
    rows = [hit for hit in spot.hits if _is_row(str(hit["text"]))]
    heads = [hit for hit in spot.hits if not re.search(r"\d", str(hit["text"])) and _above_rows(hit)]
    sentences = [
        hit
        for hit in spot.hits
        if hit not in rows and re.search(r"\d", str(hit["text"])) and _held_by(hit, words) >= min(_NEAR, len(words))
    ]
    for hit in spot.hits:
        if hit in heads or hit in sentences or (hit in rows and (heads or _held_by(hit, words) >= _NEAR)):
            yield str(hit["at"]), str(hit["text"])
    if heads and not rows:
        head = heads[0]
        for nth, line in enumerate(head.get("after", ()), start=1):
            yield place_below(head, nth), str(line)


def _held_by(hit: Hit, words: Sequence[str]) -> int:
    return sum(_holds(word, str(hit["text"])) for word in words)


def _holds(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _is_row(text: str) -> bool:
    """True for a line of a table: a good part of its words are numbers."""
    cells = text.split()
    numbers = sum(bool(_NUMBER.match(cell)) for cell in cells)
    return 3 * numbers >= len(cells) > 1


def _above_rows(hit: Hit) -> bool:
    return any(_is_row(str(line)) for line in hit.get("after", ()))

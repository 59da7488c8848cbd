"""A question cut into tokens: words with their stems, numbers, file names, quoted text and punctuation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

_REMEMBERED = 16_384
Kind = Literal["word", "number", "file", "quoted", "money", "punct"]

_PATTERN = re.compile(
    r"""(?P<quoted>"[^"\n]{1,80}"|“[^”\n]{1,80}”|`[^`\n]{1,80}`)
    |(?P<file>[\w][\w.\-]*\.(?:csv|tsv|parquet|jsonl?|ndjson|xlsx|md|txt|pdf|docx)\b)
    |(?P<number>\d{4}-\d{2}(?:-\d{2})?(?![\w-])|\d+(?:,\d{3})*(?:\.\d+)?(?!\w)%?)
    |(?P<money>[$€£¥])
    |(?P<word>(?:km/h|mph|kph)\b|[^\W_](?:[\w]*)(?:['’][^\W\d_]+)?)
    |(?P<punct>[^\s\w])""",
    re.VERBOSE,
)
_SPEEDS = ("km/h", "mph", "kph")
_NEGATIVE = re.compile(r"^(do|does|did|is|are|was|were|has|have|had|can|could|should|would|ca|wo|won)n['’]?t$")


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `low` is the folded text, `stem` the form that plural, possessive, -ing and -ed share, `number` its
    value when it is one. ISO dates are numbers without a value."""

    text: str
    low: str
    stem: str
    kind: Kind
    number: float | None = None

    @property
    def wordlike(self) -> bool:
        """True for what has to be understood: everything except punctuation."""
        return self.kind not in ("punct", "money")


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of `text` in order. "haven't" gives "have" and "not"; a possessive ending is dropped."""
    found: list[Token] = []
    for match in _PATTERN.finditer(text):
        kind: Kind = match.lastgroup or "punct"  # type: ignore[assignment]
        found.extend(_token(match.group(), kind))
    return tuple(found)


def _token(raw: str, kind: Kind) -> list[Token]:
    if kind == "word":
        return _word(raw)
    if kind == "number":
        plain = raw.replace(",", "").rstrip("%")
        value = None if plain.count("-") else float(plain)
        return [Token(raw, raw.lower(), plain, "number", value)]
    if kind == "quoted":
        return [Token(raw, raw[1:-1].casefold(), raw[1:-1].casefold(), "quoted")]
    if raw == "%":  # one that stands behind no number
        return [Token(raw, "percent", "percent", "word")]
    return [Token(raw, raw.casefold(), raw.casefold(), kind)]


def _word(raw: str) -> list[Token]:
    if raw.casefold() in _SPEEDS:
        return [Token(raw, "speed", "speed", "word")]
    folded = raw.casefold().replace("’", "'")
    if folded == "cannot" or _NEGATIVE.match(folded):
        return [Token(raw, folded[:-3].rstrip("'"), folded[:-3].rstrip("'"), "word"), Token(raw, "not", "not", "word")]
    low = folded.split("'")[0] if folded.endswith(("'s", "'re", "'ve", "'ll", "'d", "'m")) else folded
    text = raw[: len(low)]
    if "_" in low:
        return [Token(part, part, stem(part), "word") for part in low.split("_") if part]
    return [Token(text, low, stem(low), "word")]


@lru_cache(maxsize=_REMEMBERED)
def stem(word: str) -> str:
    """The form shared by a word's plural, -ing and -ed: "categories" → "category", "spending" → "spend"."""
    word = word.casefold()
    for ending, put, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return _undouble(word[: -len(ending)] + put) if ending in ("ing", "ed") else word[: -len(ending)] + put
    return word


_ENDINGS: tuple[tuple[str, str, int], ...] = (
    ("ies", "y", 2),
    ("elves", "elf", 2),
    ("sses", "ss", 1),
    ("shes", "sh", 2),
    ("ches", "ch", 2),
    ("xes", "x", 2),
    ("ss", "ss", 1),
    ("us", "us", 1),
    ("is", "is", 1),
    ("ied", "y", 2),
    ("eed", "eed", 1),
    ("ing", "", 4),
    ("ed", "", 4),
    ("s", "", 3),
)


def _undouble(word: str) -> str:
    """ "planned" gives "plann": the doubled letter is dropped; "spelled", "missed" keep ll and ss."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


@lru_cache(maxsize=_REMEMBERED)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a name or a value: "distance_km" → ("distance", "km")."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return tuple(stem(part) for part in re.findall(r"[^\W_]+", spaced.casefold()))

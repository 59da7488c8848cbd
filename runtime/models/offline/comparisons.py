"""Bounds in words: "above 1,500", "more than once", "two or more", "between 5 and 10"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.models.offline.lexicon import ADJECTIVES, MONTHS, NUMBER_WORDS
from runtime.models.offline.plan import Comparison, Operator
from runtime.models.offline.tokens import Token

_PREFIXES: tuple[tuple[tuple[str, ...], Operator], ...] = (
    (("no", "more", "than"), "<="),
    (("not", "more", "than"), "<="),
    (("no", "less", "than"), ">="),
    (("no", "fewer", "than"), ">="),
    (("at", "or", "below"), "<="),
    (("at", "or", "above"), ">="),
    (("more", "than"), ">"),
    (("greater", "than"), ">"),
    (("higher", "than"), ">"),
    (("larger", "than"), ">"),
    (("bigger", "than"), ">"),
    (("longer", "than"), ">"),
    (("heavier", "than"), ">"),
    (("less", "than"), "<"),
    (("fewer", "than"), "<"),
    (("lower", "than"), "<"),
    (("smaller", "than"), "<"),
    (("shorter", "than"), "<"),
    (("lighter", "than"), "<"),
    (("cheaper", "than"), "<"),
    (("at", "least"), ">="),
    (("up", "to"), "<="),
    (("at", "most"), "<="),
    (("equal", "to"), "="),
    (("exceeding",), ">"),
    (("exceed",), ">"),
    (("exceeds",), ">"),
    (("exceeded",), ">"),
    (("over",), ">"),
    (("above",), ">"),
    (("beyond",), ">"),
    (("under",), "<"),
    (("below",), "<"),
    (("exactly",), "="),
)
_SUFFIXES: tuple[tuple[tuple[str, ...], Operator], ...] = (
    (("or", "more"), ">="),
    (("or", "higher"), ">="),
    (("or", "above"), ">="),
    (("or", "longer"), ">="),
    (("or", "less"), "<="),
    (("or", "fewer"), "<="),
    (("or", "lower"), "<="),
    (("or", "below"), "<="),
)
_BY_FIRST_WORD = {
    first: tuple(prefix for prefix in _PREFIXES if prefix[0][0] == first)
    for first in {words[0] for words, _ in _PREFIXES}
}
_TIMES = ("time", "once", "twice")


@dataclass(frozen=True, slots=True)
class ComparisonMention:
    """A bound and the tokens [first, after) that say it. `times` = it counts occurrences; `concept` is the idea behind
    its adjective ("longer" → length)."""

    first: int
    after: int
    comparison: Comparison
    times: bool = False
    concept: str = ""


def find_comparisons(tokens: Sequence[Token]) -> tuple[ComparisonMention, ...]:
    """Every bound with a number said in `tokens`, left to right."""
    found: list[ComparisonMention] = []
    at = 0
    while at < len(tokens):
        mention = _several(tokens, at) or _between(tokens, at) or _prefixed(tokens, at) or _suffixed(tokens, at)
        if mention:
            found.append(mention)
        at = mention.after if mention else at + 1
    return tuple(found)


def number_at(tokens: Sequence[Token], at: int) -> float | None:
    """The number that token `at` says in digits or words."""
    if at >= len(tokens):
        return None
    token = tokens[at]
    return token.number if token.kind == "number" else NUMBER_WORDS.get(token.low)


def _several(tokens: Sequence[Token], at: int) -> ComparisonMention | None:
    words = tuple(token.low for token in tokens[at : at + 2])
    if words in (("several", "times"), ("multiple", "times"), ("repeated", "times")):
        return ComparisonMention(at, at + 2, Comparison(">", 1.0), times=True)
    return None


def _between(tokens: Sequence[Token], at: int) -> ComparisonMention | None:
    low, high = number_at(tokens, at + 1), number_at(tokens, at + 3)
    if tokens[at].low != "between" or low is None or high is None or tokens[at + 2].low != "and":
        return None
    if _is_year(tokens[at + 1]) and _is_year(tokens[at + 3]):
        return None
    if at + 4 < len(tokens) and tokens[at + 4].low in MONTHS:
        return None  # "between 10 and 20 January": days
    return ComparisonMention(at, at + 4, Comparison("between", low, high))


def _prefixed(tokens: Sequence[Token], at: int) -> ComparisonMention | None:
    for words, operator in _BY_FIRST_WORD.get(tokens[at].low, ()):
        if tuple(token.low for token in tokens[at : at + len(words)]) != words:
            continue
        number_index = at + len(words)
        number_index += number_index < len(tokens) and tokens[number_index].kind == "money"
        value = number_at(tokens, number_index)
        if value is None or (words in (("over",), ("up", "to")) and _is_year(tokens[number_index])):
            return None
        if tuple(token.low for token in tokens[number_index + 1 : number_index + 2]) == ("or",):
            return None
        return _with_times(tokens, at, number_index + 1, Comparison(operator, value), _concept(words[-2:]))
    return None


def _suffixed(tokens: Sequence[Token], at: int) -> ComparisonMention | None:
    value = number_at(tokens, at)
    if value is None:
        return None
    for words, operator in _SUFFIXES:
        for gap in (1, 2):  # "two or more", "8 hours or more"
            if tuple(token.low for token in tokens[at + gap : at + gap + 2]) == words and gap == 1:
                return _with_times(tokens, at, at + 1 + len(words), Comparison(operator, value), "")
    return None


def _with_times(
    tokens: Sequence[Token], first: int, after: int, comparison: Comparison, concept: str
) -> ComparisonMention:
    said = tokens[after - 1].low in _TIMES
    follows = after < len(tokens) and tokens[after].stem == "time"
    return ComparisonMention(first, after + follows, comparison, times=said or follows, concept=concept)


def _concept(words: Sequence[str]) -> str:
    return ADJECTIVES.get(words[0], ("", ""))[1] if words and words[-1] == "than" else ""


def _is_year(token: Token) -> bool:
    return token.text.isdigit() and len(token.text) == 4 and 1900 <= int(token.text) <= 2100

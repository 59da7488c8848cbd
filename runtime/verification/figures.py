"""The figures of an answer, looked up in the evidence: exact and rounded matches, nothing cleverer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from runtime.evidence import Evidence, Json
from runtime.verification.report import Verification

_GROUP = "[,\u00a0\u202f' ]"
_NUMBER = rf"\d{{1,3}}(?:{_GROUP}\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?"
_TOKEN = re.compile(
    rf"(?<![\w.,/:-])([-−–]?)[$€£¥]?({_NUMBER})(?:\s?(%|percent\b|k\b|K\b|M\b|B\b|bn\b|thousand\b|million\b|billion\b))?(?![\w/:]|\.\d|-\d)"
)
_MARK = re.compile(r"\[\s*E\d+(?:\s*[,;]\s*E\d+)*\s*\]")
_MARK_ID = re.compile(r"E\d+")
_FENCE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DATE = re.compile(
    rf"\b\d{{4}}-\d{{2}}(?:-\d{{2}})?(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}})?)?\b|\b\d{{1,2}}:\d{{2}}\b|\bQ[1-4]\b"
    rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:, \d{{4}})?\b|\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b"
    rf"|\b{_MONTH} \d{{4}}\b"
)
_LIST_NUMBER = re.compile(r"^\s*\d+[.)] ", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_IN_TEXT = re.compile(rf"(?<![\w.])[-−]?(?:{_NUMBER})")
_THRESHOLD = re.compile(
    r"\b(?:over|above|under|below|than|least|most|exceed(?:s|ing|ed)?|between|and|from|to|last|first|top)\s+[$€£¥]?$",
    re.I,
)
_DATED = re.compile(r"(?:^|\b(?:in|of|since|for|during|by|until|from|to|and|through|year|vs|versus)\s|[–-])\s*$", re.I)
_SCALE = {"k": 3, "K": 3, "thousand": 3, "M": 6, "million": 6, "B": 9, "bn": 9, "billion": 9}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as the answer shows it: its text, its value before scaling, decimals shown, and what follows it."""

    text: str
    value: Decimal
    decimals: int
    unit: str
    marks: frozenset[str]
    threshold: bool = False
    dated: bool = False


def check_figures(answer: str, evidence: Sequence[Evidence], *, question: str = "") -> Verification:
    """How many figures of the answer stand in the evidence that backs them. A figure is bound to the marks behind it in
    its sentence; without a mark any successful evidence may back it. Bare years and the thresholds of the question may
    be repeated as such: they are no results."""
    by_id = {item.id: item for item in evidence if not item.failed}
    asked = {figure.value for figure in figures(question)}
    checked = [figure for figure in figures(answer) if not _repeats(figure, asked)]
    numbers = {name: tuple(_numbers(item)) for name, item in by_id.items()}
    missing = tuple(figure.text for figure in checked if not _backed(figure, numbers))
    cited = tuple(dict.fromkeys(name for name in _MARK_ID.findall(" ".join(_MARK.findall(answer))) if name in by_id))
    return Verification(figures=len(checked), missing=missing, cited=cited)


def figures(text: str) -> tuple[Figure, ...]:
    """Every figure in a text, in order. Dates, times, list numbers, code and marks are no figures."""
    text = _LIST_NUMBER.sub(lambda match: " " * len(match[0]), text)
    text = _DATE.sub(lambda match: " " * len(match[0]), _FENCE.sub(" ", text))
    return tuple(figure for sentence in _SENTENCE.split(text) for figure in _in_sentence(sentence))


def _in_sentence(sentence: str) -> Iterator[Figure]:
    marks = [(match.start(), frozenset(_MARK_ID.findall(match[0]))) for match in _MARK.finditer(sentence)]
    plain = _MARK.sub(lambda match: " " * len(match[0]), sentence)
    for match in _TOKEN.finditer(plain):
        value = _decimal(match[2])
        if value is None:
            continue
        behind = _binding(match.end(), marks, sentence)
        decimals = len(match[2].rsplit(".", 1)[1]) if "." in match[2] else 0
        before = plain[: match.start()]
        threshold, dated = bool(_THRESHOLD.search(before)), bool(_DATED.search(before))
        yield Figure(
            match[0].strip(), -value if match[1] else value, decimals, match[3] or "", behind, threshold, dated
        )


def _binding(end: int, marks: Sequence[tuple[int, frozenset[str]]], sentence: str) -> frozenset[str]:
    """The first mark behind the figure, with the marks that stand directly beside it."""
    bound: frozenset[str] = frozenset()
    last = None
    for start, ids in marks:
        if start < end:
            continue
        if last is not None and sentence[last:start].strip(" ,;"):
            break
        bound, last = bound | ids, sentence.index("]", start) + 1
    return bound


def _repeats(figure: Figure, asked: set[Decimal]) -> bool:
    return _year(figure) or (figure.value in asked and (figure.threshold or not figure.marks))


def _year(figure: Figure) -> bool:
    return figure.dated and figure.text.isdigit() and 1900 <= figure.value <= 2100


def _backed(figure: Figure, numbers: dict[str, tuple[Decimal, ...]]) -> bool:
    pools = [numbers[name] for name in figure.marks if name in numbers] if figure.marks else list(numbers.values())
    return any(_matches(figure, value) for pool in pools for value in pool)


def _matches(figure: Figure, value: Decimal) -> bool:
    """Equal at the precision shown; a fraction may back a percentage; a word may carry the minus."""
    candidates = [value]
    if figure.unit in ("%", "percent"):
        candidates.append(value * 100)
    elif figure.unit in _SCALE:
        candidates.append(value.scaleb(-_SCALE[figure.unit]))
    shown = Decimal(1).scaleb(-figure.decimals)
    for candidate in candidates:
        if abs(candidate) > Decimal("1e30"):
            continue
        rounded = candidate.quantize(shown, rounding=ROUND_HALF_UP)
        if rounded == figure.value or (
            figure.value >= 0 and -candidate.quantize(shown, rounding=ROUND_HALF_UP) == figure.value
        ):
            return True
    return False


def _numbers(item: Evidence) -> Iterator[Decimal]:
    if item.columns:
        yield from _in_cells(cell for row in item.rows for cell in row)
        if item.row_count is not None and item.truncated is None:
            yield Decimal(item.row_count)
        elif item.truncated is not None and item.truncated.total is not None:
            yield Decimal(item.truncated.total)
    elif item.model_text:
        yield from _in_cells([json.loads(item.model_text).get("data")])
    if item.output:
        yield from _in_cells([item.output])


def _in_cells(cells: Iterable[Json]) -> Iterator[Decimal]:
    for cell in cells:
        if isinstance(cell, bool) or cell is None:
            continue
        if isinstance(cell, int | float):
            yield Decimal(str(cell))
        elif isinstance(cell, str):
            yield from (value for text in _IN_TEXT.findall(cell) if (value := _decimal(text)) is not None)
        elif isinstance(cell, list):
            yield from _in_cells(cell)
        else:
            yield from _in_cells(cell.values())


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(re.sub(_GROUP, "", text).replace("−", "-"))
    except InvalidOperation:
        return None

"""The figures of an answer, looked up in the evidence: exact and rounded matches, nothing cleverer."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from runtime.evidence import Evidence, Json
from runtime.verification.lookup import Numbers
from runtime.verification.notation import UNIT, WRITTEN, every_value, powers, values
from runtime.verification.report import Verification

_TOKEN = re.compile(rf"(?<![\w.,/:-])([-−–]?)[$€£¥₹]?({WRITTEN})(?:\s?({UNIT}))?(?![\w/:]|[.,]\d|-\d)")
_MARK = re.compile(r"\[\s*E\d+(?:\s*[,;]\s*E\d+)*\s*\]")
_MARK_ID = re.compile(r"E\d+")
_FENCE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_MONTH = (  # whole names only: "Margin 12" and "Marks 1000" are figures
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATE = re.compile(
    rf"\b\d{{4}}-\d{{2}}(?:-\d{{2}})?(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}})?)?\b|\b\d{{1,2}}:\d{{2}}\b|\bQ[1-4]\b"
    rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:, \d{{4}})?\b|\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b"
    rf"|\b{_MONTH} \d{{4}}\b"
)
_LIST_NUMBER = re.compile(r"^[^\S\n]*\d+[.)] ", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_IN_TEXT = re.compile(rf"(?<![\w.])([-−]?)({WRITTEN})")
_THRESHOLD = re.compile(
    r"\b(?:over|above|under|below|than|least|most|exceed(?:s|ing|ed)?|between|and|from|to|last|first|top)\s+[$€£¥]?$",
    re.I,
)
_DATED = re.compile(r"(?:^|\b(?:in|of|since|for|during|by|until|from|to|and|through|year|vs|versus)\s|[–-])\s*$", re.I)
_CLOSE = 40  # characters before a figure that say what kind of number it is


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
    backing = list(_lookups(checked, by_id))
    missing = tuple(figure.text for figure, found in zip(checked, backing, strict=True) if found is None)
    cited = tuple(dict.fromkeys(name for name in _MARK_ID.findall(" ".join(_MARK.findall(answer))) if name in by_id))
    remote = tuple(name for name, item in by_id.items() if item.remote and name in {*cited, *backing})
    return Verification(figures=len(checked), missing=missing, cited=cited, remote=remote)


def figures(text: str) -> tuple[Figure, ...]:
    """Every figure in a text, in order. Dates, times, list numbers, code and marks are no figures."""
    text = _LIST_NUMBER.sub(lambda match: " " * len(match[0]), text)
    text = _DATE.sub(lambda match: " " * len(match[0]), _FENCE.sub(" ", text))
    return tuple(figure for sentence, marks in _sentences(text) for figure in _in_sentence(sentence, marks))


def _sentences(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Each sentence, or line of a table, with the marks that hold where it has none: a table's heading marks its
    rows."""
    heading: frozenset[str] | None = None
    for line in text.split("\n"):
        if line.lstrip().startswith("|"):
            if heading is None:
                heading = frozenset(_MARK_ID.findall(" ".join(_MARK.findall(line))))
            yield line, heading
        else:
            heading = None
            yield from ((sentence, frozenset()) for sentence in _SENTENCE.split(line))


def _in_sentence(sentence: str, otherwise: frozenset[str]) -> Iterator[Figure]:
    starts, groups = _mark_groups(sentence)
    plain = _MARK.sub(lambda match: " " * len(match[0]), sentence)
    for match in _TOKEN.finditer(plain):
        behind = bisect_left(starts, match.end())
        marks = groups[behind] if behind < len(groups) else otherwise
        near = (plain, max(0, match.start() - _CLOSE), match.start())
        threshold, dated = bool(_THRESHOLD.search(*near)), bool(_DATED.search(*near))
        for value in values(match[2]):
            signed = value.copy_negate() if match[1] else value
            yield Figure(match[0].strip(), signed, _decimals(value), match[3] or "", marks, threshold, dated)


def _mark_groups(sentence: str) -> tuple[list[int], list[frozenset[str]]]:
    """Where marks begin that bind the figures before them, and the ids of each with the marks directly beside it."""
    starts, groups, end = list[int](), list[set[str]](), -1
    for match in _MARK.finditer(sentence):
        if end < 0 or sentence[end : match.start()].strip(" ,;"):
            starts.append(match.start())
            groups.append(set())
        groups[-1].update(_MARK_ID.findall(match[0]))
        end = match.end()
    return starts, [frozenset(group) for group in groups]


def _repeats(figure: Figure, asked: set[Decimal]) -> bool:
    return _year(figure) or (figure.value in asked and (figure.threshold or not figure.marks))


def _year(figure: Figure) -> bool:
    return figure.dated and figure.text.isdigit() and 1900 <= figure.value <= 2100


def _lookups(checked: Sequence[Figure], by_id: dict[str, Evidence]) -> Iterator[str | None]:
    """The evidence that backs each figure: the first item in which it stands, our own before remote ones; an item's
    numbers are read once, when needed."""
    read = dict[str, Numbers]()

    def numbers(name: str) -> Numbers:
        if name not in read:
            read[name] = Numbers(_numbers(by_id[name]))
        return read[name]

    ordered = sorted(by_id, key=lambda name: by_id[name].remote)
    for figure in checked:
        names = [name for name in ordered if not figure.marks or name in figure.marks]
        scales = powers(figure.unit)
        yield next((name for name in names if numbers(name).hold(figure.value, figure.decimals, scales)), None)


def _numbers(item: Evidence) -> Iterator[Decimal]:
    if item.columns:
        yield from _in_cells(cell for row in item.rows for cell in row)
        if item.row_count is not None and item.truncated is None:
            yield Decimal(item.row_count)
        elif item.truncated is not None and item.truncated.total is not None:
            yield Decimal(item.truncated.total)
    elif item.model_text and item.code is None:  # a program's figures are what it printed, not its fuel or its SQL
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
            for sign, text in _IN_TEXT.findall(cell):
                yield from (value.copy_negate() if sign else value for value in every_value(text))
        elif isinstance(cell, list):
            yield from _in_cells(cell)
        else:
            yield from _in_cells(cell.values())


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0

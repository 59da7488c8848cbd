"""What a cell of an XML Spreadsheet 2003 holds: its text read by the type that the file gives it, and by its style."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.cells import Format, Mark
from runtime.ingest.spreadsheet.formats import format_of
from runtime.ingest.spreadsheet.sheet_marks import exact_digits

Value = str | bool | float | datetime | date | time | timedelta
"""As the first reader of other spreadsheets gives it; an empty text for nothing."""

_NAMED = {
    "Percent": "0.00%",
    "Euro Currency": "[$€-2] #,##0.00",
    "General Date": "yyyy-mm-dd hh:mm",
    "Long Date": "yyyy-mm-dd",
    "Medium Date": "yyyy-mm-dd",
    "Short Date": "yyyy-mm-dd",
    "Long Time": "hh:mm:ss",
    "Medium Time": "hh:mm",
    "Short Time": "hh:mm",
}
"""Formats that have a name in this kind of file. The others ("Standard", "Fixed", "Currency" …) add nothing that can be
known: which currency that is depends on the machine that shows it."""
_OTHER_NAMES = frozenset(
    ("General", "General Number", "Currency", "Fixed", "Standard", "Scientific", "Yes/No", "True/False", "On/Off")
)
_WORDS = re.compile(r'"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_LENGTH = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_DAYS = re.compile(r"[dy]", re.IGNORECASE)
_HOURS = re.compile(r"[hs]", re.IGNORECASE)
_ZERO_DAY, _ZERO_DAY_1904 = map(datetime.fromisoformat, ("1899-12-30", "1904-01-01"))
_CLOCK_DAYS = (date(1899, 12, 30), date(1899, 12, 31))
"""The days under which times of day are written."""
_NO_DAY = datetime.fromisoformat("1899-12-31")
_LAST_SERIAL = 2_958_466  # the day after 9999-12-31
_MANY_PARENTS = 20


@dataclass(frozen=True, slots=True)
class Style:
    """What a cell style says that changes how a value is read: its number format as Format, whether its numbers are
    days or times of day, whether they are lengths of time, whether text is struck out."""

    form: Format | None = None
    days: bool = False
    clock: bool = False
    length: bool = False
    struck: bool = False


PLAIN_STYLE = Style()


@dataclass(slots=True)
class RawStyle:
    """A style as the file has it: the style it builds on, and what it says itself, None where it says nothing."""

    parent: str = ""
    code: str | None = None
    struck: bool | None = None


@dataclass(slots=True)
class Styles:
    """The styles of a file by id; what one means is found out once."""

    raw: dict[str, RawStyle] = field(default_factory=dict[str, RawStyle])
    _known: dict[str, Style] = field(default_factory=dict[str, Style])

    def of(self, *ids: str) -> Style:
        """The style of the first of `ids` that is given and known, else of the default one."""
        number = next((each for each in ids if each in self.raw), "Default")
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._found(number)
        return known

    def _found(self, number: str) -> Style:
        code: str | None = None
        struck: bool | None = None
        for _ in range(_MANY_PARENTS):
            own = self.raw.get(number)
            if own is None:
                break
            code = own.code if code is None else code
            struck = own.struck if struck is None else struck
            number = own.parent or ("" if number == "Default" else "Default")
        return style_of(code or "", struck=bool(struck))


def style_of(code: str, *, struck: bool = False) -> Style:
    """What a number format says, given by its code or its name."""
    code = "" if code in _OTHER_NAMES else _NAMED.get(code, code)
    first = code.split(";")[0]
    length = bool(_LENGTH.search(first))
    bare = _WORDS.sub("", first)
    days = not length and bool(_DAYS.search(bare))
    clock = not length and not days and bool(_HOURS.search(bare))
    form = None if days or clock or length else format_of(code)
    return Style(form, days, clock, length, struck)


def read_value(text: str, kind: str, style: Style, *, from_1904: bool) -> tuple[Value, Mark | None]:
    """The value of a cell whose content is `text` of the type `kind`, and what has to be marked about it. Raises
    IngestRefused when it is not of that type."""
    try:
        match kind:
            case "Number":
                return _number(text.strip(), style, from_1904=from_1904)
            case "DateTime":
                return _moment(text.strip(), style), None
            case "Boolean":
                return {"1": True, "true": True, "0": False, "false": False}[text.strip().lower()], None
            case "Error":
                return "", Mark(error=text.strip() or "error")
            case _:
                return text, None
    except (ValueError, KeyError, OverflowError) as error:
        raise IngestRefused(f"damaged: a cell of the type {kind} holds {text[:40]!r}") from error


def _number(text: str, style: Style, *, from_1904: bool) -> tuple[Value, Mark | None]:
    if not text:
        return "", None
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    if style.length:
        return timedelta(days=value), None
    if (style.days and 0 < value < _LAST_SERIAL) or (style.clock and 0 <= value < 1):
        moment = (_ZERO_DAY_1904 if from_1904 else _ZERO_DAY) + timedelta(seconds=round(value * 86_400))
        return (moment.time() if style.clock else _day(moment)), None
    exact = text if exact_digits(text) else ""
    return value, Mark(style.form, exact=exact) if exact or style.form else None


def _moment(text: str, style: Style) -> Value:
    if not text:
        return ""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        raise ValueError(text)
    if style.length:
        return moment - _NO_DAY
    return moment.time() if moment.date() in _CLOCK_DAYS else _day(moment)


def _day(moment: datetime) -> datetime | date:
    return moment if moment.time() != time(0) else moment.date()

"""A cell as text whose class says what it was: words stay plain `str`, everything else has a class of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

_WIDE = 30  # beyond this many digits a plain notation says less than an exponent
_SHORT = 15
"""Digits that spreadsheet programs keep of a number (Excel's specification)."""


@dataclass(frozen=True, slots=True)
class Format:
    """What a number format shows beyond the value: a share of a hundred, `zeros` digits with leading zeros, a currency
    by its ISO code, a unit or other words, and how often a thousand is left out."""

    percent: bool = False
    zeros: int = 0
    currency: str = ""
    unit: str = ""
    thousands: int = 0


PLAIN = Format()


class Number(str):
    """A number in plain notation."""

    __slots__ = ()

    @property
    def form(self) -> Format:
        """How the sheet shows it."""
        return PLAIN

    @property
    def long(self) -> bool:
        """Whether it is a whole number of more digits than the program keeps."""
        return False


class Shown(Number):
    """A number out of the ordinary: one with a format that says more, or a long one."""

    __slots__ = ("_form", "_long")
    _form: Format
    _long: bool

    def __new__(cls, text: str, form: Format, *, long: bool) -> Shown:
        made = super().__new__(cls, text)
        made._form, made._long = form, long
        return made

    @property
    def form(self) -> Format:
        return self._form

    @property
    def long(self) -> bool:
        return self._long


class Duration(Number):
    """A length of time in hours."""

    __slots__ = ()


class Written(str):
    """A value as a page shows it: which one it is, and whether it is one at all, is decided with its column as in a
    delimited text."""

    __slots__ = ()


class WrittenNumber(Written):
    """One that looks like a number and like no date."""

    __slots__ = ()


COUNTS = (Number, WrittenNumber)
"""What would count again wherever it is repeated."""


class Day(str):
    """A date, YYYY-MM-DD."""

    __slots__ = ()


class Moment(str):
    """A date with a time, YYYY-MM-DD HH:MM:SS."""

    __slots__ = ()


class Clock(str):
    """A time of day, HH:MM:SS."""

    __slots__ = ()


class Truth(str):
    """true or false."""

    __slots__ = ()


class Missing(str):
    """A cell that holds no value although it isn't empty. `why` is an error's name, or UNCACHED."""

    __slots__ = ("why",)
    why: str

    def __new__(cls, why: str) -> Missing:
        made = super().__new__(cls, "")
        made.why = why
        return made


UNCACHED = "formula"
EMPTY = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the second look at a sheet adds to a cell: its number format, the digits as they are stored, an error's
    name, a formula without a result, a formula that adds up rows above."""

    form: Format | None = None
    exact: str = ""
    error: str = ""
    uncached: bool = False


def is_filled(cell: str) -> bool:
    """Whether anything stands in the cell, an error or a formula without result included."""
    return bool(cell) or type(cell) is Missing


def cell_of(value: object, mark: Mark | None) -> str:
    """The cell for a value as calamine gives it ("" for an empty one) and the mark for it, if any."""
    if mark is not None:
        if mark.error:
            return Missing(mark.error)
        if mark.uncached:
            return Missing(UNCACHED)
    if isinstance(value, Written):
        return value
    if isinstance(value, str):
        return value.replace("\0", "") if value else EMPTY
    if isinstance(value, bool):
        return Truth("true" if value else "false")
    if isinstance(value, (float, int)):
        return _number(value, mark)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return Day(value.isoformat())
    if isinstance(value, time):
        return Clock(value.isoformat("seconds"))
    assert isinstance(value, timedelta)
    hours = Decimal(round(value.total_seconds() * 1000)) / 3_600_000
    return Duration(format(round(hours, 6).normalize(), "f"))


def _moment(value: datetime) -> Moment:
    return Moment(value.isoformat(" ", "microseconds" if value.microsecond else "seconds"))


def _number(value: float, mark: Mark | None) -> str:
    text = mark.exact if mark and mark.exact else plain(value)
    form = mark.form if mark and mark.form else PLAIN
    if form.zeros and text.isdecimal():
        # Shown with leading zeros: a code, not a quantity.
        return text.zfill(form.zeros)
    long = len(text) > _SHORT and "." not in text and len(text.lstrip("-")) > _SHORT
    return Shown(text, form, long=long) if long or form is not PLAIN else Number(text)


def plain(value: float) -> str:
    """A number without an exponent, which by itself would look like a code; a very large or small one with it."""
    if -1e15 < value < 1e15 and value == (whole := int(value)):
        return str(whole)
    text = repr(value)
    if "e" not in text:
        return text
    number = Decimal(text)
    return format(number, "f") if -_WIDE <= number.adjusted() <= _WIDE else f"{value:.17e}"

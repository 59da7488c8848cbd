"""Finds how the numbers of a column are written: decimal mark, thousands mark, currency, percent, negatives.

It sees shapes only: each digit as 9, but the first one as 0 when it is a zero. A way of writing is taken when it fits
every shape of the column and no other way that fits would give another number, or the file says which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from runtime.ingest.lexical import CURRENCY, MISSING, NOT_FINITE, literal

Land = Literal["comma", "point", ""]
"""Which mark the file's other columns prove to be the decimal one."""

_CODES = {
    "€": "EUR",
    "$": "USD",
    "£": "GBP",
    "¥": "JPY",
    "￥": "JPY",
    "円": "JPY",
    "₹": "INR",
    "US$": "USD",
    "Rs": "INR",
    "Rs.": "INR",
}
_SPACES = " \u00a0\u202f\u2009"
_FRACTION = 6
_TELEPHONE = 7  # digits behind a plus sign, from which it may be a telephone number
_DIGITS = 38
_SHORTENED = re.compile(r"-?9(\.9{1,5})?E\+[09]9")
_LONG = 11  # the power of ten from which a cell shows a whole number so
_PARTS = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[-+−])?\s*(?P<before>{CURRENCY})?\s*(?P<inner>[-+−])?\s*(?P<body>[09](?:[09.,'’{_SPACES}]*[09.,])?"
    rf"|[.,][09]+)\s*(?P<share>%)?\s*(?P<after>{CURRENCY})?\s*(?P<close>\))?(?P<last>[-−])?"
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """How a column's numbers are written. `decimal` and `thousands` are the marks ("" for none), `percent` whether each
    value is a share of a hundred, `fraction` and `whole` the most digits behind and before the decimal mark, `dotted`
    whether a point belongs to the currency (Rs.)."""

    decimal: str = "."
    thousands: str = ""
    percent: bool = False
    fraction: int = 0
    whole: int = 1
    notes: tuple[str, ...] = ()
    dotted: bool = False

    def type_name(self) -> str:
        """The DuckDB type that holds every value."""
        fraction = self.fraction + (2 if self.percent else 0)
        if not fraction:
            # Parquet has no wider whole number: there HUGEINT would be rounded to floating point.
            return "BIGINT" if self.whole <= 18 else "DECIMAL(38,0)"
        if fraction > _FRACTION + 2 or self.whole + fraction > _DIGITS:
            return "DOUBLE"
        return f"DECIMAL({18 if self.whole + fraction <= 18 else 38},{fraction})"

    def value(self, text: str) -> Decimal | None:
        """The number that a text writes, None when it writes none."""
        kept = re.sub(self._others(), "", text).replace(",", ".").strip(".")
        if not kept or not _PARTS.fullmatch(shape_of(text)) or kept.count(".") > 1:
            return None
        number = Decimal(kept) / (100 if self.percent else 1)
        return -number if re.search("[-−(]", text) else number

    def _others(self) -> str:
        """What is no part of the number, as a regular expression."""
        others = f"[^0-9{self.decimal}]"
        return rf"Rs\.|{others}" if self.dotted else others

    def sql(self, value: str) -> str:
        """SQL: the number that the text `value` writes, in plain notation."""
        kept = f"regexp_replace({value}, {literal(self._others())}, '', 'g')"
        plain = f"replace({kept}, ',', '.')" if self.decimal == "," else kept
        minus = f"CASE WHEN regexp_matches({value}, '[-−(]') THEN '-' ELSE '' END"
        return self.scaled(f"{minus} || {plain}")

    def scaled(self, number: str) -> str:
        """SQL: what the text `number` in plain notation stands for."""
        if not self.percent:
            return number
        wide = f"DECIMAL(38,{min(self.fraction + 2, 20)})"
        return f"CAST(CAST(CAST({number} AS {wide}) * 0.01 AS {wide}) AS VARCHAR)"


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why no way of writing was taken: one clause for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of one column's values with their counts and an example of each."""

    counts: Mapping[str, int]
    examples: Mapping[str, str]

    def missing(self) -> tuple[str, ...]:
        """Notes about values that stand for nothing: n/a, -, NaN …"""
        notes: list[str] = []
        absent = {shape: n for shape, n in self.counts.items() if shape.lower() in MISSING}
        endless = {shape: n for shape, n in self.counts.items() if shape.lower() in NOT_FINITE}
        if absent:
            shown = ", ".join(repr(each) for each in sorted(absent)[:4])
            many = sum(absent.values())
            notes.append(
                f"1 value {shown} is read as missing"
                if many == 1
                else f"{many:,} values like {shown} are read as missing"
            )
        if endless:
            shown = ", ".join(repr(each) for each in sorted(endless)[:4])
            notes.append(f"{sum(endless.values()):,} not a number or not finite ({shown}): read as missing")
        return tuple(notes)

    def shortened(self) -> str:
        """A note about whole numbers in the form in which spreadsheets show those too long for a cell."""
        long = {shape: text for shape, text in self.examples.items() if _SHORTENED.fullmatch(shape)}
        if not long or any("E" in shape.upper() and shape not in long for shape in self.counts):
            return ""
        if all(int(text.upper().partition("E")[2]) < _LONG for text in long.values()):
            return ""
        many = sum(self.counts[shape] for shape in long)
        return f"{many:,} values like {min(long.values())} are shortened as spreadsheets do: their last digits are lost"

    def present(self) -> tuple[str, ...]:
        return tuple(shape for shape in self.counts if shape.lower() not in MISSING | NOT_FINITE)


def shape_of(text: str) -> str:
    """Each digit as 9, but the first as 0 when it is a zero."""
    nines = re.sub("[0-9]", "9", text)
    return nines.replace("9", "0", 1) if re.match("[^0-9]*0", text) else nines


def numeral_of(shapes: Shapes, land: Land, *, comma_likely: bool) -> Numeral | Unclear | None:
    """How the numbers are written; None when they aren't all numbers. `comma_likely`: the file separates values by
    semicolons, so that a comma before three digits may well be a decimal mark."""
    found: list[re.Match[str]] = []
    for shape in shapes.present():
        match = _PARTS.fullmatch(shape)
        if match is None or bool(match["open"]) != bool(match["close"]):
            return None
        if sum(bool(match[part]) for part in ("sign", "inner", "open", "last")) > 1:
            return None
        if "+" in shape and len(match["body"]) > _TELEPHONE:
            return None
        found.append(match)
    if not found:
        return None
    currencies = _currencies(found, shapes)
    if len(currencies) > 1:
        counted = ", ".join(f"{code} {count:,}" for code, count in sorted(currencies.items()))
        return Unclear(f"amounts in several currencies ({counted}), which cannot be added up")
    shares = sum(bool(match["share"]) for match in found)
    if shares not in (0, len(found)):
        return Unclear("some values are percentages and some are not")
    bodies = [match["body"] for match in found]
    way = _marks(bodies, land, comma_likely=comma_likely)
    if way is None or isinstance(way, Unclear):
        return way
    decimal, thousands, said = way
    digits = [_digits(body, decimal) for body in bodies]
    if max(before for before, _ in digits) > _DIGITS:
        return Unclear(f"numbers of more than {_DIGITS} digits fit no number type")
    notes = [*_spoken(found, shapes, currencies), *said]
    return Numeral(
        decimal,
        thousands,
        bool(shares),
        max(behind for _, behind in digits),
        max(before for before, _ in digits),
        tuple(notes),
        any((match["before"] or match["after"] or "").endswith(".") for match in found),
    )


def parts_of(shape: str) -> tuple[str, str, str] | None:
    """What stands before a number, the number, and what stands behind it; None for what is none."""
    match = _PARTS.fullmatch(shape)
    return (shape[: match.start("body")], match["body"], shape[match.end("body") :]) if match else None


def read_one_way(bodies: Sequence[str]) -> bool:
    """Whether numbers of these shapes are the same in every way of writing that fits them all."""
    return len({_reading(bodies, way) for way in _fitting(bodies)}) == 1


def proves(shapes: Shapes) -> Land:
    """The decimal mark that this column alone proves, if it does."""
    matches = [_PARTS.fullmatch(shape) for shape in shapes.present()]
    bodies = [match["body"] for match in matches if match]
    ways = _fitting(bodies)
    marks = {decimal for decimal, _ in ways if any(decimal in body for body in bodies)}
    if len(bodies) < len(matches) or len(ways) == 0 or len({_reading(bodies, way) for way in ways}) > 1:
        return ""
    return "comma" if "," in marks else "point" if "." in marks else ""


def _fitting(bodies: Sequence[str]) -> list[tuple[str, str]]:
    """(decimal, thousands) for each way of writing that fits all bodies."""
    return [
        (decimal, thousands)
        for decimal, thousands in ((".", ","), (",", "."), (".", "'"), (",", "'"), (".", " "), (",", " "))
        if all(_fits(body, decimal, thousands) for body in bodies)
    ]


def _fits(body: str, decimal: str, thousands: str) -> bool:
    body = re.sub(f"[{_SPACES}]", " ", body).replace("’", "'")
    point, mark = re.escape(decimal), re.escape(thousands)
    grouped = rf"9[09]{{0,2}}(?:{mark}[09]{{3}})+"
    if thousands == ",":
        grouped += r"|9[09]?(?:,[09]{2})*,[09]{3}"
    return bool(re.fullmatch(rf"(?:{grouped}|0|9[09]*)?(?:{point}[09]*)?", body))


def _reading(bodies: Sequence[str], way: tuple[str, str]) -> tuple[tuple[int, int], ...]:
    return tuple(_digits(body, way[0]) for body in bodies)


def _digits(body: str, decimal: str) -> tuple[int, int]:
    """(digits before, digits behind) the decimal mark."""
    before, _, behind = body.partition(decimal)
    return sum(each in "09" for each in before), sum(each in "09" for each in behind)


def _marks(bodies: Sequence[str], land: Land, *, comma_likely: bool) -> tuple[str, str, list[str]] | Unclear | None:
    ways = _fitting(bodies)
    if not ways:
        return None
    if len({_reading(bodies, way) for way in ways}) == 1:
        decimal, thousands = next((way for way in ways if _used(bodies, way)), ways[0])
        return decimal, thousands, _said(bodies, decimal, thousands)
    # Here each mark may be the decimal one: three digits follow it everywhere.
    mark = "," if any("," in body for body in bodies) else "."
    as_decimal = (mark == ",") == (land == "comma") if land else None
    if as_decimal is None and (mark == "." or comma_likely):
        return Unclear(f"the {_word(mark)} may mark thousands or decimals (three digits follow it)")
    if as_decimal:
        if land == "comma" and mark == ",":
            return ",", ".", ["three digits behind every comma; read as decimals like the file's other columns"]
        return Unclear(f"the {_word(mark)} may mark thousands or decimals (three digits follow it)")
    other = "." if mark == "," else ","
    why = "like the file's other columns" if land else "three digits follow it everywhere"
    return other, mark, [f"the {_word(mark)} is read as a thousands mark ({why})"]


def _used(bodies: Sequence[str], way: tuple[str, str]) -> bool:
    text = re.sub(f"[{_SPACES}]", " ", "".join(bodies)).replace("’", "'")
    marks = {mark for mark in ".,' " if mark in text}
    return marks <= set(way)


def _word(mark: str) -> str:
    return {",": "comma", ".": "point", "'": "apostrophe", " ": "space"}[mark]


def _said(bodies: Sequence[str], decimal: str, thousands: str) -> list[str]:
    text = re.sub(f"[{_SPACES}]", " ", "\n".join(bodies)).replace("’", "'")
    notes: list[str] = []
    if decimal == "," and "," in text:
        notes.append("decimal comma")
    if thousands in text:
        indian = thousands == "," and re.search(r"[09],[09]{2},[09]{3}", text)
        notes.append(f"{'lakh grouping (Indian)' if indian else 'thousands'} marked by {_word(thousands)}s")
    return notes


def _currency(match: re.Match[str]) -> str:
    sign = match["before"] or match["after"] or ""
    return _CODES.get(sign, sign)


def _currencies(found: Sequence[re.Match[str]], shapes: Shapes) -> dict[str, int]:
    counts: dict[str, int] = {}
    for match in found:
        if code := _currency(match):
            counts[code] = counts.get(code, 0) + shapes.counts[match.string]
    return counts


def _spoken(found: Sequence[re.Match[str]], shapes: Shapes, currencies: Mapping[str, int]) -> list[str]:
    def count(*parts: str) -> int:
        return sum(shapes.counts[match.string] for match in found if any(match[part] for part in parts))

    notes: list[str] = []
    total = sum(shapes.counts[match.string] for match in found)
    for code, many in currencies.items():
        signs = {match["before"] or match["after"] for match in found} - {None}
        sign = next((each for each in signs if each != code), "")
        shown = f"{code} ({sign})" if sign else code
        rest = f"; {total - many:,} values name none" if many < total else ""
        notes.append(f"currency {shown} taken off {many:,} values{rest}")
    if shares := count("share"):
        notes.append(f"percent read as a fraction (12% = 0.12) in {shares:,} values")
    if opened := count("open"):
        notes.append(f"parentheses read as negative in {opened:,} values")
    if last := count("last"):
        notes.append(f"a minus behind the number read as negative in {last:,} values")
    return notes

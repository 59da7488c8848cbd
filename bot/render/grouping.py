"""Numbers of a result as their reader writes them: thousands apart, the decimal mark of their language; identifiers and
years stay as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from bot.render.text import value_text

_WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|U?INT\d+")
_BROKEN = re.compile(r"DOUBLE|FLOAT|REAL|DECIMAL.*|NUMERIC.*")
_PLAIN = re.compile(r"(-?)(\d{1,40})(?:\.(\d+))?")
# Figures that name something instead of counting it.
_NAMES_SOMETHING = re.compile(
    r"(?i)(^|[\s_.-])(id|ids|key|no|nr|num|number|code|zip|plz|postcode|phone|ean|sku|year|jahr|ref)$"
)
# Names of figures: numbers there are no years, however they look.
_COUNTS_SOMETHING = re.compile(
    r"(?i)(^|[\s_.-])(figure|rows?|count|total|sum|amount|quantity|qty|pieces|change|before|after|part|whole|found|avg|"
    r"average|median|n)$|^(count|sum|total|number|avg|max|min)[\s_(]"
)
_YEARS = range(1800, 2200)
_PADDED = 2  # decimals up to which a column is given as many everywhere: amounts line up


@dataclass(frozen=True, slots=True)
class Numerals:
    """How a language writes numbers: what stands between thousands, the decimal mark, and whether only the last group
    has three digits and the others two, as in India."""

    between: str = ","
    mark: str = "."
    lakhs: bool = False

    def written(self, sign: str, whole: str, decimals: str) -> str:
        """A number given as digits."""
        size = 2 if self.lakhs else 3
        digits, groups = whole[:-3], [whole[-3:]]
        while digits:
            groups.insert(0, digits[-size:])
            digits = digits[:-size]
        return sign + self.between.join(groups) + (self.mark + decimals if decimals else "")


ENGLISH = Numerals()
_POINTS, _BLANKS = Numerals(".", ","), Numerals("\u00a0", ",")
# By Unicode's locale data. A language alone, or with its region where that one differs; whatever is missing is as in
# English, which is how Chinese, Hebrew, Japanese, Korean and Thai write, too.
_NUMERALS = {
    **dict.fromkeys(("da", "de", "el", "es", "hr", "id", "it", "nl", "pt", "ro", "sl", "tr", "vi"), _POINTS),
    **dict.fromkeys(
        ("bg", "cs", "et", "fi", "fr", "hu", "lt", "lv", "nb", "no", "pl", "ru", "sk", "sv", "uk"), _BLANKS
    ),
    **dict.fromkeys(("de-CH", "de-LI", "it-CH"), Numerals("’", ".")),
    **dict.fromkeys(("es-419", "es-LA", "es-MX", "es-US"), ENGLISH),
    **dict.fromkeys(("en-IN", "hi", "bn-IN", "ta-IN"), Numerals(lakhs=True)),
    **dict.fromkeys(("de-AT", "pt-PT", "en-ZA"), _BLANKS),
}


def numerals_of(locale: str) -> Numerals:
    """The numerals of a locale such as `de-DE` or `pt_BR`; English ones when it is empty or unknown."""
    whole = locale.replace("_", "-")
    return _NUMERALS.get(whole) or _NUMERALS.get(whole.split("-")[0]) or ENGLISH


def grouped(
    value: object, name: str, kind: str, numerals: Numerals = ENGLISH, decimals: int = 0, *, years: bool = True
) -> object:
    """`value` of a column as text like `1,234,567.5` where that helps reading, else `value` itself. `kind`: the
    column's type in DuckDB's names. `decimals`: how many a broken number is given at least. `years`: a whole number of
    four digits may be a year and stays as it is."""
    whole = _WHOLE.fullmatch(kind) is not None
    match = _number(value, name, kind)
    if match is None or (whole and (len(match[2]) < 4 or (years and len(match[2]) == 4))):
        return value
    shown = (match[3] or "").ljust(0 if whole else decimals, "0")
    if shown == (match[3] or "") and len(match[2]) < 4 and not (shown and numerals.mark != "."):
        return value
    return numerals.written(match[1], str(int(match[2])), shown)


def decimals_of(values: Sequence[object], name: str, kind: str) -> int:
    """With how many decimals the numbers of a column line up: the most that one has, when that is few; else 0."""
    found = [len(match[3] or "") for value in values if (match := _number(value, name, kind))]
    return most if found and (most := max(found)) <= _PADDED else 0


def may_be_years(values: Sequence[object], name: str, kind: str) -> bool:
    """Whether the whole numbers of four digits in a column may all be years: not where one could be none, or where the
    column's name is that of a figure."""
    if not _WHOLE.fullmatch(kind) or _COUNTS_SOMETHING.search(name):
        return False
    found = [
        int(match[1] + match[2]) for value in values if (match := _number(value, name, kind)) and len(match[2]) >= 4
    ]
    return all(number in _YEARS for number in found)


def _number(value: object, name: str, kind: str) -> re.Match[str] | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    if not (_WHOLE.fullmatch(kind) or _BROKEN.fullmatch(kind)) or _NAMES_SOMETHING.search(name):
        return None
    return _PLAIN.fullmatch(value_text(value))

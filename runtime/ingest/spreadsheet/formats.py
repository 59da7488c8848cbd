"""What the number formats of a workbook show: percent, leading zeros, currencies, units. Dates are seen elsewhere."""

from __future__ import annotations

import re

from runtime.ingest.spreadsheet.cells import Format

_BUILT_IN = {9: "0%", 10: "0.00%"}
_LOCALE = re.compile(r"\[\$([^\]-]*)(?:-[0-9A-Fa-f]+)?\]")
_ASIDE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')
_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_CODES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "CHF": "CHF"}
_SCALED = re.compile(r"[0#?](,+)(?![0#?,])")
_ISO = re.compile(r"[A-Z]{3}")


def format_of(code: str) -> Format | None:
    """What a number format code adds to a number, None when nothing."""
    first = code.split(";")[0]
    bare = _ASIDE.sub("", first).strip()
    currency = _currency(first)
    form = Format(
        percent="%" in bare,
        zeros=len(bare) if re.fullmatch("0{2,}", bare) else 0,
        currency=currency,
        unit="" if currency else _unit(first),
        thousands=len(scaled[1]) if (scaled := _SCALED.search(bare)) else 0,
    )
    return form if form != Format() else None


def _currency(code: str) -> str:
    signs = [match[1].strip() for match in _LOCALE.finditer(code)]
    rest = _LOCALE.sub("", code)
    signs += [(match[1] or match[2] or "").strip() for match in _QUOTED.finditer(rest)]
    signs += [each for each in _CODES if each in _ASIDE.sub("", rest)]
    for sign in signs:
        if sign in _CODES:
            return _CODES[sign]
        if _ISO.fullmatch(sign):
            return sign
    return ""


def _unit(code: str) -> str:
    """The words that a format puts around a number, nothing for signs alone."""
    words = " ".join((match[1] or match[2] or "").strip() for match in _QUOTED.finditer(_LOCALE.sub("", code))).strip()
    return words if any(map(str.isalpha, words)) else ""


def formats_of(codes: dict[int, str], styles: list[int]) -> dict[str, Format]:
    """The formats that add something, by the style index as cells write it. `codes` are a workbook's own formats by id,
    `styles` the format id of each cell style."""
    found: dict[str, Format] = {}
    for place, number in enumerate(styles):
        form = format_of(codes.get(number) or _BUILT_IN.get(number, ""))
        if form:
            found[str(place)] = form
    return found

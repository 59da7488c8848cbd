"""Numbers of a result as people read them: thousands apart; identifiers and years stay as they are."""

from __future__ import annotations

import re
from decimal import Decimal

from bot.render.text import value_text

_WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|U?INT\d+")
_BROKEN = re.compile(r"DOUBLE|FLOAT|REAL|DECIMAL.*|NUMERIC.*")
_PLAIN = re.compile(r"(-?)(\d{4,})(\.\d+)?")
# Figures that name something instead of counting it.
_NAMES_SOMETHING = re.compile(
    r"(?i)(^|[\s_.-])(id|ids|key|no|nr|num|number|code|zip|plz|postcode|phone|ean|sku|year|jahr|ref)$"
)
_WHOLE_FROM = 5  # a whole number of four digits may be a year, whatever its column is called


def grouped(value: object, name: str, kind: str) -> object:
    """`value` of a column as text like `1,234,567.5` where that helps reading, else `value` itself. `kind`: the
    column's type in DuckDB's names."""
    whole = _WHOLE.fullmatch(kind) is not None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return value
    if not (whole or _BROKEN.fullmatch(kind)) or _NAMES_SOMETHING.search(name):
        return value
    match = _PLAIN.fullmatch(value_text(value))
    if match is None or (whole and len(match[2]) < _WHOLE_FROM) or len(match[2]) > 40:
        return value
    return f"{match[1]}{int(match[2]):,}{match[3] or ''}"

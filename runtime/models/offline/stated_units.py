"""The unit of a column's figures, as its name, the notes on how it was read or the database's comment state it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime.models.offline.lexicon import CURRENCIES, UNITS
from runtime.models.offline.tokens import stem

# One currency for every value, as reading a file notes it.
_TAKEN_OFF = re.compile(r"^currency (?P<unit>[A-Z]{3})\b(?! .*values name none)")
# A comment that begins with the unit: "Euros a month", "In kg", "Unit: minutes".
_LEADS = re.compile(r"(?i)^\s*(?:in\s+|units?\s*:\s*)?(?P<unit>[a-z]+|[€$£¥])(?![\w-])")


def stated_unit(words: Sequence[str], notes: Sequence[str] = (), comment: str = "") -> str | None:
    """The unit among those that are known, or a currency's code; None where none or more than one is stated."""
    named = next((UNITS[word] for word in reversed(words) if word in UNITS), None)
    if named is not None:
        return named
    noted = [found["unit"] for note in notes if (found := _TAKEN_OFF.match(note))]
    if noted:
        return noted[0] if len(noted) == 1 else None
    said = _LEADS.match(comment)
    if said is None:
        return None
    unit = said["unit"]
    return CURRENCIES.get(unit.casefold()) or CURRENCIES.get(stem(unit)) or UNITS.get(stem(unit))

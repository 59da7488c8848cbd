"""Makes the cells of each column mean one thing before their type is decided, and says what that took."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal

from runtime.ingest.columns import ColumnType
from runtime.ingest.dialect import is_value
from runtime.ingest.lexical import MISSING, NOT_FINITE
from runtime.ingest.spreadsheet.cells import (
    EMPTY,
    PLAIN,
    UNCACHED,
    Clock,
    Day,
    Duration,
    Format,
    Missing,
    Moment,
    Number,
    Shown,
    Truth,
)

_EPOCH, _EPOCH_1904 = date(1899, 12, 30), date(1904, 1, 1)
_SERIALS = range(20_000, 80_000)
"""Day counts taken for dates, beside real dates: 1954 to 2119, or four years later where days count from 1904."""
_DATE_WORD = re.compile(r"(^|[\W_])(dates?|datum|fecha|data|dato)([\W_]|$)", re.IGNORECASE)
_NUMBERS = ("BIGINT", "HUGEINT", "DOUBLE", "DECIMAL")
_SHARE = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?\s*%")
_ABSENT = MISSING | NOT_FINITE
_TRUTH = ("true", "false", "")
_SHOWN = 4


@dataclass(slots=True)
class SheetColumn:
    """A column's name, how many of its cells have which class, what was said about it, whether its texts are codes
    although all of them are digits, and how many cells are text that doesn't stand for a missing value."""

    name: str
    classes: Counter[type[str]] = field(default_factory=Counter[type[str]])
    notes: list[str] = field(default_factory=list[str])
    codes: bool = False
    texts: int = 0

    def honest(self, decided: ColumnType) -> ColumnType:
        """The decided type as far as the classes of the cells allow it."""
        kinds = [kind for kind in self.classes if kind is not Missing]
        texts = self.texts
        if decided.name.startswith(_NUMBERS) and kinds == [str] and self.codes:
            return ColumnType("VARCHAR", "digits stored as text, all of one length: kept as text, like codes")
        if decided.name.startswith(_NUMBERS) and texts:
            said = f"{_counted(texts, 'number')} stored as text read as {'a number' if texts == 1 else 'numbers'}"
            return replace(decided, note=_joined(decided.note, said))
        if decided.name in ("DATE", "TIMESTAMP") and texts and len(kinds) > 1:
            said = f"{_counted(texts, 'date')} stored as text read as {'a date' if texts == 1 else 'dates'}"
            return replace(decided, note=_joined(decided.note, said))
        return decided


def settle(rows: list[list[str]], names: Sequence[str], *, from_1904: bool) -> list[SheetColumn]:
    """Changes `rows` where a cell's meaning follows from its column, and describes each column."""
    columns: list[SheetColumn] = []
    for place, name in enumerate(names):
        column = SheetColumn(name)
        cells = [row[place] for row in rows]
        column.classes = _classes(cells)
        new = _dates(column, cells, from_1904=from_1904)
        new = _unlike_thousands(_units(column, _currencies(column, _shares(column, new))))
        if new is not cells:
            for row, cell in zip(rows, new, strict=True):
                row[place] = cell
            column.classes = _classes(new)
        _say(column, new)
        column.texts = sum(type(cell) is str and not _absent(cell) for cell in new if cell)
        if set(column.classes) - {Missing} == {str}:
            lengths = {len(cell.strip()) for cell in new if cell}
            column.codes = len(lengths) == 1 and lengths.pop() > 2 and all(not c or c.strip().isdecimal() for c in new)
        columns.append(column)
    return columns


def _classes(cells: Sequence[str]) -> Counter[type[str]]:
    return Counter(type(cell) for cell in cells if cell or type(cell) is Missing)


def _dates(column: SheetColumn, cells: list[str], *, from_1904: bool) -> list[str]:
    """Bare day numbers among dates are dates, and a zero shown as a date is none."""
    real = column.classes[Day] + column.classes[Moment]
    numbers = [cell for cell in cells if type(cell) is Number]
    bare = [cell for cell in numbers if cell.isdecimal() and int(cell) in _SERIALS]
    others = set(column.classes) - {Day, Moment, Number, Missing}
    named = bool(_DATE_WORD.search(column.name)) and not real and not others
    zeros = sum(cell == "00:00:00" for cell in cells if type(cell) is Clock) if real else 0
    turn = bool(bare) and len(bare) == len(numbers) and (real > 0 or named) and not any(c.form.percent for c in numbers)
    if not turn and not zeros:
        return cells
    epoch = _EPOCH_1904 if from_1904 else _EPOCH
    if turn:
        why = "like the others" if real else "by the column's name"
        column.notes.append(f"{_counted(len(bare), 'bare day number')} (date serials) read as dates, {why}")
    if zeros:
        column.notes.append(f"{_counted(zeros, 'zero')} shown as a date read as missing")
    return [
        Day((epoch + timedelta(days=int(cell))).isoformat())
        if turn and type(cell) is Number
        else EMPTY
        if type(cell) is Clock and zeros and cell == "00:00:00"
        else cell
        for cell in cells
    ]


def _shares(column: SheetColumn, cells: list[str]) -> list[str]:
    """Percentages written as text among numbers with a percent format become fractions like them."""
    numbers = [cell for cell in cells if isinstance(cell, Number)]
    texts = [cell for cell in cells if type(cell) is str and cell and not _absent(cell)]
    if not texts or not numbers or not all(cell.form.percent for cell in numbers):
        return cells
    if not all(_SHARE.fullmatch(cell.strip()) for cell in texts):
        return cells
    column.notes.append(f"{_counted(len(texts), 'percentage')} stored as text read like the others")
    return [_fraction(cell) if type(cell) is str and _SHARE.fullmatch(cell.strip()) else cell for cell in cells]


def _fraction(text: str) -> Shown:
    value = Decimal(text.strip().rstrip("% ").replace(",", ".")) / 100
    return Shown(format(value, "f"), Format(percent=True), long=False)


def _currencies(column: SheetColumn, cells: list[str]) -> list[str]:
    """Amounts that their number formats show in several currencies carry it, so that nobody adds them up."""
    found = Counter(cell.form.currency for cell in cells if isinstance(cell, Number) and cell.form.currency)
    if len(found) == 1:
        ((code, count),) = found.items()
        column.notes.append(f"currency {code} by the number format of {_counted(count, 'cell')}")
    if len(found) < 2:
        return cells
    return [
        f"{cell.form.currency} {cell}" if isinstance(cell, Number) and cell.form.currency else cell for cell in cells
    ]


def _units(column: SheetColumn, cells: list[str]) -> list[str]:
    """Amounts that their number formats show in several units carry them, so that nobody adds them up."""
    numbers = [cell for cell in cells if isinstance(cell, Number)]
    found = Counter(cell.form.unit for cell in numbers if cell.form.unit)
    if scaled := Counter(cell.form.thousands for cell in numbers if cell.form.thousands):
        shown = {1: "thousands", 2: "millions"}.get(max(scaled), "billions")
        column.notes.append(
            f"{_counted(scaled.total(), 'value')} shown in {shown} by the number format, but read in full as stored"
        )
    if not found:
        return cells
    shown = ", ".join(f"{unit!r} {count:,}" for unit, count in sorted(found.items())[:_SHOWN])
    if len(found) == 1:
        column.notes.append(f"shown with {shown} by the number format")
        return cells
    column.notes.append(f"amounts in several units by the number format ({shown}), which cannot be added up")
    return [f"{cell} {cell.form.unit}" if isinstance(cell, Number) and cell.form.unit else cell for cell in cells]


def _unlike_thousands(cells: list[str]) -> list[str]:
    """One zero more behind three decimals: that this point marks decimals is certain, and in a column of numbers it has
    to look so. Beside words numbers stay as they are, since the column is text."""
    if not any(isinstance(cell, Number) and cell[-4:-3] == "." for cell in cells):
        return cells
    if not all(isinstance(cell, Number) or is_value(cell.strip()) or _absent(cell) for cell in cells if cell):
        return cells
    return [_longer(cell) if isinstance(cell, Number) and cell[-4:-3] == "." else cell for cell in cells]


def _longer(cell: Number) -> Number:
    return Shown(f"{cell}0", cell.form, long=False) if cell.form is not PLAIN else type(cell)(f"{cell}0")


def _absent(cell: str) -> bool:
    return cell.strip().lower() in _ABSENT


def _say(column: SheetColumn, cells: Sequence[str]) -> None:
    missing = Counter(cell.why for cell in cells if type(cell) is Missing)
    if uncached := missing.pop(UNCACHED, 0):
        have = "has" if uncached == 1 else "have"
        column.notes.append(
            f"{_counted(uncached, 'formula')} {have} no stored result (never calculated): read as missing"
        )
    if missing:
        kinds = ", ".join(f"{why} {count:,}" for why, count in sorted(missing.items())[:_SHOWN])
        column.notes.append(f"{_counted(missing.total(), 'error cell')} ({kinds}) read as missing")
    numbers = [cell for cell in cells if isinstance(cell, Number)]
    shares = sum(cell.form.percent for cell in numbers)
    if shares:
        others = len(numbers) - shares
        have = "has" if others == 1 else "have"
        rest = f"; {_counted(others, 'other number')} {have} no percent format" if others else ""
        column.notes.append(f"percent format: {_counted(shares, 'value')} as fractions (12% = 0.12){rest}")
    if hours := column.classes[Duration]:
        column.notes.append(f"{_counted(hours, 'length')} of time read as hours (7:30 = 7.5)")
    if column.classes[Clock]:
        column.notes.append("times of day are kept as text, HH:MM:SS")
    if long := [cell for cell in numbers if cell.long]:
        cut = sum(cell[15 + cell.startswith("-") :].strip("0") == "" for cell in long)
        lost = f"; {cut:,} end in zeros where the program keeps 15 digits, so the rest may be lost" if cut else ""
        column.notes.append(f"{_counted(len(long), 'number')} of more than 15 digits read exactly as stored{lost}")
    if column.classes[Truth] and any(cell.strip().lower() not in _TRUTH for cell in cells if type(cell) is not Missing):
        column.notes.append("true and false stand among other values; column kept as text")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)

"""Cells of a result as a chart takes them: numbers that can be drawn, labels that can be read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime

from runtime.charts.model import Field, Scale
from runtime.errors import CallError

NO_VALUE, EMPTY = "(no value)", "(empty)"
LARGEST = 1e100  # beyond it the drawing library's own arithmetic overflows
_NUMERIC = re.compile(
    r"(?i)^(u?(tiny|small|medium|big|huge)?int(eger)?\d*|real|float\d*|double( precision)?|decimal|numeric|number)\b"
)
_MOMENT = re.compile(r"^\d{4}-\d{2}(-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?)?")
_LEAST_MOMENTS = 3


def refused(message: str, hint: str) -> CallError:
    """The one error of this package."""
    return CallError("chart_refused", message, hint=hint, retryable=True)


def numeric(field: Field, cells: Sequence[object]) -> bool:
    """Whether the column holds numbers: by its type, else by its cells."""
    if _NUMERIC.match(field.type):
        return True
    found = [cell for cell in cells if cell is not None]
    untyped = not field.type or field.type.upper() == "ANY"
    return untyped and bool(found) and all(isinstance(c, int | float) and not isinstance(c, bool) for c in found)


def numbers(field: Field, cells: Sequence[object]) -> tuple[float | None, ...]:
    """The column's numbers, None for NULL. Raises CallError `chart_refused` for what no axis can show."""
    return tuple(None if cell is None else _number(field.name, cell) for cell in cells)


def _number(column: str, cell: object) -> float:
    try:
        value = float(cell)  # type: ignore[arg-type]  # long exact numbers travel as text
    except (TypeError, ValueError, OverflowError) as error:
        raise refused(
            f"{column} holds a value that is no number: {str(cell)[:40]!r}.", "CAST it in the SQL."
        ) from error
    if not math.isfinite(value) or abs(value) > LARGEST:
        what = "too large to be drawn" if math.isfinite(value) else "not finite (NaN or infinity)"
        hint = "Leave such rows out with isfinite(…) or nullif(…, 0) in the SQL, and say how many there were."
        raise refused(f"{column} holds a value that is {what}.", hint)
    return value


def label(cell: object) -> str:
    """A label's text: NULL and '' can be told apart."""
    if cell is None:
        return NO_VALUE
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and abs(cell) < 1e15 and cell.is_integer():
        return str(int(cell))
    return str(cell) if str(cell).strip() else EMPTY


def scale_of(field: Field, cells: Sequence[object]) -> Scale:
    """Whether labels are moments of one shape, numbers in an order of their own, or plain names."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    if len(texts) == len(cells) and len(texts) >= _LEAST_MOMENTS and len({len(text) for text in texts}) == 1:
        try:
            for text in texts:
                moment(text)
        except ValueError:
            return "category"
        return "time"
    return "ordered" if numeric(field, cells) else "category"


def moment(text: str) -> datetime:
    """An ISO date or moment as it is read on the wall: a time zone is left off. Raises ValueError."""
    found = _MOMENT.match(text)
    if found is None:
        raise ValueError(f"no moment: {text[:40]!r}")
    whole = text if len(text) > len("2026-01") else f"{text}-01"
    return datetime.fromisoformat(whole).replace(tzinfo=None)

"""A preview and a receipt as people are shown them: typed cells, the columns that matter, rows before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from runtime.engines.postgresql.updates.preview import Preview
from runtime.engines.update_port import Change, Receipt, Restoration, RowVersion, ShownChange
from runtime.errors import CallError
from runtime.evidence import Column, Json
from runtime.state import Effect

_WHOLE_NUMBERS = frozenset({"smallint", "integer", "bigint"})
_EXACT_TO = 2**53


def shown(preview: Preview) -> ShownChange:
    """The keys, what is filtered by and what is set, of all rows."""
    change = preview.change
    filtered = [each.column for each in change.conditions]
    names = list(dict.fromkeys([*preview.facts.primary_key, *filtered, *change.columns]))
    types = {name: preview.facts.columns[name].base for name in names}
    places = [preview.readable.index(name) for name in names]
    before = [[row.cells[at] for at in places] for row in preview.rows]
    after = list[list[str | None]]()
    for row, texts in zip(preview.rows, before, strict=True):
        new = dict(zip(change.columns, row.after, strict=True))
        after.append([new.get(name, text) for name, text in zip(names, texts, strict=True)])
    return ShownChange(
        fingerprint=preview.fingerprint,
        columns=tuple(Column(name, types[name]) for name in names),
        keys=preview.facts.primary_key,
        before=_rows(before, names, types),
        after=_rows(after, names, types),
        masked=preview.masked,
        warnings=preview.warnings,
        approvers=preview.rule.approver_rule(),
    )


def receipt_of(effect: Effect) -> Receipt:
    """The receipt of a change that is done."""
    images = cast(Mapping[str, Any], effect.images)
    keys, columns, types = images["keys"], images["columns"], images["types"]
    names = [*keys, *columns]
    rows = [(key, before, after) for key, _, before, after in images["rows"]]
    return Receipt(
        id=effect.id,
        table=str(effect.request["table"]),
        columns=tuple(Column(name, types[name]) for name in names),
        keys=tuple(keys),
        before=_rows([[*key, *before] for key, before, _ in rows], names, types),
        after=_rows([[*key, *after] for key, _, after in rows], names, types),
        at=effect.changed_at.isoformat() if effect.changed_at else "",
    )


def undoing(effect: Effect) -> Change:
    """The change that gives the rows their earlier values. Raises CallError for a change that is not done."""
    if effect.state != "done":
        raise CallError("update_refused", f"The change {effect.id} was not carried out, so there is nothing to undo.")
    images = cast(Mapping[str, Any], effect.images)
    count = len(images["set"])
    rows = tuple(
        RowVersion(tuple(key), xmin, tuple(before[:count])) for key, xmin, before, _ in images["rows"]
    )  # the columns that were set come first
    restore = Restoration(effect.id, tuple(images["set"]), rows)
    return Change(effect.source, str(effect.request["table"]), restore=restore)


def _rows(
    rows: Sequence[Sequence[str | None]], names: Sequence[str], types: Mapping[str, str]
) -> tuple[tuple[Json, ...], ...]:
    return tuple(tuple(cell(text, types[name]) for text, name in zip(row, names, strict=True)) for row in rows)


def cell(text: str | None, type_: str) -> Json:
    """A value from its text: whole numbers that every reader holds exactly, true and false; all else as the text."""
    if text is None:
        return None
    if type_ == "boolean":
        return text == "true"
    if type_ in _WHOLE_NUMBERS and abs(int(text)) <= _EXACT_TO:
        return int(text)
    return text

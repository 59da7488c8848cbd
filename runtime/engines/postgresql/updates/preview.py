"""The exact preview of a change: which rows, in which version, what stands in them and what would."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import psycopg

from runtime.admission.manifest import UpdateRule
from runtime.catalog import CatalogTable
from runtime.engines.postgresql.connections import Connection, fetch
from runtime.engines.postgresql.updates import statements
from runtime.engines.postgresql.updates.judging import judged
from runtime.engines.postgresql.updates.statements import Shape, Statement
from runtime.engines.postgresql.updates.table_facts import TableFacts, table_facts
from runtime.engines.postgresql.updates.usual_values import unusual
from runtime.engines.update_port import Change, Restoration, Scalar, Terms
from runtime.errors import CallError
from runtime.limits import Limits

Texts = tuple[str | None, ...]

_BEFORE_CONDITIONS, _BACK_TO_CONDITIONS = b"SAVEPOINT conditions", b"ROLLBACK TO SAVEPOINT conditions"
_MOVING = re.compile(r"\b(now|today|tomorrow|yesterday)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RowImage:
    """One row: its key, its version, the texts of the readable columns, and the new texts of the assigned ones."""

    key: tuple[str, ...]
    xmin: str
    cells: Texts
    after: Texts = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """Exactly what would happen. `fingerprint` stands for all of it. `may_change` are columns that the database may
    change beside the assigned ones, `masked` those whose values the model must not see, `closed` those that are not
    open here and that a trigger may write: they are compared, and neither kept nor shown."""

    fingerprint: str
    change: Change
    rule: UpdateRule
    terms: Terms
    facts: TableFacts
    readable: tuple[str, ...]
    closed: tuple[str, ...]
    masked: frozenset[str]
    may_change: frozenset[str]
    rows: tuple[RowImage, ...]
    warnings: tuple[str, ...]

    @property
    def shape(self) -> Shape:
        return shape_of(self.change, self.facts, self.readable)

    @property
    def keys_shown(self) -> bool:
        """Whether errors, which the model reads, may name rows by their keys."""
        return self.terms.shows_values and not self.masked & set(self.facts.primary_key)

    def before(self, row: RowImage) -> Texts:
        """What stands in the assigned columns of a row."""
        return tuple(row.cells[self.readable.index(name)] for name in self.change.columns)


def shape_of(change: Change, facts: TableFacts, readable: tuple[str, ...]) -> Shape:
    """The shape in which the rows of a change are read; what is set or filtered by is kept whole."""
    return Shape(facts, readable, frozenset((*change.columns, *(each.column for each in change.conditions))))


async def take(
    connection: Connection, change: Change, rule: UpdateRule, table: CatalogTable, terms: Terms, limits: Limits
) -> Preview:
    """The preview on an open snapshot. Raises CallError `update_refused`, `too_many_rows`, `state_changed` (rows of a
    restoration that are no longer as the receipt left them), psycopg.Error."""
    facts = await _facts(connection, change, table)
    found = judged(change, rule, table, facts)
    shape = shape_of(change, facts, found.readable)
    most = min(rule.max_rows, limits.update_rows)
    if change.restore is not None:
        rows, warnings = await _restored(connection, shape, change.restore, most), list[str]()
    else:
        after, warnings = await _new_texts(connection, change, facts)
        news = [(name, text) for name, text in zip(change.columns, after, strict=True) if name not in found.masked]
        warnings += await unusual(connection, facts, news, values_shown=terms.shows_values)
        rows = await _fitting(connection, shape, change, after, most, limits)
    made = Preview(
        "", change, rule, terms, facts, found.readable, found.closed, found.masked, found.may_change, rows,
        (*warnings, *found.warnings),
    )  # fmt: skip
    return replace(made, fingerprint=_fingerprint(made), warnings=(*_already(made), *made.warnings))


async def fit_for(connection: Connection, change: Change, rule: UpdateRule, table: CatalogTable) -> tuple[str, ...]:
    """What people would be warned of, whatever the rows and values. Raises CallError `update_refused`."""
    return judged(change, rule, table, await _facts(connection, change, table)).warnings


async def _facts(connection: Connection, change: Change, table: CatalogTable) -> TableFacts:
    facts = await table_facts(connection, table.schema, table.name)
    if facts is None:
        raise CallError(
            "update_refused", f"The role of the updates sees no table {change.table}.", hint="Tell an operator."
        )
    return facts


def images(shape: Shape, found: Sequence[tuple[str | None, ...]]) -> list[RowImage]:
    """Rows of the select list of a shape."""
    count = len(shape.keys)
    return [RowImage(tuple(map(str, row[:count])), str(row[count]), tuple(row[count + 1 :])) for row in found]


async def run(connection: Connection, statement: Statement) -> list[tuple[str | None, ...]]:
    """All rows of a statement."""
    return await fetch(connection, statement.sql, statement.values)


async def _new_texts(connection: Connection, change: Change, facts: TableFacts) -> tuple[Texts, list[str]]:
    """The new values as the columns' types read them, and what of them has to be told."""
    texts, told = list[str | None](), list[str]()
    for each in change.assignments:
        column = facts.columns[each.column]
        if each.value is None and column.not_null:
            raise _bad_value(each.column, "it must not be empty")
        if column.category == "D" and (moving := _MOVING.search(str(each.value))):
            raise _bad_value(each.column, f"{moving[0]!r} is another moment whenever it is read; write the moment out")
        declared, whole = await _read(connection, facts, each.column, each.value)
        if declared != whole and not (column.category == "N" and _same_number(declared, whole)):
            if column.category in "SV":
                raise _bad_value(each.column, f"it is longer than {column.full} holds")
            told.append(f"{each.column} is rounded to {declared}, as {column.full} holds it.")
        if column.category in "SZ" and _cut(statements.as_text(each.value), declared):
            raise _bad_value(each.column, f"it is longer than {column.full} holds")
        texts.append(declared)
    return tuple(texts), told


def _cut(given: str | None, kept: str | None) -> bool:
    """Whether a type that has a length without saying so, such as `name`, left something out. Trailing blanks of
    char(n) count for nothing."""
    return given is not None and kept is not None and given.rstrip(" ") != kept and given.startswith(kept)


def _same_number(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and Decimal(one) == Decimal(other)


async def _read(connection: Connection, facts: TableFacts, column: str, value: Scalar) -> tuple[str | None, ...]:
    """A value as its column holds it, and as the type without its bounds would."""
    try:
        (texts,) = await run(connection, statements.rendering(facts, column, value))
    except ValueError as error:
        raise _bad_value(column, str(error)) from error
    except psycopg.DataError as error:
        raise _bad_value(column, f"it is no {facts.columns[column].full}") from error
    return texts


def _bad_value(column: str, why: str) -> CallError:
    return CallError(
        "update_refused", f"The value for {column} does not fit: {why}.", hint="Give another value.", retryable=True
    )


async def _fitting(
    connection: Connection, shape: Shape, change: Change, after: Texts, most: int, limits: Limits
) -> tuple[RowImage, ...]:
    try:
        statement = statements.matching(shape, change.conditions, most)
        measure = statements.measuring(shape, change.conditions, most)
    except ValueError as error:
        raise CallError("update_refused", f"A condition's value can't be used: {error}.", retryable=True) from error
    await connection.execute(_BEFORE_CONDITIONS)
    try:
        ((size,),) = await run(connection, measure)
    except (psycopg.DataError, psycopg.errors.UndefinedFunction) as error:
        raise await _unfit(connection, shape, change, error) from error
    _within_size(int(size or 0), limits)
    found = images(shape, await run(connection, statement))
    if len(found) > most:
        ((count,),) = await run(connection, statements.counting(shape, change.conditions))
        raise CallError(
            "too_many_rows",
            f"{int(count or 0):,} rows of {change.table} fit; at most {most:,} may be changed at once.",
            hint="Narrow the conditions, or say so: an operator sets the bound.",
            retryable=True,
            details={"rows": count, "most": most},
        )
    return tuple(replace(row, after=after) for row in found)


async def _unfit(connection: Connection, shape: Shape, change: Change, error: psycopg.Error) -> Exception:
    """The error for the condition that the database can't read; the database's own where none fails by itself."""
    for each in change.conditions:
        await connection.execute(_BACK_TO_CONDITIONS)
        try:
            await run(connection, statements.counting(shape, [each]))
        except psycopg.DataError:
            return _bad_condition(each.column, f"it is no {shape.facts.columns[each.column].full}")
        except psycopg.errors.UndefinedFunction:
            return _bad_condition(each.column, f"{shape.facts.columns[each.column].full} can't be compared so")
    return error


def _bad_condition(column: str, why: str) -> CallError:
    return CallError(
        "update_refused",
        f"The condition on {column} does not fit: {why}.",
        hint="Give another value or operator, or filter by another column.",
        retryable=True,
    )


async def _restored(connection: Connection, shape: Shape, restore: Restoration, most: int) -> tuple[RowImage, ...]:
    if (count := len(restore.rows)) > most:
        raise CallError(
            "too_many_rows",
            f"The change {restore.receipt} has {_rows(count)}; by now at most {most:,} may be changed at once.",
            hint="Ask for new changes of fewer rows each, or say so: an operator sets the bound.",
            details={"rows": count, "most": most},
        )
    statement = statements.by_keys(shape, [row.key for row in restore.rows], locked=False)
    now = {row.key: row for row in images(shape, await run(connection, statement))}
    if gone := [row for row in restore.rows if row.key not in now]:
        raise _moved_on(f"{_rows(len(gone))} of the change {_are(len(gone))} no longer there")
    if touched := [row for row in restore.rows if now[row.key].xmin != row.xmin]:
        raise _moved_on(f"{_rows(len(touched))} of the change {_were(len(touched))} changed since")
    return tuple(replace(now[row.key], after=row.texts) for row in restore.rows)


def _moved_on(what: str) -> CallError:
    return CallError(
        "state_changed", f"It can't be undone: {what}.", hint="Nothing was run. Ask for a new change instead."
    )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _within_size(size: int, limits: Limits) -> None:
    if size > limits.update_image_bytes:
        raise CallError(
            "too_many_rows",
            f"The rows hold {size:,} bytes together; at most {limits.update_image_bytes:,} can be compared and kept.",
            hint="Narrow the conditions.",
            retryable=True,
        )


def _already(preview: Preview) -> list[str]:
    if preview.masked & set(preview.change.columns):  # the model reads warnings, and would learn what stands there
        return []
    same = sum(preview.before(row) == row.after for row in preview.rows)
    return [f"{_rows(same)} {'has' if same == 1 else 'have'} these values already."] if same else []


def _fingerprint(preview: Preview) -> str:
    """sha256 over the change, the table's facts, every row with its version, and for whom and how long."""
    parts = [
        preview.change.as_json(),
        preview.facts.oid,
        preview.facts.digest,
        len(preview.rows),
        [[row.key, row.xmin, row.cells, row.after] for row in preview.rows],
        preview.terms.policy_revision,
        preview.terms.requester,
        preview.rule.model_dump(mode="json"),
    ]
    body = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(body.encode()).hexdigest()

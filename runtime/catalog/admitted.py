"""The admitted part of a structure: whatever the manifest doesn't admit is taken out before anybody sees it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runtime.admission.manifest import AllowDeny, ColumnRules
from runtime.catalog.structure import CatalogColumn, CatalogTable, ClosedView, ForeignKey, Structure, TableKind

_VIEWS = (TableKind.VIEW, TableKind.MATERIALIZED_VIEW)
_WORD = re.compile(r"\w+")

Matches = Callable[[Iterable[str]], bool]


def admitted(
    structure: Structure, tables: AllowDeny, columns: ColumnRules, schemas: Sequence[str] | None = None
) -> Structure:
    """The part of `structure` that exists for people and model; `schemas` None admits every schema.

    Patterns know `*` (anything) and `?` (one character) and are matched with a whole name: a table's `schema.name`,
    or its bare name; a column's `schema.table.column`, with or without what stands before a dot. In doubt a name is
    denied: what denies or masks is matched whatever the case, and what allows only in the case in which PostgreSQL
    keeps the name, there with its schema. A view exists when all that it reads, down to the tables, exists with every
    column; a computed column, when no column of its table is denied. Where one is masked, the whole view and the
    computed columns are. A table shows the rows of its partitions and heirs: what is said of those holds for it, too.
    The rows of an heir are rows of the table that it inherits from: what denies or masks that one means the heir as
    well, and a column that holds whole rows of a table what is said of its columns. A key with a denied column isn't
    one; a comment that names what doesn't exist is withheld.
    The revision also stands for the rules, so that nothing kept by revision outlives them."""
    rules = _Rules.of(structure, tables, columns, schemas)
    candidates = _without_denied_rows(
        [_without_denied_columns(item, rules) for item in structure.tables if rules.admit(item)]
    )
    kept = _existing(candidates)
    hidden = _Hidden.of(structure, kept)
    shown = tuple(_tied(kept[table.id], kept, hidden) for table in structure.tables if table.id in kept)
    closed = tuple(_closed(candidates, kept))
    return replace(structure, tables=shown, closed=closed, revision=_revision(structure, tables, columns, schemas))


def unmatched(structure: Structure, tables: AllowDeny, columns: ColumnRules) -> tuple[tuple[str, str], ...]:
    """The key and the pattern of each rule that takes nothing of `structure`, which is the whole one: most likely a
    slip of the pen that leaves open what was to be closed."""
    strict = structure.dialect == "postgres"
    found = list[tuple[str, str]]()
    for key, patterns in (("tables.allow", tables.allow), ("tables.deny", tables.deny)):
        for pattern in patterns:
            takes = _matcher((pattern,), any_case=not (strict and key == "tables.allow"))
            bare = key == "tables.deny"
            if not any(takes(_all_names(table) if bare else _full(table)) for table in structure.tables):
                found.append((key, pattern))
    for key, patterns in (("columns.deny", columns.deny), ("columns.mask", columns.mask)):
        for pattern in patterns:
            takes = _matcher((pattern,))
            spelled = (
                (_spellings(_all_names(table)), column.name) for table in structure.tables for column in table.columns
            )
            if not any(takes(spellings(name)) for spellings, name in spelled):
                found.append((key, pattern))
    return tuple(found)


def _full(table: CatalogTable) -> tuple[str, str]:
    return table.id, f"{table.schema}.{table.name}"


def _all_names(table: CatalogTable) -> tuple[str, ...]:
    """The names by which what denies or masks may mean a table: its own and those of its partitions."""
    parts = (name for schema, part in table.parts for name in (f"{schema}.{part}", part))
    return tuple(dict.fromkeys((*_full(table), table.name, *parts)))


@dataclass(frozen=True, slots=True)
class _Rules:
    schemas: frozenset[str] | None
    allow: Matches
    deny: Matches
    deny_column: Matches
    mask_column: Matches
    inherited: Mapping[str, tuple[str, ...]]  # the names of the tables that one inherits from, by its id

    @classmethod
    def of(cls, structure: Structure, tables: AllowDeny, columns: ColumnRules, schemas: Sequence[str] | None) -> _Rules:
        return cls(
            None if schemas is None else frozenset(schemas),
            _matcher(tables.allow, any_case=structure.dialect != "postgres"),
            _matcher(tables.deny),
            _matcher(columns.deny),
            _matcher(columns.mask),
            _inherited_names(structure),
        )

    def names(self, table: CatalogTable) -> tuple[str, ...]:
        """The names by which what denies or masks may mean a table."""
        return (*_all_names(table), *self.inherited.get(table.id, ()))

    def admit(self, table: CatalogTable) -> bool:
        if self.schemas is not None and table.schema not in self.schemas:
            return False
        return self.allow(_full(table)) and not self.deny(self.names(table))


def _inherited_names(structure: Structure) -> Mapping[str, tuple[str, ...]]:
    """All names of the tables above each heir, of any distance."""
    above = dict[str, list[CatalogTable]]()
    for table in structure.tables:
        for heir in table.reads if table.kind not in _VIEWS else ():
            above.setdefault(heir, []).append(table)

    def names(heir: str, seen: set[str]) -> Iterator[str]:
        for table in above.get(heir, ()):
            if table.id not in seen:
                seen.add(table.id)
                yield from _all_names(table)
                yield from names(table.id, seen)

    return {heir: tuple(names(heir, {heir})) for heir in above}


def _matcher(patterns: Sequence[str], *, any_case: bool = True) -> Matches:
    """Whether one of several spellings of a name matches one of `patterns` as a whole."""
    if not patterns:
        return lambda _: False
    parts = ("".join({"*": ".*", "?": "."}.get(sign) or re.escape(sign) for sign in item) for item in patterns)
    whole = re.compile("|".join(parts), re.DOTALL | (re.IGNORECASE if any_case else 0))
    return lambda spellings: any(whole.fullmatch(spelling) for spelling in spellings)


def _spellings(tables: Sequence[str]) -> Callable[[str], Iterator[str]]:
    """For a column of a table with these names: the names by which a rule may mean it."""

    def of_column(column: str) -> Iterator[str]:
        yield column
        for name in tables:
            yield f"{name}.{column}"

    return of_column


def _without_denied_columns(table: CatalogTable, rules: _Rules) -> CatalogTable:
    spellings = _spellings(rules.names(table))
    denied = {item.name for item in table.columns if rules.deny_column(spellings(item.name))}
    masked = {item.name for item in table.columns if item.masked or rules.mask_column(spellings(item.name))}
    return _ruled(table, denied, masked)


def _without_denied_rows(candidates: Sequence[CatalogTable]) -> list[CatalogTable]:
    """A column may hold whole rows of other tables: where one of those isn't open with every column the column isn't,
    and where a column of theirs is masked it is masked."""
    by_id = {table.id: table for table in candidates}
    return [_as_the_rows_it_holds(table, by_id) for table in candidates]


def _as_the_rows_it_holds(table: CatalogTable, by_id: Mapping[str, CatalogTable]) -> CatalogTable:
    denied, masked = set[str](), {item.name for item in table.columns if item.masked}
    for item in table.columns:
        held = [by_id.get(name) for name in item.holds]
        if any(rows is None or rows.partial for rows in held):
            denied.add(item.name)
        elif any(each.masked for rows in held if rows is not None for each in rows.columns):
            masked.add(item.name)
    return _ruled(table, denied, masked)


def _ruled(table: CatalogTable, denied: set[str], masked: set[str]) -> CatalogTable:
    if not denied and not masked:
        return table
    computed = {item.name for item in table.columns if item.generated}
    denied |= computed if denied else set()
    masked |= computed if masked else set()
    kept = tuple(_masked(item, item.name in masked) for item in table.columns if item.name not in denied)
    return replace(
        table,
        columns=kept,
        primary_key=() if denied & set(table.primary_key) else table.primary_key,
        unique=tuple(key for key in table.unique if not denied & set(key)),
        foreign_keys=tuple(key for key in table.foreign_keys if not denied & set(key.columns)),
        partial=table.partial or bool(denied),
    )


def _masked(column: CatalogColumn, masked: bool) -> CatalogColumn:
    return column if column.masked == masked else replace(column, masked=masked)


def _existing(candidates: Sequence[CatalogTable]) -> dict[str, CatalogTable]:
    """The tables with a column left whose reads all exist, found from the tables upwards, so that views which read
    each other in a circle never do; a view over a masked column is masked."""
    kept = dict[str, CatalogTable]()
    pending = [table for table in candidates if table.columns and (table.reads or table.kind not in _VIEWS)]
    while ready := [table for table in pending if all(_readable(table, name, kept) for name in table.reads)]:
        settled = {table.id for table in ready}
        pending = [table for table in pending if table.id not in settled]
        ruled = (_as_what_it_reads(table, kept) for table in ready)
        kept |= {table.id: table for table in ruled if table.columns}
    return kept


def _closed(candidates: Iterable[CatalogTable], kept: Mapping[str, CatalogTable]) -> Iterator[ClosedView]:
    """The views over open tables that only what they call keeps from existing. One that reads what is denied is
    nobody's business."""
    for table in candidates:
        if table.kind in _VIEWS and table.id not in kept:
            calls = tuple(name for name in table.reads if _reads_anything(name))
            others = [name for name in table.reads if name not in calls]
            if calls and others and all(_readable(table, name, kept) for name in others):
                yield ClosedView(table.id, calls)


def _reads_anything(name: str) -> bool:
    return name.endswith("()") or name.startswith(("pg_catalog.", "information_schema."))


def _readable(table: CatalogTable, name: str, kept: Mapping[str, CatalogTable]) -> bool:
    """Whether what `table` reads exists; for a view with every column, as nobody can tell which of them it shows."""
    if name not in kept:
        return False
    return table.kind not in _VIEWS or not kept[name].partial


def _as_what_it_reads(table: CatalogTable, kept: Mapping[str, CatalogTable]) -> CatalogTable:
    """A view is masked as a whole; a table's column is denied or masked as that of a table which inherits it."""
    reads = [kept[name] for name in table.reads]
    if table.kind in _VIEWS:
        masked = any(column.masked for read in reads for column in read.columns)
        return _ruled(table, set(), {column.name for column in table.columns} if masked else set())
    shown = [{column.name: column.masked for column in read.columns} for read in reads]
    names = [column.name for column in table.columns]
    denied = {name for name in names if any(name not in columns for columns in shown)}
    own = {column.name for column in table.columns if column.masked}
    return _ruled(table, denied, own | {name for name in names if any(columns.get(name) for columns in shown)})


@dataclass(frozen=True, slots=True)
class _Hidden:
    """Names, in lower case, that only denied tables, columns and schemas have: single words, and all others."""

    words: frozenset[str]
    phrases: tuple[str, ...]

    @classmethod
    def of(cls, structure: Structure, kept: Mapping[str, CatalogTable]) -> _Hidden:
        gone = [table for table in structure.tables if table.id not in kept or kept[table.id].partial]
        names = set[str]().union(*map(_names, gone))
        if names:
            names.difference_update(*map(_names, kept.values()))
        words = frozenset(name for name in names if _WORD.fullmatch(name))
        return cls(words, tuple(names - words))

    def named_in(self, text: str) -> bool:
        """Whether a text names something hidden."""
        low = text.lower()
        return not self.words.isdisjoint(_WORD.findall(low)) or any(phrase in low for phrase in self.phrases)


def _names(table: CatalogTable) -> set[str]:
    parts = (name for part in table.parts for name in part)
    return {name.lower() for name in (table.schema, table.name, *(item.name for item in table.columns), *parts) if name}


def _tied(table: CatalogTable, kept: Mapping[str, CatalogTable], hidden: _Hidden) -> CatalogTable:
    """The table with the foreign keys and comments that speak of nothing but what exists."""
    keys = tuple(key for key in table.foreign_keys if _points_at_what_exists(key, kept))
    told = {item.name for item in table.columns if item.comment and hidden.named_in(item.comment)}
    comment = "" if hidden.named_in(table.comment) else table.comment
    if not told:
        return replace(table, foreign_keys=keys, comment=comment)
    columns = tuple(replace(item, comment="") if item.name in told else item for item in table.columns)
    return replace(table, foreign_keys=keys, columns=columns, comment=comment)


def _points_at_what_exists(key: ForeignKey, kept: Mapping[str, CatalogTable]) -> bool:
    return key.table in kept and all(kept[key.table].column(name) for name in key.references)


def _revision(structure: Structure, tables: AllowDeny, columns: ColumnRules, schemas: Sequence[str] | None) -> str:
    rules = f"{structure.revision}\n{tables.model_dump_json()}\n{columns.model_dump_json()}\n{schemas!r}"
    return hashlib.sha256(rules.encode()).hexdigest()

"""What is to be looked at before a question can be read: the files, the databases' catalog, the fitting tables."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from runtime.models.offline import dialects
from runtime.models.offline.catalog import Table, as_day, table_from, with_values
from runtime.models.offline.databases import Sketch, profile_query, profiled, sketches
from runtime.models.offline.lexicon import FILLERS, GENERIC_MEASURES, THESAURUS
from runtime.models.offline.listing import Listing, listing_of, names_file
from runtime.models.offline.tokens import Token, stems
from runtime.models.offline.transcript import Turn

_INSPECTED, _QUERY_CHARS, _HITS, _NAMED, _RESOURCES = 16, 480, 50, 40, 50
QUERY_TOOLS = frozenset(dialects.QUERY_TOOLS.values())

Calls = list[tuple[str, dict[str, object]]]


@dataclass(frozen=True, slots=True)
class Sight:
    """What is here: the files, the databases' tables as the catalog has them, and the sources that can't be asked."""

    listing: Listing
    tables: tuple[Sketch, ...] = ()
    unavailable: tuple[str, ...] = ()


def look(turn: Turn, offered: Set[str]) -> Sight | Calls:
    """What is here, or the calls that tell more of it."""
    calls: Calls = []
    listing = Listing() if "list_files" not in offered else listing_of(turn)
    if listing is None or listing.next_offset is not None:
        offset = listing.next_offset if listing and listing.next_offset else 0
        calls.append(("list_files", {"limit": 50, "offset": offset, "note": "looking at what is here"}))
    found = next(iter(turn.of("catalog_search")), None)
    if found is None and "catalog_search" in offered:
        query = turn.everything[-_QUERY_CHARS:]
        calls.append(("catalog_search", {"query": query, "limit": _HITS, "note": "looking at the databases"}))
    if calls:
        return calls
    assert listing is not None
    if found is None:
        return Sight(listing)
    down = tuple(str(one.get("source", one.get("id", ""))) for one in found.data.get("unavailable", ()))
    wanted = _resources(found.data)
    shown = next(iter(turn.of("catalog_schema")), None)
    if shown is None and wanted:
        body: dict[str, object] = {"resource_ids": wanted, "include_relationships": False}
        return [("catalog_schema", {**body, "note": "looking at their tables"})]
    return Sight(listing, sketches(shown.data) if shown is not None and shown.ok else (), down)


def _resources(data: Any) -> list[str]:
    """The tables that the search found, best first, then every database whole, so that small ones are seen whole."""
    sources = [str(name) for name in data.get("searched", ()) if name != "workspace"]
    hits = [str(hit["id"]) for hit in data.get("hits", ()) if "/" in str(hit["id"])]
    tables = [name for name in hits if name.partition("/")[0] in sources]
    return [*dict.fromkeys(tables)][:_NAMED] + sources[: _RESOURCES - _NAMED]


def worth_a_look(
    sight: Sight, tokens: Sequence[Token], *, anything: bool = False
) -> tuple[tuple[str, ...], tuple[Sketch, ...]]:
    """At most 16 tables, files' by name and databases' by what the catalog has: those whose names or columns share
    words with the question come first, then those that they point at. Databases' that share none are left for when
    nothing else explains the question (`anything`)."""
    said = {token.stem for token in tokens if token.stem not in FILLERS - GENERIC_MEASURES}
    for token in tokens:
        said |= {word for group in THESAURUS if token.stem in group for word in group}
    ranked: list[tuple[float, int, str | Sketch]] = []
    for entry in sight.listing.entries:
        named = 10.0 if any(names_file(token, entry.name) for token in tokens) else 0.0
        columns = {word for column in entry.columns for word in stems(column)}
        for table in entry.tables:
            score = named + 3.0 * len(said & set(stems(table))) + len(said & columns)
            ranked.append((-score, len(ranked), table))
    for sketch in sight.tables:
        columns = {word for field in sketch.fields for word in stems(field.name)}
        score = 3.0 * len(said & set(stems(sketch.name))) + len(said & columns) + 2.0 * (sketch.source in said)
        if score or anything:
            ranked.append((-score, len(ranked), sketch))
    best = [item for _, _, item in sorted(ranked, key=lambda one: one[:2])]
    chosen = _with_pointed_at(best[:_INSPECTED], sight.tables)
    return (
        tuple(item for item in chosen if isinstance(item, str)),
        tuple(item for item in chosen if isinstance(item, Sketch)),
    )


def _with_pointed_at(best: Sequence[str | Sketch], tables: Sequence[Sketch]) -> list[str | Sketch]:
    """The best ones, the last of them given up for tables that the first ones point at."""
    by_id = {sketch.id: sketch for sketch in tables}
    wanted: dict[str | Sketch, None] = {}
    for item in best:
        wanted.setdefault(item)
        if isinstance(item, Sketch):
            wanted.update(dict.fromkeys(by_id[join.table] for join in item.joins if join.table in by_id))
    return [*wanted][:_INSPECTED]


def look_into(turn: Turn, files: Sequence[str], databases: Sequence[Sketch]) -> Calls:
    """The calls that look into these tables, without those that were made."""
    note = "looking into the tables"
    calls: Calls = [("inspect_table", {"name": name, "rows": 5, "note": note}) for name in files]
    calls += [query_call(one.source, one.dialect, profile_query(one, turn.zone), note) for one in databases]
    made = {(done.call.name, done.call.input.get("name"), done.call.input.get("sql")) for done in turn.done}
    return [(tool, body) for tool, body in calls if (tool, body.get("name"), body.get("sql")) not in made]


def query_call(source: str, dialect: dialects.Dialect, text: str, note: str) -> tuple[str, dict[str, object]]:
    """One query of the engine that holds the table."""
    where: dict[str, object] = {"source_id": source} if source else {}
    return dialects.QUERY_TOOLS[dialect], {**where, "sql": text, "note": note}


def looked_into(turn: Turn, sight: Sight) -> list[Table]:
    """The tables that were looked into, knowing what later look-ups found."""
    shared = {name for entry in sight.listing.entries if len(entry.tables) > 1 for name in entry.tables}
    tables = [table_from(done.data, done.evidence) for done in turn.of("inspect_table") if done.ok]
    tables = [replace(table, several=table.name in shared) for table in tables]
    queries = [done for done in turn.done if done.call.name in QUERY_TOOLS]
    profiles = {(one.source, profile_query(one, turn.zone)): one for one in sight.tables}
    for done in queries:
        sketch = profiles.get((str(done.call.input.get("source_id", "")), str(done.call.input.get("sql"))))
        if sketch is not None and done.ok:
            tables.append(profiled(sketch, done.data.get("rows", ()), done.evidence, turn.zone))
    for done in queries:
        names = [str(column.get("name")) for column in done.data.get("columns", ())]
        rows = [[*row] for row in done.data.get("rows", ())]
        if names == ["looked_in", "looked_at", "found"]:
            tables = [
                with_values(t, [(str(at), str(value)) for where, at, value in rows if where == t.id]) for t in tables
            ]
        elif names[:2] == ["dated_in", "dated_at"] and rows:
            tables = [_dated(table, rows[0]) if rows[0][0] == table.id else table for table in tables]
    return tables


def _dated(table: Table, row: list[object]) -> Table:
    """The table with a text column taken as dates if every one of its cells reads as one, else as plain text."""
    _, name, cells, dates, first, last = row
    columns = [
        column
        if column.name != name
        else replace(column, minimum=str(first), maximum=str(last))
        if cells == dates and as_day(str(first))
        else replace(column, kind="label", date_format=None)
        for column in table.columns
    ]
    return replace(table, columns=tuple(columns))

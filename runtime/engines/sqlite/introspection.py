"""What a SQLite file's schema says, read inside the worker: a file of unknown origin is not opened elsewhere."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

_GENERATED = (2, 3)
_HIDDEN = 1

# One statement for all tables takes a third of the time that one for each of them would.
_LISTED = "t.schema = 'main' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_NAMES = f"SELECT t.name, t.type FROM pragma_table_list AS t WHERE {_LISTED} AND t.type IN ('table', 'view')"
_COLUMNS = (
    'SELECT t.name, x.name, x.type, x."notnull", x.pk, x.hidden'
    " FROM pragma_table_list AS t, pragma_table_xinfo(t.name, 'main') AS x"
    f" WHERE {_LISTED} AND t.type = 'table' ORDER BY t.name, x.cid"
)
_VIEW_COLUMNS = "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?, 'main') ORDER BY cid"
# Unique indexes over the whole table; those over a part of the rows are no keys.
_UNIQUE = (
    "SELECT t.name, l.seq, i.name FROM pragma_table_list AS t, pragma_index_list(t.name, 'main') AS l,"
    f" pragma_index_info(l.name, 'main') AS i WHERE {_LISTED} AND t.type = 'table'"
    " AND l.\"unique\" AND NOT l.partial AND l.origin <> 'pk' ORDER BY t.name, l.seq, i.seqno"
)
_INDEXED = (
    "SELECT t.name, l.name, coalesce(i.name, ''), l.partial FROM pragma_table_list AS t,"
    " pragma_index_list(t.name, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS i"
    f" WHERE {_LISTED} AND t.type = 'table' AND i.key AND i.cid <> -1 ORDER BY t.name, l.name, i.seqno"
)
_FOREIGN_KEYS = (
    'SELECT t.name, k.id, k."table", k."from", k."to"'
    " FROM pragma_table_list AS t, pragma_foreign_key_list(t.name, 'main') AS k"
    f" WHERE {_LISTED} AND t.type = 'table' ORDER BY t.name, k.id, k.seq"
)


def tables(connection: sqlite3.Connection) -> tuple[list[dict[str, Any]], list[str]]:
    """Tables and views as plain data, and the names of views that no longer work. Virtual tables and the tables
    behind them are left out: reading one runs the code of its module. Raises sqlite3.Error."""
    listed = connection.execute(_NAMES).fetchall()
    names = {name.lower(): name for name, _ in listed}
    found = _tables(connection, names)
    broken: list[str] = []
    for view in (name for name, kind in listed if kind == "view"):
        try:
            found[view] = _view(connection, view, names)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_ERROR":
                raise
            broken.append(view)
    for name, rows in _estimates(connection).items():
        if name in found:
            found[name]["rows"] = rows
    return list(found.values()), broken


def _tables(connection: sqlite3.Connection, names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, *column in connection.execute(_COLUMNS):
        found.setdefault(name, _relation(name, "table"))["columns"] += _column(*column)
    for table in found.values():
        keyed = sorted((column for column in table["columns"] if column["key"]), key=lambda column: column["key"])
        table["primary_key"] = [column["name"] for column in keyed]
    for name, columns in _unique(connection):
        found[name]["unique"].append(columns)
    for name, columns in _indexed(connection):
        found[name]["indexed"].append(columns)
    for name, key in _foreign_keys(connection):
        target = names.get(key["table"].lower())
        if target is None or target not in found:
            continue  # SQLite takes a key that points at nothing
        key["table"] = target
        if None in key["references"]:  # left out, it means the other table's primary key
            key["references"] = found[target]["primary_key"]
        spelt = {column["name"].lower(): column["name"] for column in found[target]["columns"]}
        key["references"] = [spelt.get(column.lower(), column) for column in key["references"]]
        if len(key["references"]) == len(key["columns"]):
            found[name]["foreign_keys"].append(key)
    return found


def _relation(name: str, kind: str) -> dict[str, Any]:
    listed = ("columns", "primary_key", "unique", "foreign_keys", "indexed")
    return {"name": name, "kind": kind, **{part: list[Any]() for part in listed}}


def _column(name: str, kind: str, fixed: int, key: int, hidden: int) -> list[dict[str, Any]]:
    """The column, or nothing for one that no query sees."""
    if hidden == _HIDDEN:
        return []
    nullable = not (fixed or key)
    return [{"name": name, "type": kind, "nullable": nullable, "key": key, "generated": hidden in _GENERATED}]


def _unique(connection: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    """Table and columns of each unique index; one over an expression is no key."""
    keys: dict[tuple[str, int], list[str | None]] = defaultdict(list)
    for table, number, column in connection.execute(_UNIQUE):
        keys[table, number].append(column)
    return [
        (table, [column for column in columns if column is not None])
        for (table, _), columns in keys.items()
        if None not in columns
    ]


def _indexed(connection: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    """Table and columns of each index, as they sort; "" for an expression, and for the condition of a partial one."""
    indexes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for table, index, column, partial in connection.execute(_INDEXED):
        indexes[table, index] += ["", column] if partial else [column]
    return [(table, columns) for (table, _), columns in indexes.items()]


def _foreign_keys(connection: sqlite3.Connection) -> list[tuple[str, dict[str, Any]]]:
    keys: dict[tuple[str, int], dict[str, Any]] = {}
    for table, number, target, column, reference in connection.execute(_FOREIGN_KEYS):
        key = keys.setdefault((table, number), {"table": target, "columns": [], "references": []})
        key["columns"].append(column)
        key["references"].append(reference)
    return [(table, key) for (table, _), key in keys.items()]


def _view(connection: sqlite3.Connection, name: str, names: Mapping[str, str]) -> dict[str, Any]:
    view = _relation(name, "view")
    for column in connection.execute(_VIEW_COLUMNS, (name,)):
        view["columns"] += _column(*column)
    return {**view, "reads": _reads(connection, name, names)}


def _reads(connection: sqlite3.Connection, view: str, names: Mapping[str, str]) -> list[str]:
    """Everything that the engine reads for a view, down to the tables, as it reports it when it prepares the query."""
    seen = set[str]()

    def note(action: int, one: str | None, _two: str | None, _database: str | None, _source: str | None) -> int:
        if action == sqlite3.SQLITE_READ and one is not None and one.lower() in names:
            seen.add(names[one.lower()])
        return sqlite3.SQLITE_OK

    connection.set_authorizer(note)
    try:
        quoted = view.replace('"', '""')
        connection.execute(f'EXPLAIN SELECT * FROM main."{quoted}"').close()
    finally:
        connection.set_authorizer(None)
    return sorted(seen - {view})


def _estimates(connection: sqlite3.Connection) -> dict[str, int]:
    """Rows of a table as ANALYZE counted them, where it ever ran."""
    if connection.execute("SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_stat1'").fetchone() is None:
        return {}
    found: dict[str, int] = {}
    for table, stat in connection.execute("SELECT tbl, stat FROM main.sqlite_stat1"):
        first = str(stat).split(" ", 1)[0]
        if isinstance(table, str) and first.isdecimal():
            found[table] = max(found.get(table, 0), int(first))
    return found

"""What a SQLite file's schema says, read inside the worker: a file of unknown origin is not opened elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

_GENERATED = (2, 3)
_HIDDEN = 1


def tables(connection: sqlite3.Connection) -> tuple[list[dict[str, Any]], list[str]]:
    """Tables and views as plain data, and the names of views that no longer work. Virtual tables and the tables
    behind them are left out: reading one runs the code of its module. Raises sqlite3.Error."""
    estimates = _estimates(connection)
    listed = connection.execute(
        "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ).fetchall()
    names = {name.lower(): name for name, _ in listed}
    found: list[dict[str, Any]] = []
    broken: list[str] = []
    for name, kind in listed:
        try:
            found.append(_view(connection, name, names) if kind == "view" else _table(connection, name, names))
        except sqlite3.OperationalError as error:
            if kind != "view" or error.sqlite_errorname != "SQLITE_ERROR":
                raise
            broken.append(name)
            continue
        if name in estimates:
            found[-1]["rows"] = estimates[name]
    return found, broken


def _columns(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    rows = connection.execute(
        "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?, 'main') ORDER BY cid", (table,)
    )
    return [
        {"name": name, "type": kind, "nullable": not (fixed or key), "key": key, "generated": hidden in _GENERATED}
        for name, kind, fixed, key, hidden in rows
        if hidden != _HIDDEN
    ]


def _table(connection: sqlite3.Connection, name: str, names: Mapping[str, str]) -> dict[str, Any]:
    columns = _columns(connection, name)
    keyed = sorted((column for column in columns if column["key"]), key=lambda column: column["key"])
    return {
        "name": name,
        "kind": "table",
        "columns": columns,
        "primary_key": [column["name"] for column in keyed],
        "unique": _unique(connection, name),
        "foreign_keys": _foreign_keys(connection, name, names),
    }


def _unique(connection: sqlite3.Connection, table: str) -> list[list[str]]:
    """Columns of unique indexes over the whole table; those over expressions or a part of the rows are no keys."""
    indexes = connection.execute(
        "SELECT name FROM pragma_index_list(?, 'main')"
        " WHERE \"unique\" AND NOT partial AND origin <> 'pk' ORDER BY seq",
        (table,),
    ).fetchall()
    keys: list[list[str]] = []
    for (index,) in indexes:
        found = connection.execute("SELECT name FROM pragma_index_info(?, 'main') ORDER BY seqno", (index,)).fetchall()
        if found and all(name is not None for (name,) in found):
            keys.append([name for (name,) in found])
    return keys


def _foreign_keys(connection: sqlite3.Connection, table: str, names: Mapping[str, str]) -> list[dict[str, Any]]:
    rows = connection.execute(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?, \'main\') ORDER BY id, seq', (table,)
    ).fetchall()
    keys: dict[int, dict[str, Any]] = {}
    for number, target, column, reference in rows:
        other = names.get(target.lower())
        if other is None:
            continue  # SQLite takes a key that points at nothing
        key = keys.setdefault(number, {"table": other, "columns": [], "references": []})
        key["columns"].append(column)
        key["references"].append(reference)
    for key in keys.values():
        if None in key["references"]:  # left out, it means the other table's primary key
            primary = sorted((c for c in _columns(connection, key["table"]) if c["key"]), key=lambda c: c["key"])
            key["references"] = [column["name"] for column in primary]
    return [key for key in keys.values() if len(key["references"]) == len(key["columns"])]


def _view(connection: sqlite3.Connection, name: str, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "view",
        "columns": _columns(connection, name),
        "primary_key": [],
        "unique": [],
        "foreign_keys": [],
        "reads": _reads(connection, name, names),
    }


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

"""DuckDB's own parser and binder asked again, in the query worker: one SELECT, over admitted tables and no others."""

from __future__ import annotations

import json
from typing import Any, cast

import duckdb
from sqlglot import exp, parse_one

from runtime.sqlguard.policy import fold
from runtime.sqlguard.refusals import not_allowed, shown
from runtime.sqlguard.rules import rules_for

_DATABASE_NAMES = "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views() WHERE NOT internal"


def check_with_duckdb(con: duckdb.DuckDBPyConnection, sql: str, admitted: frozenset[str]) -> None:
    """Raises QueryRefused unless DuckDB sees exactly one SELECT (or PIVOT) that reads `admitted` tables only.

    `sql` is the regenerated text of a ValidatedQuery. Base tables under an admitted view count as admitted. Raises
    duckdb.Error where DuckDB cannot parse the text.
    """
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        raise not_allowed(f"The engine sees {len(statements)} statements; only one may run.")
    kind = statements[0].type.name
    allowed = {fold(name) for name in admitted}
    if kind == "SELECT":
        names = _bound_names(con, sql)
        if names is None:
            _check_parsed(con, sql, allowed)
        else:
            _check_names(con, names, allowed, admitted)
    elif kind == "MULTI":
        _check_parsed(con, _with_fixed_pivots(sql), allowed)
    else:
        raise not_allowed(f"The engine sees a statement of type {kind}; only one SELECT may run.")


def _bound_names(con: duckdb.DuckDBPyConnection, sql: str) -> set[str] | None:
    """The tables read, each as text like `main.orders AS o`; None where DuckDB cannot tell.

    It binds against columns of no type, so an UNPIVOT or `unnest(t.tags)` that runs well fails here.
    """
    try:
        return con.get_table_names(sql, qualified=True)
    except duckdb.TransactionException:
        con.rollback()  # an error of an earlier call leaves the connection in an aborted transaction
    except duckdb.Error:
        return None
    try:
        return con.get_table_names(sql, qualified=True)
    except duckdb.Error:
        return None


def _check_names(con: duckdb.DuckDBPyConnection, names: set[str], allowed: set[str], admitted: frozenset[str]) -> None:
    strange = {_plain(name) for name in names} - allowed
    if strange:
        strange -= {fold(name) for name in _under_views(con, admitted)}
    if strange:
        raise not_allowed("The engine sees a table that is not open here.", "Read only the tables that are listed.")


def _plain(name: str) -> str:
    """The folded table name of `table`, `main.table` or `table AS t`; "" for another schema or a catalogue."""
    table = parse_one(f"SELECT * FROM {name}", dialect="duckdb").find(exp.Table)
    parts = table.parts if table is not None else []
    if not parts or len(parts) > 2 or (len(parts) == 2 and fold(parts[0].name) != "main"):
        return ""
    return fold(parts[-1].name)


def _under_views(con: duckdb.DuckDBPyConnection, admitted: frozenset[str]) -> set[str]:
    """Names of the base tables that the admitted views read."""
    views = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    beneath: set[str] = set()
    for (view,) in views:
        if view in admitted:
            quoted = '"' + str(view).replace('"', '""') + '"'
            beneath |= con.get_table_names(f"SELECT * FROM {quoted}")
    return beneath


def _with_fixed_pivots(sql: str) -> str:
    """`sql` with a made-up value list in every PIVOT that looks its values up: the same tables, as one SELECT."""
    dialect = rules_for("duckdb").dialect
    trees = dialect.parse(sql)
    tree = trees[0]
    if len(trees) != 1 or tree is None:
        raise not_allowed("The engine sees several statements; only one may run.")
    pivots = list(tree.find_all(exp.Pivot))
    if not pivots:
        raise not_allowed("The engine sees several statements; only one may run.")
    for pivot in pivots:
        fixed = [
            item if isinstance(item, exp.In) else exp.In(this=item, expressions=[exp.Literal.string("x")])
            for item in pivot.expressions
        ]
        if any(item.find(exp.Query) for item in fixed):
            raise not_allowed("PIVOT takes no query for its values.")
        if not pivot.args.get("unpivot") and pivot.args.get("this") is not None:
            pivot.set("expressions", fixed)
    return tree.sql("duckdb", comments=False)


def _check_parsed(con: duckdb.DuckDBPyConnection, sql: str, allowed: set[str]) -> None:
    """The check on DuckDB's syntax tree, for the texts whose names it does not list.

    The tree knows no scopes, so a CTE's name is taken for one only where no table of the database has it.
    """
    row = con.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {}
    if tree.get("error") or len(tree.get("statements", ())) != 1:
        raise not_allowed(f"The engine does not read this as one SELECT: {shown(str(tree.get('error_message', '')))}")
    real = {fold(name) for (name,) in con.execute(_DATABASE_NAMES).fetchall()}
    found: list[dict[str, Any]] = []
    ctes: set[str] = set()
    _collect(tree, found, ctes)
    for table in found:
        name = fold(str(table.get("table_name", "")))
        foreign = table.get("catalog_name") or str(table.get("schema_name") or "main").lower() != "main"
        if foreign or (name not in allowed and (name not in ctes or name in real)):
            raise not_allowed("The engine sees a table that is not open here.", "Read only the tables that are listed.")


def _collect(tree: dict[str, Any], found: list[dict[str, Any]], ctes: set[str]) -> None:
    pending: list[Any] = [tree]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            node = cast("dict[str, Any]", item)
            if node.get("type") == "BASE_TABLE":
                found.append(node)
            cte_map = node.get("cte_map")
            if cte_map:
                ctes.update(fold(str(entry["key"])) for entry in cte_map["map"])
            pending.extend(node.values())
        elif isinstance(item, list):
            pending.extend(cast("list[Any]", item))

"""How SQL writes a name: bare where every dialect takes it so, else in double quotes."""

from __future__ import annotations

import re

from runtime.catalog.structure import CatalogTable

_BARE = re.compile(r"[a-z_][a-z0-9_]*")
# Words that PostgreSQL, SQLite or DuckDB don't take as a bare name of a table or column.
_RESERVED = frozenset(
    "add all alter analyse analyze and any array as asc asymmetric authorization autoincrement between binary"
    " both by case cast check collate collation column commit concurrently constraint create cross current_catalog"
    " current_date current_role current_schema current_time current_timestamp current_user default deferrable"
    " delete desc distinct do drop else end escape except exists false fetch for foreign freeze from full glob"
    " grant group having if ilike in index initially inner insert intersect into is isnull join lambda lateral"
    " leading left like limit localtime localtimestamp map natural not nothing notnull null offset on only or"
    " order outer overlaps pivot placing primary qualify references returning right select semi session_user set"
    " show similar some struct summarize symmetric table tablesample then to trailing transaction true try_cast"
    " union unique unpivot update user using values variadic verbose when where window with".split()
)


def sql_name(name: str) -> str:
    """One name as SQL takes it."""
    if _BARE.fullmatch(name) and name not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def sql_table(table: CatalogTable) -> str:
    """A table as it stands after FROM, with its schema where its id has one."""
    own = sql_name(table.name)
    return f"{sql_name(table.schema)}.{own}" if table.schema and table.id != table.name else own

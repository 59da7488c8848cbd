"""What the guard is told of a database: its admitted structure, with the columns that are masked."""

from __future__ import annotations

from runtime.catalog import Structure
from runtime.limits import Limits
from runtime.sqlguard import GuardPolicy


def policy_of(
    structure: Structure,
    limits: Limits,
    *,
    parameters: int = 0,
    schema: str = "main",
    search_path: tuple[str, ...] = (),
    by_columns: bool = False,
) -> GuardPolicy:
    """The guard's policy over an admitted structure. `by_columns`: every table is read by the columns that are known,
    where one that is added meanwhile may be one to hide."""
    tables = structure.tables
    masked = {table.id: frozenset(column.name for column in table.columns if column.masked) for table in tables}
    return GuardPolicy(
        {table.id: tuple(column.name for column in table.columns) for table in tables},
        structure.dialect,
        schema=schema,
        search_path=search_path,
        partial=frozenset(table.id for table in tables if by_columns or table.partial),
        masked={name: columns for name, columns in masked.items() if columns},
        parameters=parameters,
        max_bytes=limits.sql_bytes,
        max_nesting=limits.sql_nesting,
    )

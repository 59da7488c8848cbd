"""data_query_sqlite: one guarded read over the open tables and views of a SQLite source."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runtime.capability import CallContext, Capability, Output, SourceKind, Toolbox
from runtime.limits import DEFAULT
from runtime.toolboxes.sources.data_query import BOUNDS, OUTPUT_SCHEMA, DatabaseQuery, Parameters, of_source, query
from runtime.toolboxes.sources.database_scope import has_sqlite


class DataQuerySqlite(DatabaseQuery):
    """The query with the values of its placeholders."""

    parameters: Annotated[
        Parameters,
        Field(
            description="Values for the ? of the SQL, in their order.",
            max_length=DEFAULT.sql_parameters,
            default_factory=Parameters,
        ),
    ]


async def execute(arguments: DataQuerySqlite, context: CallContext) -> Output:
    """The rows. Raises CallError as `query`."""
    return await query(arguments, arguments.parameters, SourceKind.SQLITE, context)


CAPABILITY = Capability(
    id="sources.data_query_sqlite",
    tool="data_query_sqlite",
    toolbox=Toolbox.SOURCES,
    pinned=True,
    summary="Run one SELECT over the tables of a SQLite source.",
    when="For every figure that can be computed from a SQLite source: it can be shown and run again.",
    description=(
        "Runs one read-only query in SQLite's own SQL over the open tables and views of one source, " + BOUNDS
    ),
    arguments=DataQuerySqlite,
    example={
        "source_id": "shop",
        "sql": "SELECT region, count(*) AS orders FROM orders WHERE status = ? GROUP BY region",
        "parameters": ["paid"],
    },
    output_schema=OUTPUT_SCHEMA,
    execute=execute,
    offered=has_sqlite,
    source=of_source,
)

"""data_query_postgresql: one guarded read over the open tables and views of a PostgreSQL source."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runtime.capability import CallContext, Capability, Output, SourceKind, Toolbox
from runtime.limits import DEFAULT
from runtime.toolboxes.sources.data_query import BOUNDS, OUTPUT_SCHEMA, DatabaseQuery, Parameters, of_source, query
from runtime.toolboxes.sources.database_scope import has_postgresql


class DataQueryPostgresql(DatabaseQuery):
    """The query with the values of its placeholders."""

    parameters: Annotated[
        Parameters,
        Field(
            description="Values for $1, $2 and so on of the SQL.",
            max_length=DEFAULT.sql_parameters,
            default_factory=Parameters,
        ),
    ]


async def execute(arguments: DataQueryPostgresql, context: CallContext) -> Output:
    """The rows. Raises CallError as `query`."""
    return await query(arguments, arguments.parameters, SourceKind.POSTGRESQL, context)


CAPABILITY = Capability(
    id="sources.data_query_postgresql",
    tool="data_query_postgresql",
    toolbox=Toolbox.SOURCES,
    pinned=True,
    summary="Run one SELECT over the tables of a PostgreSQL source.",
    when="For every figure that can be computed from a PostgreSQL source: it can be shown and run again.",
    description=(
        "Runs one read-only query in PostgreSQL's own SQL over the open tables and views of one source, " + BOUNDS
    ),
    arguments=DataQueryPostgresql,
    example={
        "source_id": "crm",
        "sql": "SELECT tier, count(*) AS customers FROM public.customers WHERE status = $1 GROUP BY tier",
        "parameters": ["paid"],
    },
    output_schema=OUTPUT_SCHEMA,
    execute=execute,
    offered=has_postgresql,
    source=of_source,
)

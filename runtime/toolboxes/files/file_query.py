"""file_query: one guarded read over a set of files of one shape, as the table `data`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runtime.capability import Arguments, CallContext, Capability, Output, Toolbox
from runtime.engines.workspace.query import SOURCE
from runtime.evidence import Json
from runtime.limits import DEFAULT
from runtime.toolboxes.files.workspace_scope import has_workspace, of_workspace, workspace
from runtime.toolboxes.result_table import TABLE_PROPERTIES, table_output

_PATTERN_CHARS = 1_024


class FileQuery(Arguments):
    """Which files, and the SQL over them."""

    path_pattern: Annotated[
        str,
        Field(
            description="Paths relative to the workspace: * stays inside a folder, ** crosses folders, as in "
            "sales/**/*.csv. The files must have the same columns.",
            min_length=1,
            max_length=_PATTERN_CHARS,
        ),
    ]
    sql: Annotated[
        str,
        Field(
            description="One SELECT over the table `data`, the rows of all the files (DuckDB's SQL).",
            min_length=1,
            max_length=DEFAULT.file_query_sql_bytes,
        ),
    ]


async def execute(arguments: FileQuery, context: CallContext) -> Output:
    """The rows, and how many files with which digest they came from. Raises CallError: `pattern_refused`,
    `not_found`, `file_refused`, `set_not_homogeneous`, `file_changed`, and those of `run_sql`."""
    result, chosen = await workspace(context).read_files(arguments.path_pattern, arguments.sql)
    files: dict[str, Json] = {"count": len(chosen.tables), "digest": chosen.digest}
    return table_output(result, context, SOURCE, {"files": files})


CAPABILITY = Capability(
    id="files.file_query",
    tool="file_query",
    toolbox=Toolbox.FILES,
    pinned=False,
    summary="Query many files of one shape at once, as one table.",
    when="For a question over a set of like files, such as one file a day, month or shop.",
    description=(
        "Reads all files that a path pattern takes as one table called data, and runs one SELECT over it: CSV, TSV, "
        f"JSON, NDJSON and Parquet, at most {DEFAULT.file_query_files:,} files, {DEFAULT.file_query_seconds} seconds, "
        f"{DEFAULT.sql_rows_kept:,} rows. The files must have the same columns, else it names the first that differs."
    ),
    arguments=FileQuery,
    example={"path_pattern": "sales/2024-*.csv", "sql": "SELECT sum(amount) AS revenue FROM data"},
    output_schema={
        "type": "object",
        "required": ["columns", "rows", "row_count", "shown", "files"],
        "additionalProperties": False,
        "properties": {
            **TABLE_PROPERTIES,
            "files": {
                "type": "object",
                "required": ["count", "digest"],
                "additionalProperties": False,
                "properties": {"count": {"type": "integer", "minimum": 1}, "digest": {"type": "string"}},
            },
        },
    },
    execute=execute,
    deadline_s=DEFAULT.reading_call_deadline_s,
    offered=has_workspace,
    source=of_workspace,
)

"""Every bound of the runtime, by name: schema, code, docs and tests cite these and nothing else.

Sources: TOOLS.md, DESIGN.md 4, facts/SQL.md. An operator may override any of them in the manifest's `limits`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from rapidfuzz import process

from runtime.errors import ConfigurationError

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes (`_bytes`), characters (`_chars`), seconds (`_s`), or counts."""

    # One result
    model_text_bytes: int = 16 * KIB
    cell_chars: int = 2_000
    note_chars: int = 60
    evidence_rows: int = 1_000

    # One run (DESIGN 4, budgets)
    run_model_steps: int = 24
    run_calls_per_step: int = 16
    run_calls: int = 64
    run_seconds: int = 300
    run_output_tokens: int = 100_000
    concurrent_reads: int = 8
    concurrent_reads_per_source: int = 4
    call_deadline_s: int = 60
    reading_call_deadline_s: int = 270

    # Controls
    toolbox_query_chars: int = 512
    toolbox_hits: int = 20
    toolbox_hits_default: int = 5
    toolbox_load_names: int = 16
    toolbox_loaded: int = 32

    # SQL
    sql_bytes: int = 32 * KIB
    sql_nesting: int = 60
    sql_seconds: int = 15
    sql_rows_kept: int = 1_000
    sql_rows_whole: int = 100
    sql_rows_head: int = 30
    sql_near_values: int = 5
    sql_parameters: int = 128
    model_sample_rows: int = 30

    # Query workers (facts/SQL.md 1.2)
    worker_memory_bytes: int = 1 * GIB
    worker_address_space_bytes: int = 3 * GIB
    worker_temp_bytes: int = 4 * GIB
    worker_threads: int = 2
    worker_pool: int = 2
    worker_kill_grace_s: int = 2

    # Files
    list_entries: int = 50
    list_entries_default: int = 40
    inspect_rows: int = 50
    inspect_rows_default: int = 5
    inspect_common_values: int = 6
    inspect_sample_rows: int = 1_000_000
    file_query_sql_bytes: int = 8 * KIB
    file_query_files: int = 1_000
    file_query_seconds: int = 30
    grep_hits: int = 100
    grep_hits_default: int = 30
    grep_context: int = 3
    grep_pattern_chars: int = 1_000
    read_file_chars: int = 12_000
    read_files_chars: int = 16_000
    read_file_names: int = 8
    file_search_query_chars: int = 512
    file_search_paths: int = 8
    file_search_matches: int = 100
    file_search_bytes: int = 32 * MIB
    file_search_seconds: int = 5
    file_read_bytes: int = 64 * MIB
    file_read_chunk_bytes: int = 48 * KIB
    eager_files: int = 500
    files_read_at_once: int = 1_000
    workspace_entries: int = 50_000
    workspace_depth: int = 32
    file_bytes: int = 4 * GIB
    file_columns: int = 5_000
    json_bytes: int = 64 * MIB
    repair_bytes: int = 64 * MIB
    whole_types_bytes: int = 8 * MIB
    workbook_bytes: int = 512 * MIB
    workbook_cells: int = 6_000_000
    read_table_seconds: int = 60
    read_document_seconds: int = 20
    read_bytes_a_second: int = 4 * MIB
    build_database_seconds: int = 120

    # Files shared in one conversation
    shared_files: int = 50
    shared_files_bytes: int = 1 * GIB
    shared_file_seconds: int = 120

    # Catalog of the sources
    catalog_query_chars: int = 512
    catalog_hits: int = 50
    catalog_hits_default: int = 12
    catalog_candidates: int = 5
    catalog_resources: int = 50
    catalog_tables_of_query: int = 6
    catalog_columns: int = 200
    catalog_columns_bytes: int = 9 * KIB
    catalog_relationships: int = 50
    catalog_depth: int = 6
    catalog_join_depth_default: int = 3
    catalog_join_paths: int = 20
    catalog_ends: int = 8
    catalog_path_depth_default: int = 4
    catalog_paths: int = 8
    catalog_paths_default: int = 5
    catalog_path_steps: int = 50_000
    catalog_text_chars: int = 200
    catalog_seconds: int = 15

    # Remote tools over MCP: one call, every HTTP answer on its way, and what a server says about a tool
    mcp_seconds: int = 15
    mcp_request_bytes: int = 256 * KIB
    mcp_response_bytes: int = 512 * KIB
    mcp_http_requests: int = 24
    mcp_tools: int = 1_000
    mcp_schema_bytes: int = 32 * KIB
    mcp_schema_nodes: int = 1_000
    mcp_schema_depth: int = 24
    mcp_pattern_chars: int = 500
    mcp_description_chars: int = 1_000
    mcp_check_steps: int = 200_000
    mcp_error_chars: int = 500
    mcp_table_columns: int = 50
    mcp_retry_seconds: int = 60

    # Python in the sealed guest (facts/GUEST.md); fuel counts wasm operations, 10–15 G are about a second
    python_code_bytes: int = 32_000
    python_fuel: int = 20_000_000_000
    python_seconds: int = 10
    python_memory_bytes: int = 128 * MIB
    python_output_chars: int = 16_000
    python_output_sent_bytes: int = 10 * KIB
    python_table_rows: int = 1_000
    python_sql_calls: int = 25
    python_sql_rows: int = 10_000
    python_sql_response_bytes: int = 4 * MIB
    python_sql_seconds: int = 30
    python_concurrent: int = 4

    # Changes of data; rows at once whatever the manifest allows for a table
    update_rows: int = 1_000
    update_columns: int = 20
    update_conditions: int = 20
    update_list_values: int = 200
    update_value_chars: int = 4_000
    update_samples: int = 5
    update_image_bytes: int = 8 * MIB
    update_seconds: int = 15
    update_lock_ms: int = 2_000
    update_wait_seconds: int = 20

    # Approvals: how long a person is asked where the manifest says nothing
    approval_seconds: int = 600
    # From a run's beginning to its end, waiting for people included; a request for approval ends with it
    run_open_seconds: int = 86_400

    # Messages
    question_chars: int = 12_000
    answer_chars: int = 40_000
    history_chars: int = 24_000

    def override(self, values: Mapping[str, int]) -> Limits:
        """These limits with `values` replaced; a query keeps no more rows than evidence may hold. Raises
        ConfigurationError on an unknown name, a value below its floor, or more rows kept than evidence may hold."""
        known = limit_names()
        for name, value in values.items():
            if name not in known:
                near = process.extractOne(name, sorted(known))
                raise ConfigurationError(f"limits: unknown name {name!r}; did you mean {near[0]!r}?")
            if value < (floor := FLOORS.get(name, 1)):
                raise ConfigurationError(f"limits: {name} must be at least {floor:,} to work, not {value:,}")
        replaced = dataclasses.replace(self, **values)
        rows, kept = replaced.evidence_rows, replaced.sql_rows_kept
        if kept > rows and "sql_rows_kept" in values:
            raise ConfigurationError(
                f"limits: sql_rows_kept is {kept:,}, but evidence holds at most {rows:,} rows: raise evidence_rows too."
            )
        return dataclasses.replace(replaced, sql_rows_kept=min(kept, rows))


# Below these a part does not work at all; of all other limits the least value is 1.
FLOORS: Mapping[str, int] = {
    "evidence_rows": 200,  # what the longest page of the other tools has
    "model_text_bytes": 1 * KIB,
    "worker_memory_bytes": 8 * MIB,
    "worker_address_space_bytes": 1_200 * MIB,  # a process with DuckDB loaded, and some room to work in
}


def limit_names() -> frozenset[str]:
    """The names of all limits."""
    return frozenset(field.name for field in dataclasses.fields(Limits))


DEFAULT = Limits()

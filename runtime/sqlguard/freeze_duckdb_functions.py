"""Writes `duckdb_functions.json` from the installed DuckDB: `python -m runtime.sqlguard.freeze_duckdb_functions`.

Run it when the pinned DuckDB changes (a test fails until then) and read the difference: a new function is allowed
unless it is listed or matched below.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb

PATH = Path(__file__).with_name("duckdb_functions.json")

_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_COLLATION = re.compile(r"(icu_)?collate_")  # hundreds, and nobody calls them

# Reason -> names, or patterns with a star at the end.
DENIED: dict[str, str] = {
    "reads settings or session variables": "current_setting getvariable in_search_path",
    "changes state": "nextval setval setseed write_log currval",
    "waits": "sleep_ms pg_sleep",
    "only raises an error": "error assert_true",
    "handles SQL as text": "json_serialize_sql json_deserialize_sql json_serialize_plan current_query",
    "tells about the engine, the session or the host": (
        "version current_query_id current_connection_id current_transaction_id txid_current current_database "
        "current_catalog current_schema current_schemas current_user current_role session_user user inet_* has_* pg_* "
        "get_block_size parse_duckdb_log_message"
    ),
    "tells about the catalogue": "col_description obj_description shobj_description format_type format_pg_type "
    "map_to_pg_oid map_type_id_to_pg_oid",
    "is internal": (
        "combine combine_aggr finalize to_aggregate_state stats vector_type index_key create_sort_key constant_or_null "
        "remap_struct replace_type cast_to_type can_cast_implicitly get_type make_type invoke unpivot_list icu_* "
        "collate_* hive_partition_component variant_bytes_to_variant variant_to_parquet_variant variant_comparator "
        "variant_normalize bitstring_byte_comparable timetz_byte_comparable normalized_interval is_histogram_other_bin "
        "json_copy_* array_to_string_comma_default variant_group_object variant_group_array enum_*"
    ),
}

# A name people know from elsewhere, or one that is denied -> what to write here.
INSTEAD: dict[str, str] = {
    "read_csv": "the table's name: files are open as tables",
    "read_csv_auto": "the table's name: files are open as tables",
    "read_parquet": "the table's name: files are open as tables",
    "read_json": "the table's name: files are open as tables",
    "read_json_auto": "the table's name: files are open as tables",
    "read_text": "the table's name: files are open as tables",
    "parquet_scan": "the table's name: files are open as tables",
    "charindex": "strpos(text, part)",
    "convert": "CAST(value AS type)",
    "date_format": "strftime(date, '%Y-%m')",
    "dateadd": "date + INTERVAL 1 DAY",
    "decode": "CASE WHEN … THEN … END",
    "from_unixtime": "to_timestamp(seconds)",
    "getdate": "current_timestamp",
    "initcap": "upper(left(text, 1)) || lower(substr(text, 2))",
    "isnull": "coalesce(value, other)",
    "json_value": "column ->> '$.path'",
    "nvl": "coalesce(value, other)",
    "nvl2": "CASE WHEN value IS NOT NULL THEN a ELSE b END",
    "percentile": "quantile_cont(value, 0.5)",
    "safe_cast": "TRY_CAST(value AS type)",
    "str_to_date": "strptime(text, '%Y-%m-%d')",
    "substring_index": "split_part(text, separator, n)",
    "sysdate": "current_timestamp",
    "to_char": "strftime(date, '%Y-%m-%d')",
    "to_date": "strptime(text, '%Y-%m-%d')::DATE",
    "to_number": "TRY_CAST(text AS DOUBLE)",
    "version": "nothing: the engine is DuckDB",
}


def denied_reason(name: str) -> str | None:
    """Why a function of this name is not allowed, or None when it is."""
    for reason, names in DENIED.items():
        for listed in names.split():
            if name == listed or (listed.endswith("*") and name.startswith(listed[:-1])):
                return reason
    return None


def freeze() -> dict[str, Any]:
    """The content of the data file for the DuckDB that is installed."""
    connection = duckdb.connect(config={"autoload_known_extensions": "false"})
    rows = connection.execute("SELECT DISTINCT function_type, function_name FROM duckdb_functions()").fetchall()
    connection.close()
    found = {(kind, name) for kind, name in rows if _NAME.fullmatch(name)}
    allowed = {(kind, name) for kind, name in found if denied_reason(name) is None}
    return {
        "engine": "duckdb",
        "version": duckdb.__version__,
        "scalar": sorted({name for kind, name in allowed if kind in ("scalar", "macro")}),
        "aggregate": sorted({name for kind, name in allowed if kind == "aggregate"}),
        "window": sorted({name for kind, name in allowed if kind == "window"}),
        "denied": {
            name: denied_reason(name)
            for kind, name in sorted(found - allowed)
            if kind in ("scalar", "macro", "aggregate", "window") and not _COLLATION.match(name)
        },
        "instead": INSTEAD,
    }


if __name__ == "__main__":
    PATH.write_text(json.dumps(freeze(), indent=1, ensure_ascii=False) + "\n", "utf-8")

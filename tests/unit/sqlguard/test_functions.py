"""The function list is data frozen from the pinned DuckDB; when the engine changes, it is read anew by a person."""

import duckdb
import pytest

from runtime.sqlguard import GuardPolicy, validate
from runtime.sqlguard.duckdb_rules import rules
from runtime.sqlguard.freeze_duckdb_functions import denied_reason, freeze
from runtime.sqlguard.rules import function_data

# Volatile and allowed: they answer anew each time, and change or tell nothing.
HARMLESS_VOLATILE = {"random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "reservoir_quantile", "alias"}


def test_the_list_is_that_of_the_installed_engine():
    assert function_data("duckdb") == freeze(), (
        "run python -m runtime.sqlguard.freeze_duckdb_functions and read the difference"
    )
    assert function_data("duckdb")["version"] == duckdb.__version__ == rules().engine_version


def test_no_volatile_function_is_allowed_unseen():
    rows = duckdb.connect().execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() "
        "WHERE function_type IN ('scalar', 'aggregate') AND (stability = 'VOLATILE' OR has_side_effects)"
    )
    volatile = {name for (name,) in rows.fetchall()}
    assert volatile & rules().scalars <= HARMLESS_VOLATILE


def test_table_functions_are_five():
    assert rules().table_functions == {"range", "generate_series", "unnest", "json_each", "json_tree"}


@pytest.mark.parametrize(
    "name", ["read_csv", "query", "glob", "getvariable", "pg_sleep", "nextval", "json_serialize_sql"]
)
def test_known_dangers_are_not_listed(name):
    assert name not in rules().scalars


@pytest.mark.parametrize(("name", "denied"), [("has_table_privilege", True), ("hash", False), ("pg_typeof", True)])
def test_patterns_deny_whole_families(name, denied):
    assert (denied_reason(name) is not None) is denied


def test_every_allowed_function_passes_by_name_in_any_case():
    policy = GuardPolicy({})
    for name in function_data("duckdb")["scalar"]:
        if name not in OWN_GRAMMAR:
            validate(f'select "{name}"(1), {name.upper()}(2)', policy)


# Calls the parser reads by a grammar of their own; they are used in the queries of test_legitimate.py.
OWN_GRAMMAR = {"map", "apply", "replace", "trim", "substring", "position"}

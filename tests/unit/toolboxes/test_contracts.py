"""What every Files tool promises: described arguments, an example that is valid, bounds that are cut."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from runtime.boundary.contract import input_schema
from runtime.capability import Access
from runtime.errors import CallError
from runtime.toolboxes.files import (
    file_query,
    file_read,
    file_search,
    grep_files,
    inspect_table,
    list_files,
    make_chart,
    read_file,
    run_sql,
)

from .conftest import SCOPE, context, with_sources

TABLES = (list_files, inspect_table, run_sql, file_query, make_chart)
DOCUMENTS = (grep_files, read_file, file_search, file_read)
ALL = [module.CAPABILITY for module in (*TABLES, *DOCUMENTS)]
NAMES = [capability.tool for capability in ALL]


@pytest.mark.parametrize("capability", ALL, ids=NAMES)
def test_the_contract_is_whole(capability):
    schema = input_schema(capability.arguments, capability.example)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator.check_schema(capability.output_schema)
    assert all(body.get("description") for body in schema["properties"].values())
    assert schema["additionalProperties"] is False
    assert not list(Draft202012Validator(schema).iter_errors(dict(capability.example)))
    capability.arguments.model_validate(dict(capability.example))
    assert (capability.access, capability.effect) == (Access.READ, None)
    assert capability.id == f"files.{capability.tool}"
    assert capability.pinned is (capability.tool not in ("file_query", "file_search", "file_read"))
    for name, bound in capability.caps.items():
        assert schema["properties"][name]["maximum"] == bound


@pytest.mark.parametrize("capability", ALL, ids=NAMES)
def test_offered_only_with_a_workspace_and_touching_it(capability):
    assert capability.offered(SCOPE)
    assert not capability.offered(with_sources(SCOPE, tracker="mcp"))
    assert capability.offered(with_sources(SCOPE, shop="sqlite")) is (capability.tool == "make_chart")
    assert capability.source(capability.arguments.model_validate(dict(capability.example))) == "workspace"


@pytest.mark.parametrize(
    ("capability", "arguments"),
    [
        (list_files.CAPABILITY, {"limit": 0}),
        (list_files.CAPABILITY, {"kind": "images"}),
        (list_files.CAPABILITY, {"offset": -1}),
        (inspect_table.CAPABILITY, {"name": ""}),
        (inspect_table.CAPABILITY, {"name": "t", "rows": -1}),
        (run_sql.CAPABILITY, {"sql": "x" * 32_769}),
        (run_sql.CAPABILITY, {"sql": "SELECT 1", "source": "other"}),
        (grep_files.CAPABILITY, {"pattern": ""}),
        (grep_files.CAPABILITY, {"pattern": "a", "context": -1}),
        (read_file.CAPABILITY, {"names": ["a"] * 9}),
        (file_search.CAPABILITY, {"query": "x" * 513}),
        (file_read.CAPABILITY, {"path": "a", "position": "middle"}),
        (file_query.CAPABILITY, {"path_pattern": "*.csv", "sql": "x" * 8_193}),
        (make_chart.CAPABILITY, {"kind": "bar", "title": "t"}),
        (make_chart.CAPABILITY, {"kind": "bar", "title": "t", "sql": "SELECT 1", "evidence": "E1"}),
        (make_chart.CAPABILITY, {"kind": "pie", "title": "t", "sql": "SELECT 1"}),
        (make_chart.CAPABILITY, {"kind": "bar", "title": "t" * 51, "sql": "SELECT 1"}),
        (make_chart.CAPABILITY, {"kind": "bar", "title": "t", "sql": "SELECT 1", "unit": "u" * 21}),
        (make_chart.CAPABILITY, {"kind": "bar", "title": "t", "evidence": "<svg>"}),
    ],
)
def test_arguments_out_of_range_are_refused(capability, arguments):
    with pytest.raises(ValidationError):
        capability.arguments(**arguments)


async def test_without_a_workspace_the_call_says_so():
    with pytest.raises(CallError) as caught:
        await run_sql.CAPABILITY.execute(run_sql.RunSql(sql="SELECT 1"), context())
    assert caught.value.code == "no_workspace"

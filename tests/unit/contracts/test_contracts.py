"""What is published under manifests/ is what the code does, and nothing registers a tool behind the list's back."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from bot.contracts import FOLDER, documents
from runtime.boundary import Contract
from runtime.capability import Capability
from runtime.registry import CAPABILITIES, STARTED_BY_PEOPLE, Registry

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", sorted(documents()))
def test_a_generated_contract_is_checked_in_as_it_is(name) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == documents()[name], "run `python -m bot.contracts`"


def test_the_registry_is_exactly_what_is_published() -> None:
    published = json.loads((FOLDER / "capabilities.json").read_text(encoding="utf-8"))
    assert [tool["tool"] for tool in published["tools"]] == [item.tool for item in CAPABILITIES]


def test_the_tools_of_this_version_have_their_fixed_names() -> None:
    assert {item.tool: item.pinned for item in CAPABILITIES} == {
        "toolbox_search": True,
        "toolbox_load": True,
        "list_files": True,
        "inspect_table": True,
        "run_sql": True,
        "grep_files": True,
        "read_file": True,
        "run_python": True,
        "make_chart": True,
        "file_search": False,
        "file_read": False,
        "file_query": False,
        "catalog_search": True,
        "catalog_schema": True,
        "catalog_inspect": True,
        "catalog_traverse": False,
        "data_query_sqlite": True,
        "data_query_postgresql": True,
        "data_preview_postgresql_update": False,
        "data_update_postgresql": False,
    }


def test_every_capability_in_the_code_is_in_the_list_and_nothing_else_makes_one() -> None:
    made = [
        path.relative_to(ROOT).as_posix()
        for folder in ("runtime", "bot", "guest")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Capability"
    ]
    remote = ["runtime/toolboxes/sources/mcp_tool.py"]  # one for each tool that a manifest admits of another server
    assert len(made) == len((*CAPABILITIES, *STARTED_BY_PEOPLE, *remote))
    assert all(path.startswith("runtime/toolboxes/") for path in made)


def test_a_registry_cannot_be_changed_or_hold_a_name_twice() -> None:
    registry = Registry.of()
    with pytest.raises(TypeError):
        registry.by_tool["shell"] = CAPABILITIES[0]
    with pytest.raises(ValueError, match="share"):
        Registry.of((CAPABILITIES[0], CAPABILITIES[0]))


def test_packages_cannot_add_tools_from_outside() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "entry-points" not in text
    source = (ROOT / "runtime/registry.py").read_text(encoding="utf-8")
    assert "entry_points" not in source
    assert "importlib" not in source


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda item: item.tool)
def test_every_tool_has_a_closed_schema_described_properties_and_an_example_that_fits(capability: Capability) -> None:
    schema = Contract.of(capability).input_schema
    assert schema["additionalProperties"] is False
    assert all(_described(value) for value in schema["properties"].values())
    assert "note" in schema["properties"]
    Contract.of(capability).input_validator.validate(dict(capability.example))
    capability.arguments.model_validate_json(json.dumps(dict(capability.example)))


def _described(schema: dict) -> bool:
    return bool(schema.get("description"))

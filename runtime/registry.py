"""The registry: one explicit list of every capability, and the published contract of each tool."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from runtime.boundary import Contract
from runtime.capability import Capability, Services
from runtime.toolboxes.controls import load, search
from runtime.toolboxes.files import (
    file_query,
    file_read,
    file_search,
    grep_files,
    inspect_table,
    list_files,
    make_chart,
    read_file,
    run_python,
    run_sql,
)
from runtime.toolboxes.sources import (
    catalog_inspect,
    catalog_schema,
    catalog_search,
    catalog_traverse,
    data_preview_postgresql_update,
    data_query_postgresql,
    data_query_sqlite,
    data_undo_postgresql,
    data_update_postgresql,
)

CAPABILITIES: tuple[Capability[Any], ...] = (
    search.CAPABILITY,
    load.CAPABILITY,
    list_files.CAPABILITY,
    inspect_table.CAPABILITY,
    run_sql.CAPABILITY,
    grep_files.CAPABILITY,
    read_file.CAPABILITY,
    run_python.CAPABILITY,
    make_chart.CAPABILITY,
    file_search.CAPABILITY,
    file_read.CAPABILITY,
    file_query.CAPABILITY,
    catalog_search.CAPABILITY,
    catalog_schema.CAPABILITY,
    catalog_inspect.CAPABILITY,
    catalog_traverse.CAPABILITY,
    data_query_sqlite.CAPABILITY,
    data_query_postgresql.CAPABILITY,
    data_preview_postgresql_update.CAPABILITY,
    data_update_postgresql.CAPABILITY,
)

STARTED_BY_PEOPLE: tuple[Capability[Any], ...] = (data_undo_postgresql.CAPABILITY,)
"""What only a person's click starts: in no model's catalog, and carried out through the same stages."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All capabilities by tool name, in their published order. Nothing can be added once it is made."""

    by_tool: Mapping[str, Capability[Any]]

    @classmethod
    def of(cls, capabilities: tuple[Capability[Any], ...] = CAPABILITIES) -> Registry:
        """A registry of exactly these. Raises ValueError when two share an id or a tool name."""
        by_tool = {capability.tool: capability for capability in capabilities}
        if len(by_tool) != len(capabilities) or len({item.id for item in capabilities}) != len(capabilities):
            raise ValueError("two capabilities share a tool name or an id")
        return cls(MappingProxyType(by_tool))

    def served(self, services: Services) -> Registry:
        """This registry without the tools that need a service which the process hasn't got."""
        kept = {tool: item for tool, item in self.by_tool.items() if item.needs is None or services.has(item.needs)}
        return Registry(MappingProxyType(kept))

    def __iter__(self) -> Iterator[Capability[Any]]:
        return iter(self.by_tool.values())


def contract(capability: Capability[Any]) -> dict[str, Any]:
    """The published contract of one tool: everything that a change in it would change for a model."""
    return {
        "id": capability.id,
        "tool": capability.tool,
        "toolbox": capability.toolbox.value,
        "pinned": capability.pinned,
        "access": capability.access.value,
        "effect": capability.effect.kind.value if capability.effect else None,
        "needs_approval": bool(capability.effect and capability.effect.needs_approval),
        "summary": capability.summary,
        "when": capability.when,
        "description": capability.description,
        "input_schema": Contract.of(capability).input_schema,
        "output_schema": capability.output_schema,
        "caps": dict(capability.caps),
        "limits": {"deadline_s": capability.deadline_s, "model_text_bytes": capability.model_text_bytes},
    }


@lru_cache(maxsize=256)
def contract_digest(capability: Capability[Any]) -> str:
    """sha256 over the canonical contract, as hexadecimal digits."""
    return hashlib.sha256(json.dumps(contract(capability), sort_keys=True).encode()).hexdigest()


def contract_document(registry: Registry) -> str:
    """The text of manifests/capabilities.json."""
    return (
        json.dumps({"version": 1, "tools": [contract(item) for item in registry]}, indent=2, ensure_ascii=False) + "\n"
    )

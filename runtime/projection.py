"""What one run may see: the registry cut down to its scope, frozen at its start with a digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rapidfuzz import process

from runtime.boundary import Contract
from runtime.capability import Capability, CatalogEntry, Scope
from runtime.models.port import ToolDefinition
from runtime.registry import Registry, contract_digest


@dataclass(frozen=True, slots=True)
class RunCatalog:
    """The tools of one run. Immutable: what is not in it does not exist for the run."""

    by_tool: Mapping[str, Capability[Any]]
    entries: tuple[CatalogEntry, ...]
    digest: str

    def capability(self, tool: str) -> Capability[Any] | None:
        """The capability of a tool of this run, or None."""
        return self.by_tool.get(tool)

    def near(self, tool: str) -> tuple[str, ...]:
        """At most three names of this run that look like `tool`, nearest first."""
        return tuple(match[0] for match in process.extract(tool, list(self.by_tool), limit=3, score_cutoff=55))

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model is told, in a byte-stable order: pinned tools first, then those on demand."""
        ordered = sorted(self.by_tool.values(), key=lambda capability: not capability.pinned)
        return tuple(
            ToolDefinition(
                name=capability.tool,
                description=capability.description,
                input_schema=Contract.of(capability).input_schema,
                deferred=not capability.pinned,
            )
            for capability in ordered
        )


def project(registry: Registry, scope: Scope) -> RunCatalog:
    """The run catalog of a scope: tools that make sense there; nothing with an effect when no person started it."""
    visible = [item for item in registry if item.offered(scope) and not (scope.origin == "machine" and item.effect)]
    digest = hashlib.sha256("".join(contract_digest(item) for item in visible).encode()).hexdigest()
    return RunCatalog(
        by_tool=MappingProxyType({item.tool: item for item in visible}),
        entries=tuple(_entry(item) for item in visible),
        digest=f"sha256:{digest}",
    )


def _entry(capability: Capability[Any]) -> CatalogEntry:
    return CatalogEntry(
        tool=capability.tool,
        toolbox=capability.toolbox.value,
        summary=capability.summary,
        when=capability.when,
        access=capability.access.value,
        effect=capability.effect.kind.value if capability.effect else None,
        pinned=capability.pinned,
    )

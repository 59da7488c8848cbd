"""A real workspace behind the tools, and the context a call gets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from runtime.capability import (
    WORKSPACE_TERMS,
    CallContext,
    Capability,
    CatalogEntry,
    Output,
    Scope,
    Services,
    SourceKind,
    SourceTerms,
)
from runtime.clock import SystemClock
from runtime.engines.port import ReadEngines
from runtime.engines.workspace.workspace import Workspace
from runtime.limits import DEFAULT

SCOPE = Scope(
    run_id="r1",
    conversation="c1",
    origin="person",
    asker="U1",
    timezone="UTC",
    policy_revision="p1",
    sources=frozenset({"workspace"}),
    terms=WORKSPACE_TERMS,
)


def with_sources(scope: Scope, **kinds: str) -> Scope:
    """The scope with exactly these sources open, all their rows to the model."""
    terms = {name: SourceTerms(SourceKind(kind)) for name, kind in kinds.items()}
    return replace(scope, sources=frozenset(terms), terms=terms)


class NoTools:
    digest = "sha256:none"
    entries: tuple[CatalogEntry, ...] = ()


class Desk:
    """Opens a workspace and calls tools on it, checking each result against the tool's own schema."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[Workspace] = []

    async def open(self, files: Mapping[str, str], **limits: int) -> None:
        for name, text in files.items():
            path = self.folder / "files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            os.utime(path, (1_700_000_000, 1_700_000_000))
        clock = SystemClock()
        bounds = DEFAULT.override(limits)
        self.opened.append(await Workspace.open(self.folder / "files", self.folder / "cache", bounds, clock))

    async def close(self) -> None:
        for workspace in self.opened:
            await workspace.close()

    async def call(self, capability: Capability[Any], **arguments: Any) -> Output:
        output = await capability.execute(capability.arguments(**arguments), context(*self.opened))
        errors = list(Draft202012Validator(capability.output_schema).iter_errors(dict(output.data)))
        assert not errors, errors
        return output


def context(*services: object, **limits: int) -> CallContext:
    return CallContext(
        scope=replace(SCOPE),
        call_id="call_1",
        limits=DEFAULT.override(limits),
        clock=SystemClock(),
        services=Services(*services, ReadEngines({"workspace": next(iter(services), None)})),
        catalog=NoTools(),
        loaded=frozenset(),
        evidence=lambda _: None,
        deadline=0.0,
    )

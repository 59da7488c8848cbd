"""Sources of which only the structure is asked, and the catalog tools called on them as the boundary does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from runtime.admission.manifest import AllowDeny, ColumnRules
from runtime.boundary.bounded import fit
from runtime.capability import CallContext, Capability, CatalogEntry, Output, Scope, Services, SourceKind, SourceTerms
from runtime.catalog import Structure
from runtime.catalog.admitted import admitted
from runtime.engines.port import ReadEngines
from runtime.errors import CallError
from runtime.limits import DEFAULT
from runtime.testing.clock import ManualClock

# How a test's source is admitted; a workspace's structure stands in as a database.
KINDS = {"sqlite": SourceKind.SQLITE, "postgres": SourceKind.POSTGRESQL, "duckdb": SourceKind.SQLITE}


class StructureOnly:
    """An engine that knows its structure, or is down."""

    def __init__(self, structure: Structure, failure: CallError | None = None) -> None:
        self.dialect, self.known, self.failure = structure.dialect, structure, failure

    async def structure(self) -> Structure:
        if self.failure is not None:
            raise self.failure
        return self.known


class NoTools:
    digest = "sha256:none"
    entries: tuple[CatalogEntry, ...] = ()


class Desk:
    """Sources by id, those that are closed now, and calls on them whose results are checked against the contract."""

    def __init__(self, *structures: Structure) -> None:
        self.engines = {one.source: StructureOnly(one) for one in structures}
        self.closed = set[str]()

    def down(self, source: str) -> None:
        self.engines[source].failure = CallError("source_unavailable", f"{source} is down.", retryable=True)

    async def admitted(self, source_id: str) -> None:
        if source_id in self.closed:
            raise CallError("admission_changed", "Closed now.")

    def context(self) -> CallContext:
        terms = {name: SourceTerms(KINDS[engine.dialect]) for name, engine in self.engines.items()}
        return CallContext(
            scope=Scope("r1", "c1", "person", "U1", "UTC", "p1", frozenset(terms), terms=terms),
            call_id="call_1",
            limits=DEFAULT,
            clock=ManualClock(),
            services=Services(ReadEngines({}, self.engines)),
            catalog=NoTools(),
            loaded=frozenset(),
            evidence=lambda _: None,
            deadline=0.0,
            admitted=self.admitted,
        )

    async def output(self, capability: Capability[Any], **arguments: Any) -> Output:
        output = await capability.execute(capability.arguments(**arguments), self.context())
        errors = list(Draft202012Validator(capability.output_schema).iter_errors(dict(output.data)))
        assert not errors, errors
        text, _ = fit({"ok": True, "data": dict(output.data)}, output.listing, DEFAULT.model_text_bytes, 2_000)
        assert len(text.encode()) <= DEFAULT.model_text_bytes
        return output

    async def call(self, capability: Capability[Any], **arguments: Any) -> Mapping[str, Any]:
        return (await self.output(capability, **arguments)).data

    async def refused(self, capability: Capability[Any], **arguments: Any) -> CallError:
        with pytest.raises(CallError) as caught:
            await self.call(capability, **arguments)
        return caught.value


def everything(structure: Structure) -> Structure:
    """The structure under a manifest that admits all of it."""
    return admitted(structure, AllowDeny(), ColumnRules())

"""A remote tool as a run sees it: through the registry, the projection and the seven stages of the boundary."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from runtime.boundary import Call
from runtime.capability import Access, Closed, Open, Scope, Services, SourceKind, SourceTerms
from runtime.limits import DEFAULT
from runtime.projection import project
from runtime.registry import CAPABILITIES, Registry, contract
from runtime.run import boundary_of
from runtime.testing.clock import ManualClock
from runtime.testing.wiring import wiring_over
from runtime.toolboxes.sources.mcp_tool import remote_capabilities

from .servers import TOOL, raw_server

SEARCH = "mcp_tracker_search_issues"
SCOPE = Scope(
    "r1", "T:C:1", "person", "U1", "UTC", "p1", frozenset({"tracker"}), terms={"tracker": SourceTerms(SourceKind.MCP)}
)


@dataclass
class Admission:
    """Open until it is closed; remembers which source was asked for."""

    open: bool = True
    asked: tuple[str, ...] = ()

    async def source(self, scope: Scope, source_id: str) -> Open | Closed:
        self.asked += (source_id,)
        return Open("") if self.open else Closed("The admission policy changed.", "Ask again.")


class Run:
    """One run over an admitted server."""

    def __init__(self, server, scope: Scope = SCOPE) -> None:
        self.admission = Admission()
        self.registry = Registry.of((*CAPABILITIES, *remote_capabilities(server, DEFAULT)))
        self.catalog = project(self.registry, scope)
        self.count, self.clock = 0, ManualClock()
        wiring = wiring_over(Services(), self.admission, registry=self.registry, clock=self.clock)
        self.boundary = boundary_of(wiring, scope, self.catalog)

    async def call(self, **arguments: Any):
        self.count += 1
        call = Call(f"c{self.count}", SEARCH, arguments)
        (result,) = await self.boundary.batch(
            [call], first=self.count, loaded=frozenset({SEARCH}), allowed=9, deadline=self.clock.monotonic() + 300
        )
        return result, json.loads(result.text)


async def test_it_is_on_demand_reads_and_belongs_to_its_source(admitting):
    async with raw_server() as raw:
        run = Run(await admitting.admit(raw.url, "search_issues"))
    capability = run.catalog.by_tool[SEARCH]
    assert (capability.access, capability.effect, capability.pinned) == (Access.READ, None, False)
    assert capability.source(None) == "tracker"
    assert contract(capability)["input_schema"]["properties"].keys() == {"query", "note"}
    (definition,) = [one for one in run.catalog.definitions() if one.name == SEARCH]
    assert definition.deferred and definition.input_schema["additionalProperties"] is False


async def test_it_is_in_no_run_where_the_source_is_closed_or_not_looked_at(admitting):
    async with raw_server() as raw:
        server = await admitting.admit(raw.url, "search_issues")
        assert SEARCH not in Run(server, replace(SCOPE, sources=frozenset())).catalog.by_tool
        assert SEARCH not in Run(server, replace(SCOPE, terms={})).catalog.by_tool
        unseen = admitting.source(raw.url, {"search_issues": server.tools["search_issues"].digest})
        assert SEARCH not in Run(unseen).catalog.by_tool


async def test_only_what_the_manifest_admits_is_registered(admitting):
    async with raw_server(tools=[TOOL, TOOL | {"name": "create_issue"}]) as raw:
        run = Run(await admitting.admit(raw.url, "search_issues"))
    remote = [item.tool for item in run.registry if item.remote is not None]
    assert remote == [SEARCH]
    assert [item for item in run.registry if item.remote is None] == list(CAPABILITIES)


async def test_the_evidence_is_remote_whether_it_worked_or_not(admitting):
    async with raw_server() as raw:
        run = Run(await admitting.admit(raw.url, "search_issues"))
        result, body = await run.call(query="a", note="looking")
        assert body["ok"] and body["data"] == {"remote": True, "text": "3 issues"}
        assert result.evidence.remote and result.evidence.sources[0].object == "search_issues"
        assert any("remote server" in note for note in result.evidence.notes)
        raw.answers["tools/call"] = {"content": [], "isError": True}
        result, body = await run.call(query="b")
        assert body["error"]["code"] == "remote_failed" and result.evidence.remote


async def test_an_exact_repeat_asks_the_server_once(admitting):
    async with raw_server() as raw:
        run = Run(await admitting.admit(raw.url, "search_issues"))
        await run.call(query="a")
        again, _ = await run.call(query="a", note="once more")
        assert again.evidence.repeat_of == "E1" and again.evidence.remote
        assert raw.methods().count("tools/call") == 1


async def test_admission_is_asked_before_every_call_by_the_sources_id(admitting):
    async with raw_server() as raw:
        run = Run(await admitting.admit(raw.url, "search_issues"))
        await run.call(query="a")
        assert run.admission.asked == ("tracker",)
        asked = len(raw.seen)
        run.admission.open = False
        _, body = await run.call(query="b")
        assert body["error"]["code"] == "admission_changed"
        assert len(raw.seen) == asked


@pytest.mark.parametrize(
    "arguments", [{}, {"query": 4}, {"query": "a", "token": "x"}, {"query": "a", "note": "n" * 61}]
)
async def test_wrong_arguments_never_reach_the_server(admitting, arguments):
    async with raw_server() as raw:
        run = Run(await admitting.admit(raw.url, "search_issues"))
        asked = len(raw.seen)
        _, body = await run.call(**arguments)
        assert body["error"]["code"] == "invalid_arguments"
        assert len(raw.seen) == asked


async def test_a_long_text_is_cut_for_the_model_and_pictures_are_said(admitting):
    async with raw_server() as raw:
        run = Run(await admitting.admit(raw.url, "search_issues"))
        parts = [{"type": "text", "text": "é" * 60_000}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]
        raw.answers["tools/call"] = {"content": parts}
        result, body = await run.call(query="a")
        assert len(result.text.encode()) <= DEFAULT.model_text_bytes
        assert body["data"]["text"].startswith("ééé") and "AAAA" not in result.text
        assert "Left out: pictures (1)." in result.evidence.notes
        assert len(result.evidence.output) <= 16 * 1024

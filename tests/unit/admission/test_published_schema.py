"""The published JSON Schema and the loader are of one mind: what one takes the other takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from runtime.admission import load_manifest
from runtime.errors import ConfigurationError

PUBLISHED = Path(__file__).parents[3] / "manifests" / "admission.schema.json"
CRM = "{{id: crm, kind: postgresql, url: '${{CRM_READ_URL}}', audience: {{}}{more}}}"
RULE = "{{table: t, columns: [a], approvers: {{users: [U0ANN]}}{more}}}"


def place(audience: str) -> str:
    return f"workspace: {{root: d, audience: {audience}}}"


def crm(more: str) -> str:
    return f"sources: [{CRM.format(more=more)}]"


def rule(more: str) -> str:
    return crm(f", updates_url: '${{CRM_WRITE_URL}}', updates: [{RULE.format(more=more)}]")


TAKEN = [
    "",
    "version: 1.0",
    place("{im: yes}"),
    place("{channels: ['*', G0GROUP], users: [W012], external: true}"),
    crm(", updates: []"),
    crm(", updates_url: null"),
    rule(""),
    rule(", max_rows: 5.0, approvals: 2, self_approval: true, expires: 1h"),
    "limits: {sql_seconds: 30}",
    "limits: {sql_seconds: 30.0}",
    "channels: {'*': {follow_up: mention}, C0SALES: {budget_usd_day: 20}}",
    "budgets: {run_usd: 0.5, person_usd_day: null}",
    "retention: {conversations_days: 36500}",
    "workspace: null",
]
MCP = "sources: [{{id: t, kind: mcp, alias: {alias}, url: '{url}', tools: {tools}, audience: {{}}}}]"


def mcp(url: str = "https://a.example/", alias: str = "t", tools: str = "{}") -> str:
    return MCP.format(url=url, alias=alias, tools=tools)


TAKEN += [
    *map(mcp, ("https://a.example:8443/mcp", "https://[::1]:443/", "http://localhost:65535", "https://a.example")),
    "limits: {evidence_rows: 200}",
    "limits: {worker_address_space_bytes: 1258291200}",
    "limits: {evidence_rows: 5000, sql_rows_kept: 5000}",
]
REFUSED = [
    *map(mcp, ("https://h:notaport/", "https://h:0/", "https://h:65536/", "http://a.example/", "https://:443/")),
    "limits: {evidence_rows: 1}",
    "limits: {worker_address_space_bytes: 1}",
    "limits: {worker_memory_bytes: 1}",
    "limits: {model_text_bytes: 1}",
    "version: true",
    "version: '1'",
    "version: 2",
    place("{im: 'yes'}"),
    place("{im: 1}"),
    place("{external: 'false'}"),
    place("{channels: !!set {C0SALES}}"),
    place("{channels: '*'}"),
    rule(", max_rows: '5'"),
    rule(", max_rows: true"),
    rule(", max_rows: 0"),
    rule(", max_rows: 5.5"),
    rule(", approvals: true"),
    rule(", self_approval: 'no'"),
    rule(", expires: 99999999999999d"),
    crm(f", updates: [{RULE.format(more='')}]"),
    crm(f", updates_url: null, updates: [{RULE.format(more='')}]"),
    "limits: {sql_secs: 30}",
    "limits: {sql_seconds: 0}",
    "limits: {sql_seconds: 0.5}",
    "limits: {sql_seconds: '30'}",
    "channels: {sales: {follow_up: mention}}",
    "channels: {C0SALES: {budget_usd_day: '20'}}",
    "channels: {C0SALES: {budget_usd_day: true}}",
    "channels: {C0SALES: {timezon: UTC}}",
    "slack_files: {keep_days: 99999999999}",
    "slack_files: {max_mib: 0}",
    "retention: {conversations_days: '365'}",
    "sources: {shop: {kind: sqlite}}",
    "sources: [{id: a, path: x, audience: {}}]",
    "sources: [{id: t, kind: mcp, alias: t, url: 'https://a.example/', tools: {a b: 'sha256:"
    + "0" * 64
    + "'}, audience: {}}]",
]


def taken(path: Path) -> bool:
    try:
        load_manifest(path)
    except ConfigurationError:
        return False
    return True


def valid(text: str) -> bool:
    schema = Draft202012Validator(json.loads(PUBLISHED.read_text(encoding="utf-8")))
    return schema.is_valid(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("lines", "good"), [*((lines, True) for lines in TAKEN), *((lines, False) for lines in REFUSED)], ids=repr
)
def test_what_the_loader_takes_is_valid_and_nothing_else(tmp_path, monkeypatch, lines, good) -> None:
    for name in ("CRM_READ_URL", "CRM_WRITE_URL"):
        monkeypatch.setenv(name, "postgresql://reader@localhost/crm")
    text = lines if lines.startswith("version") else f"version: 1\n{lines}\n"
    path = tmp_path / "manifest.yaml"
    path.write_text(text, encoding="utf-8")
    assert (taken(path), valid(text)) == (good, good)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("channels: {C0SALES: {timezon: UTC}}", "channels.C0SALES.timezon: unknown key; did you mean 'timezone'?"),
        ("sources:", "sources: should be a list"),
        ("operators: [U0ANN]", "operators: should be a mapping of keys"),
        ("sources: [{id: a, path: x, audience: {}}]", "sources.0: lacks its kind: sqlite, postgresql or mcp"),
        (mcp(alias="My-Alias"), "sources.0.mcp.alias: 'My-Alias' is no alias, such as tickets"),
        (mcp("https://h:notaport/"), "sources.0.mcp.url: write an address, such as https://mcp.example.com/mcp"),
        (mcp(tools="{find: abc}"), "sources.0.mcp.tools.find: 'abc' is no digest, such as sha256:"),
        (mcp(tools="{a b: abc}"), "'a b' is no name of a remote tool, such as search_issues"),
        ("sources: [{id: My CRM, kind: sqlite, path: x, audience: {}}]", "'My CRM' is no id, such as crm"),
        (rule(", expires: soon"), "expires: 'soon' is no time, such as 10m"),
        ("limits: {evidence_rows: 1}", "limits: evidence_rows must be at least 200 to work, not 1"),
        ("limits: {sql_rows_kept: 5000}", "evidence holds at most 1,000 rows: raise evidence_rows too"),
        ("sources: [{id: a, kind: mysql, audience: {}}]", "sources.0: its kind should be sqlite, postgresql or mcp"),
    ],
)
def test_a_value_of_another_kind_is_told_what_it_should_be(tmp_path, lines, words) -> None:
    path = tmp_path / "manifest.yaml"
    path.write_text(f"version: 1\n{lines}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_manifest(path)
    assert words in str(caught.value)

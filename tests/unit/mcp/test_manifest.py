"""How a remote source may be declared: addresses, names, secrets."""

from __future__ import annotations

import json

import pytest

from runtime.admission import load_manifest
from runtime.errors import ConfigurationError

PIN = "sha256:" + "a" * 64


@pytest.fixture
def declared(tmp_path):
    def load(*sources: dict):
        path = tmp_path / "manifest.yaml"
        filled = [
            {"kind": "mcp", "url": "https://mcp.example.com/mcp", "alias": "t", "tools": {}, "audience": {"im": True}}
            | {"id": f"s{n}"}
            | source
            for n, source in enumerate(sources)
        ]
        path.write_text("version: 1\nsources: " + json.dumps(filled), encoding="utf-8")
        return load_manifest(path)

    return load


@pytest.mark.parametrize(
    "url",
    [
        "https://mcp.example.com",
        "https://mcp.example.com:8443/a/mcp?team=4",
        "http://127.0.0.1:9000/mcp",
        "http://localhost/mcp",
        "http://[::1]:9000/mcp",
    ],
)
def test_public_addresses_by_tls_and_this_machines_own_are_taken(declared, url):
    assert declared({"url": url}).sources[0].url == url


@pytest.mark.parametrize(
    "url",
    [
        "http://mcp.example.com/mcp",
        "http://127.0.0.1.example.com/mcp",
        "http://localhost:pw@example.com/mcp",
        "https://user:password@example.com/mcp",
        "https://example.com/mcp#part",
        "https://example.com/a b",
        "file:///etc/passwd",
        "stdio:run",
    ],
)
def test_other_addresses_and_literal_passwords_are_refused(declared, url):
    with pytest.raises(ConfigurationError, match="url"):
        declared({"url": url})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"tools": {"search issues": PIN}}, "tools"),
        ({"tools": {"search": "sha256:abc"}}, "tools"),
        ({"tools": {"search": "md5:" + "a" * 32}}, "tools"),
        ({"tools": {"s" * 59: PIN}, "alias": "tracker"}, "longer than 64 characters"),
        ({"alias": "Tracker"}, "alias"),
        ({"token": "literal"}, "token"),
        ({"token": "${FOOTNOTE_TEST_NO_SUCH_TOKEN}"}, "not set in the environment"),
    ],
)
def test_what_cannot_be_a_tool_or_a_secret_is_refused_in_words(declared, source, words):
    with pytest.raises(ConfigurationError, match=words):
        declared(source)


def test_two_tools_never_share_a_name(declared):
    one, other = {"alias": "a", "tools": {"b_c": PIN}}, {"alias": "a_b", "tools": {"c": PIN}}
    with pytest.raises(ConfigurationError, match="mcp_a_b_c"):
        declared(one, other)
    assert len(declared(one, {"alias": "other", "tools": {"c": PIN}}).sources) == 2


def test_a_token_is_a_reference_to_the_environment(declared, monkeypatch):
    monkeypatch.setenv("TRACKER_TOKEN", "s3cret")
    assert declared({"token": "${TRACKER_TOKEN}"}).sources[0].token == "${TRACKER_TOKEN}"

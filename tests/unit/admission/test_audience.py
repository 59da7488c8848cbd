"""The audience truth table, and a manifest that refuses what it does not know."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from runtime.admission import Asker, Audience, Conversation, Policy, decide, load_manifest, manifest_schema
from runtime.admission.policy import next_step_of, sentence_of
from runtime.errors import ConfigurationError

ROOT = Path(__file__).parents[3]
CASES = [json.loads(line) for line in (ROOT / "tests/cases/audience.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_truth_table_of_audiences(case) -> None:
    place, person = case["conversation"], case["asker"]
    try:
        audience = Audience(**case["audience"])
    except ValidationError:
        assert case["expect"] == "deny"
        return
    conversation = Conversation(
        place["kind"],
        place["id"],
        shared=place.get("ext_shared", False),
        pending_shared=place.get("pending_ext_shared", False),
        archived=place.get("archived", False),
        guest_can_read=place.get("has_guest", False),
    )
    asker = person and Asker(
        person["id"],
        external=person.get("external", False),
        guest=None if person.get("guest") is None else person["guest"] != "none",
        deactivated=person.get("deactivated", False),
        bot=person.get("bot", False),
        groups=frozenset(person.get("groups", ())),
    )
    verdict = decide(audience, conversation, asker)
    assert ("admit" if verdict.admitted else "deny", verdict.reason) == (case["expect"], case["reason"])


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "manifest.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 1\nworkspce: {}\n", "did you mean 'workspace'"),
        ("version: 1\nworkspace: {root: ., audience: {channls: []}}\n", "did you mean 'channels'"),
        ("version: 1\ntimezone: Europe/Belin\n", "no IANA time zone"),
        ("version: 1\nchannels: {C0SALES: {timezone: Mars/Base}}\n", "no IANA time zone"),
        ("version: 2\n", "version"),
        ("- 1\n", "mapping"),
        ("version: [\n", "not YAML"),
        (
            "version: 1\nworkspace: {root: ., audience: {channels: [sales]}}\n",
            "audience.channels.0: 'sales' is no channel's id, such as C0SALES, nor \"*\"; names are not taken",
        ),
        ("version: 1\noperators: {users: ['@ann']}\n", "'@ann' is no person's id, such as U0ANN; names are not taken"),
        ("version: 1\noperators: {groups: [ops]}\n", "'ops' is no user group's id"),
        ("version: 1\nchannels: {sales: {}}\n", "'sales' is no channel's id"),
        ("version: 1\nlimits: {sql_second: 3}\n", "did you mean 'sql_seconds'"),
        ("version: 1\nlimits: {sql_seconds: 0}\n", "at least 1"),
        (
            "version: 1\nsources: [{id: crm, kind: postgresql, url: 'postgres://u:p@h/d', audience: {}}]\n",
            "sources.0.postgresql.url: write a reference to the environment, such as ${CRM_READ_URL}",
        ),
        ("version: 1\nsources: [{id: crm, kind: postgresql, url: '${NOT_SET_ANYWHERE}', audience: {}}]\n", "not set"),
        (
            "version: 1\nsources:\n" + 2 * "- {id: a, kind: sqlite, path: x, audience: {}}\n",
            "distinct",
        ),
    ],
)
def test_a_wrong_manifest_names_the_key_and_how_to_mend_it(tmp_path, text, said) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        load_manifest(write(tmp_path, text))


def test_a_missing_manifest_is_named(tmp_path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        load_manifest(tmp_path / "nowhere.yaml")


def test_the_example_manifest_loads_and_its_digest_changes_with_every_word(monkeypatch) -> None:
    monkeypatch.setenv("CRM_READ_URL", "postgresql://reader@localhost/crm")
    monkeypatch.setenv("CRM_WRITE_URL", "postgresql://writer@localhost/crm")
    path = ROOT / "manifests/example.yaml"
    manifest = load_manifest(path)
    assert manifest.timezone == "Europe/Berlin"
    other = manifest.model_copy(update={"timezone": "UTC"})
    assert Policy.of(manifest).revision == Policy.of(load_manifest(path)).revision != Policy.of(other).revision


def test_the_published_schema_is_the_one_that_loads() -> None:
    published = json.loads((ROOT / "manifests/admission.schema.json").read_text())
    assert published == manifest_schema()


def test_a_reason_names_what_is_closed_wherever_its_sentence_stands() -> None:
    assert sentence_of("guest_asker") == "The data is not open to guests."
    assert sentence_of("a reason of tomorrow") == "The data is closed here."


REASONS = sorted({case["reason"] for case in CASES} - {"ok"})


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_says_what_is_closed_and_what_to_do_next(reason: str) -> None:
    assert sentence_of(reason) != sentence_of("a reason of tomorrow")
    assert next_step_of(reason) and next_step_of(reason) != next_step_of("a reason of tomorrow")

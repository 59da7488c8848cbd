"""A manifest's text: whatever stands in the file, it loads as meant or is refused in words that name the place."""

from __future__ import annotations

import pytest

from runtime.admission import load_manifest
from runtime.capability import ApproverRule, EffectKind
from runtime.errors import ConfigurationError

GOOD = "version: 1\ntimezone: Europe/Berlin\nworkspace: {root: ./data, audience: {im: true}}\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GOOD + "version: 1\n", "'version' stands twice"),
        (GOOD.replace("{im: true}", "{im: true, channels: [C0SALES], channels: ['*']}"), "'channels' stands twice"),
        (GOOD + "? [a]\n: 6\n", "not YAML"),
        ("a: " + "[" * 5_000 + "]" * 5_000, "nested too deep"),
        (GOOD + "x: !!python/object/apply:os.system ['true']\n", "not YAML"),
        (GOOD + "".join(f"key{n}: 1\n" for n in range(2_000)), "and 1,980 more"),
        (GOOD + "limits: {sql_seconds: true}\n", "limits.sql_seconds"),
        (GOOD + f"limits: {{worker_memory_bytes: {'9' * 400}}}\n", "limits.worker_memory_bytes"),
        ("- 1\n", "mapping"),
        ("", "mapping"),
    ],
    ids=lambda text: text[-30:],
)
def test_what_cannot_be_meant_is_refused_in_words(tmp_path, text, words) -> None:
    path = tmp_path / "manifest.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="manifest") as caught:
        load_manifest(path)
    assert words in str(caught.value)


def test_a_secret_behind_a_file_that_is_not_there_is_named(tmp_path, monkeypatch) -> None:
    path = tmp_path / "manifest.yaml"
    crm = "sources: [{id: crm, kind: postgresql, url: '${CRM_READ_URL}', audience: {im: true}}]\n"
    path.write_text(GOOD + crm, encoding="utf-8")
    monkeypatch.setenv("CRM_READ_URL_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match="CRM_READ_URL_FILE names"):
        load_manifest(path)


def test_aliases_and_merges_are_still_yaml(tmp_path) -> None:
    path = tmp_path / "manifest.yaml"
    path.write_text(
        GOOD + "channels:\n  C0SALES: &base {follow_up: mention}\n  C0FIN: {<<: *base, timezone: UTC}\n",
        encoding="utf-8",
    )
    assert load_manifest(path).channels["C0FIN"].follow_up == "mention"


def test_the_manifest_names_who_approves_each_kind_of_effect(tmp_path) -> None:
    effects = (
        "version: 1\neffects:\n"
        "  knowledge: {approvers: {groups: [S0APPR]}, self_approval: true}\n"
        "  delivery: {approvers: {users: [U0ANN]}}\n"
    )
    path = tmp_path / "manifest.yaml"
    path.write_text(effects)
    rules = load_manifest(path).effects
    knowledge = rules.approver_rule(EffectKind.ADVISORY_CONTEXT)
    assert knowledge == ApproverRule(groups=("S0APPR",), self_approval=True)
    assert rules.approver_rule(EffectKind.DELIVERY_CONFIGURATION) == ApproverRule(users=("U0ANN",))
    assert rules.approver_rule(EffectKind.MANAGE_ROUTINE) is None
    assert rules.approver_rule(EffectKind.MUTATE_DATA) is None

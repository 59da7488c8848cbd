"""A name from Slack is a name in a folder and nothing else; what Slack says of a file is never a fault."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.shared_files.slack_file import SlackFile, described, safe_name

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["id", "name", "size", "mode", "mimetype", "file_access", "url_private_download", "is_external"])


@given(st.text(max_size=400) | st.text(alphabet="./\\ \n\0ä€😀«»", max_size=400))
def test_a_name_is_one_short_line_without_a_path(name: str) -> None:
    safe = safe_name(name)
    assert 0 < len(safe.encode()) <= 160
    assert not set(safe) & set("/\\\0\n\r«»")
    assert safe.strip(". ")
    assert safe_name(safe) == safe


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Q3 report.xlsx", "Q3 report.xlsx"),
        ("../../etc/passwd.csv", "passwd.csv"),
        ("C:\\Users\\mia\\orders.csv", "orders.csv"),
        ("a\nb\u202egpj.csv", "a bgpj.csv"),
        ("ä" * 200 + ".csv", "ä" * 78 + ".csv"),
        ("..", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_names_keep_what_people_know_them_by(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@given(st.lists(st.dictionaries(KEYS, JSON, max_size=6) | JSON, max_size=5) | JSON)
def test_no_shape_of_a_file_is_a_fault(files: object) -> None:
    kept = described(files)
    for raw in json.loads(json.dumps(kept)):
        file = SlackFile.of(raw)
        assert isinstance(file.refusal(1_000), str)
        assert file.size is None or isinstance(file.size, int)

"""The published cases of text for Slack: every one is right, the hard ones too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.render.limits import PIECE_CHARS
from bot.render.text import answer_text, cell_text, code_text, title_text

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases" / "slack_text.jsonl").read_text("utf-8").splitlines()
]
RENDER = {
    "answer": lambda text: answer_text(text, ("docs.example.com",)),
    "cell": lambda value: (cell_text(value),),
    "title": lambda text: (title_text(text),),
    "code": lambda text: (code_text(text),),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case.get('tier', 'plain')}")
def test_case(case):
    texts = RENDER[case["context"]](case["input"])
    whole = "\n".join(texts)
    assert [part for part in case["must_contain"] if part not in whole] == []
    assert [part for part in [*case["must_not_contain"], *case.get("must_not_render", [])] if part in whole] == []
    assert case.get("min_len", 0) <= len(whole) <= case.get("max_len", len(whole))
    assert all(len(text) <= case.get("max_block_len", PIECE_CHARS) for text in texts)
    assert whole.count("```") % 2 == 0 or case["context"] == "code"
    places = [whole.find(part) for part in case.get("order", [])]
    assert places == sorted(places) and -1 not in places

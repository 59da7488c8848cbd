"""Whatever is written, what reaches Slack is inert and within its bounds."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
import wild
import wire

from bot.render.measure import chars
from bot.render.text import (
    answer_text,
    cell_raw,
    cell_text,
    code_text,
    fallback_text,
    line_text,
    name_text,
    summary_of,
    title_text,
)

HOSTS = ("docs.example.com",)


@given(wild.texts, st.integers(60, 3_000))
@settings(max_examples=150, deadline=None)
def test_answers_are_inert_and_bounded(markdown, most):
    for piece in answer_text(markdown, HOSTS, most):
        assert 0 < chars(piece) <= most
        wire.assert_inert(piece)


@given(wild.long_texts)
@settings(max_examples=20, deadline=None)
def test_long_answers_are_inert_and_bounded(markdown):
    for piece in answer_text(markdown, HOSTS):
        assert 0 < chars(piece) <= 2_900
        wire.assert_inert(piece)


@given(wild.texts)
@settings(max_examples=100, deadline=None)
def test_without_hosts_nothing_at_all_is_live(markdown):
    assert all("<" not in piece for piece in answer_text(markdown))


@given(wild.cells)
@settings(max_examples=150, deadline=None)
def test_cells_are_one_visible_line(value):
    text = cell_text(value)
    wire.assert_inert(text)
    assert text.strip() and "\n" not in text and len(text) <= 1_000
    raw = cell_raw(value)
    wire.assert_plain_inert(raw)
    assert raw.strip() and "\n" not in raw and chars(raw) <= 200


@given(wild.texts)
@settings(max_examples=100, deadline=None)
def test_titles_names_and_lines(text):
    for title in (title_text(text), name_text(text)):
        wire.assert_plain_inert(title)
        assert "\n" not in title and chars(title) <= 150
    for line in (line_text(text), fallback_text(text), summary_of(text)):
        wire.assert_inert(line)
        assert "\n" not in line
    wire.assert_inert(code_text(text).replace("``", ""))
    assert "```" not in code_text(text)


@given(st.lists(st.text("abc 0123", min_size=1, max_size=40), min_size=1, max_size=80), st.integers(40, 400))
@settings(max_examples=100, deadline=None)
def test_no_word_of_plain_prose_is_lost(lines, most):
    markdown = "\n\n".join(line.strip() or "x" for line in lines)
    said = "".join(" ".join(answer_text(markdown, HOSTS, most)).split())
    assert [c for c in said if c.isalpha()] == [c for c in markdown if c.isalpha()]

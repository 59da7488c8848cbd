"""Over wild evidence: no message breaks a limit, by our own table and by the strict server's, and nothing is lost."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
import wild
import wire

from bot.local.validate import check_message
from bot.render import limits
from bot.render.answer import AnswerView, answer_messages
from bot.render.blocks import tables
from bot.render.failure import failure_message, plain_message
from bot.render.fallback import as_text, flat, short_text
from bot.render.files import result_files
from bot.render.measure import chars, json_bytes, shown_chars
from bot.render.pack import evidence_messages

WILD = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def assert_taken(message):
    assert check_message(message.as_json()) is None
    assert len(message.blocks) <= limits.MESSAGE_BLOCKS
    assert json_bytes(list(message.blocks)) <= limits.MESSAGE_BLOCKS_BYTES
    assert shown_chars(message.blocks) <= limits.MESSAGE_TEXT_CHARS
    assert tables(message.blocks) <= 1
    wire.assert_message_inert(message)


def reached(messages):
    """Evidence ids in the order in which they can be read: folds by title, lines by their mark."""
    found = []
    for message in messages:
        for block in message.blocks:
            if block["type"] == "container" and {child["type"] for child in block["child_blocks"]} == {"context"}:
                texts = [child["elements"][0]["text"] for child in block["child_blocks"]]
                lines = [line for text in texts for line in text.split("\n")]
                # A fold of one item has its small print alone only when nothing else is to be shown.
                found += (
                    [line.split("*")[1] for line in lines]
                    if " to " in block["title"]["text"]
                    else [block["title"]["text"].split(" ")[0]]
                )
            elif block["type"] == "container":
                found.append(block["title"]["text"].split(" ")[0])
            elif block["type"] == "context":
                found += [line.split("*")[1] for line in block["elements"][0]["text"].split("\n")]
    return found


@given(wild.runs(), st.randoms(use_true_random=False))
@WILD
def test_evidence_is_packed_in_order_and_complete(items, random):
    cited = frozenset(item.id for item in items if random.random() < 0.6)
    messages = evidence_messages(items, cited, "run")
    for message in messages:
        assert_taken(message)
    assert reached(messages) == [item.id for item in items]


@given(wild.runs(most=3), wild.long_texts, wild.texts)
@WILD
def test_answers_keep_every_limit(items, markdown, line):
    cited = frozenset(item.id for item in items)
    files = result_files(items, cited)
    view = AnswerView(markdown, line, items, cited, "r" * 300, files, frozenset({"docs.example.com"}))
    for message in answer_messages(view):
        assert_taken(message)
    for file in files:
        assert file.content and len(file.alt_text) <= limits.FILE_ALT_CHARS
        wire.assert_plain_inert(file.title)


@pytest.mark.parametrize(
    "text",
    [
        "订单很多。",
        "Заказов было много. ",
        "\U0001f600",
        "a\u0301\u0302",
        "<",
        "&",
        '"\\',
        "a\n",
        "é" * 90 + " ",
        "`é` ",
        "[",
        "1. é\n",
    ],
)
@pytest.mark.parametrize("shape", ["{}", "```\n{}\n```", "| é | b |\n|---|---|\n| {} | 2 |\n"])
def test_a_long_answer_in_any_script_keeps_every_limit_and_loses_nothing(text, shape):
    markdown = shape.format(text * (20_000 // len(text)))
    view = AnswerView(markdown, "日" * 2_000, (), frozenset(), "r" * 32)
    messages = answer_messages(view)
    for message in messages:
        assert_taken(message)
    letters = sum(message.as_json()["blocks"].__str__().count("é") for message in messages)
    assert letters == markdown.count("é")


@pytest.mark.parametrize("text", ["http://" + "a." * 40_000, "mailto:" * 12_000, "a://" * 20_000, "www." * 20_000])
def test_runs_that_look_like_addresses_are_read_in_reasonable_time(text):
    for message in answer_messages(AnswerView(text, "", (), frozenset(), "r")):
        assert_taken(message)


@given(wild.runs(most=3))
@WILD
def test_lower_rungs_keep_every_limit_too(items):
    for message in evidence_messages(items, {item.id for item in items}, "run"):
        lower = flat(message)
        if lower is not None:
            assert_taken(lower)
            assert not any(block["type"] in ("container", "table") for block in lower.blocks)
        full = as_text(message)
        wire.assert_inert(full)
        text, left = short_text(full)
        assert chars(text) <= limits.TEXT_CHARS
        assert left == (text != full)
        wire.assert_inert(text)


@given(wild.texts, wild.texts)
@settings(max_examples=100, deadline=None)
def test_notices(sentence, correlation):
    assert_taken(failure_message(sentence, correlation, retry_value="abc"))
    assert_taken(plain_message(sentence))

"""Which events hold a question for us, and that no event of any shape is a fault."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.question import from_event

BOT = "U0FOOTNOTE"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def event(**more: Any) -> dict[str, Any]:
    values = {"type": "app_mention", "user": "U1", "ts": "1.2", "channel": "C1", "text": f"<@{BOT}> how many?"}
    return {"team_id": "T1", "event": values | more}


def test_a_mention_is_a_question_of_its_own_thread():
    question = from_event(event(), BOT)
    assert question is not None
    assert (question.text, question.thread_ts, question.addressed) == ("how many?", "1.2", True)


@pytest.mark.parametrize(
    ("files", "count"), [([{}, {}], 2), ([], 0), (None, 0), ({"a": 1}, 0), ("two", 0), (7, 0), (True, 0)]
)
def test_files_that_are_no_list_are_none(files, count):
    question = from_event(event(files=files), BOT)
    assert question is not None
    assert question.files == count


@pytest.mark.parametrize(
    "more",
    [
        {"subtype": "message_changed"},
        {"subtype": ["file_share"]},
        {"subtype": {}},
        {"bot_id": "B1"},
        {"hidden": True},
        {"user": BOT},
        {"user": None},
        {"type": "message", "text": "<@U2> look"},
    ],
)
def test_what_is_no_persons_question_is_none(more):
    assert from_event(event(**more), BOT) is None


KEYS = ("type", "user", "ts", "channel", "text", "thread_ts", "subtype", "bot_id", "files", "channel_type")


@given(st.dictionaries(st.sampled_from(KEYS), JSON), JSON)
def test_no_shape_of_an_event_is_a_fault(more, other):
    from_event(event(**more), BOT)
    from_event({"event": other}, BOT)

"""Which events hold a question for us, and that no event of any shape is a fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.question import Question, from_event

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


def test_of_a_file_only_what_is_needed_to_fetch_it_is_kept():
    file = {"id": "F1", "name": "a.csv", "size": 3, "preview": "secret", "shares": {"public": {}}, "mode": None}
    question = from_event(event(files=[file, {"id": "F2"}]), BOT)
    assert question is not None
    assert question.files == ({"id": "F1", "name": "a.csv", "size": 3}, {"id": "F2"})
    assert Question(**json.loads(json.dumps(question.as_json()))).files == [*question.files]


@pytest.mark.parametrize("files", [[], None, {"a": 1}, "two", 7, True, [{}], [{"id": 7}], [None, "F1"]])
def test_files_that_are_none_are_left_out(files):
    question = from_event(event(files=files), BOT)
    assert question is not None
    assert question.files == ()


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

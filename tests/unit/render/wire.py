"""What must hold for any text that reaches Slack, whatever went in."""

from __future__ import annotations

import re

ALLOWED = re.compile(r"<https://docs\.example\.com(?:[/?#][^<>|\s]*)?(?:\|[^<>\n]*)?>")
SCHEMES = re.compile(
    r"(?i)(?<![a-z0-9])(?:https?|ftp|file|slack)://|javascript:\S|mailto:\S+@|(?<![a-z0-9])www\.[a-z0-9]"
)
INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def assert_inert(text: str) -> None:
    """No live mention, broadcast, foreign link or image; nothing invisible; fences balanced."""
    rest = ALLOWED.sub("", text)
    assert "<" not in rest and ">" not in rest, text
    assert not re.search(r"&(?!amp;|lt;|gt;)", rest), text
    assert not SCHEMES.search(rest), text
    assert not INVISIBLE.search(rest), repr(text)
    assert rest.count("```") % 2 == 0, text
    assert "````" not in rest, text


def assert_plain_inert(text: str) -> None:
    """For plain_text and raw_text objects: no control sequence is left even if something parsed them."""
    assert not re.search(r"<[!@#]|<[a-zA-Z][a-zA-Z0-9+.-]*:", text), text
    assert not SCHEMES.search(text), text
    assert not INVISIBLE.search(text), repr(text)


def text_objects(node):
    """Every text object anywhere in a payload."""
    if isinstance(node, dict):
        if node.get("type") in ("mrkdwn", "plain_text", "raw_text"):
            yield node
        for value in node.values():
            yield from text_objects(value)
    elif isinstance(node, (list, tuple)):
        for value in node:
            yield from text_objects(value)


def assert_message_inert(message) -> None:
    """All texts of a message."""
    assert_inert(message.text)
    for found in text_objects(message.blocks):
        if found["type"] == "mrkdwn":
            assert found.get("verbatim") is True
            assert_inert(found["text"])
        else:
            assert_plain_inert(found["text"])

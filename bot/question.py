"""A question as Slack delivers it: which messages are for us, and the plain words in them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bot.address import Address
from bot.shared_files.slack_file import described

# Anything else (joins, edits, deletions, other bots' posts) is no question: facts/SLACK.md 5, loops.
_SUBTYPES = ("file_share", "thread_broadcast")
_TOKEN = re.compile(r"<([@#!]?)([^>|]*)(?:\|([^>]*))?>")


@dataclass(frozen=True, slots=True)
class Question:
    """One person's message. `addressed` says that the bot is mentioned or written to directly; `files` is
    what is kept of the Slack files that came with it; `undo` names the receipt of a change to be undone."""

    team: str
    channel: str
    ts: str
    thread_ts: str
    user: str
    text: str
    addressed: bool
    files: Sequence[Mapping[str, Any]] = ()
    undo: str = ""

    @property
    def address(self) -> Address:
        """The conversation that it is asked in."""
        return Address(self.team, self.channel, self.thread_ts)

    @property
    def key(self) -> str:
        """The identity of the message itself, whichever events announce it."""
        return f"{self.team}:{self.channel}:{self.ts}"

    def as_json(self) -> dict[str, Any]:
        """Plain JSON for the inbox, the inverse of `Question(**body)`."""
        return asdict(self)


def event_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The event in an Events API body; empty when what stands there is none."""
    event = body.get("event")
    return event if isinstance(event, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]


def team_of(body: Mapping[str, Any]) -> str:
    """The workspace that an Events API body is from."""
    return str(body.get("context_team_id") or body.get("team_id") or event_of(body).get("team") or "")


def from_event(body: Mapping[str, Any], bot_user: str) -> Question | None:
    """The question in an Events API body, or None when the event is no person's message."""
    event = event_of(body)
    if event.get("type") not in ("app_mention", "message") or event.get("hidden"):
        return None
    user, ts, channel = event.get("user"), event.get("ts"), event.get("channel")
    subtype = event.get("subtype")
    if (subtype is not None and subtype not in _SUBTYPES) or event.get("bot_id") or not (user and ts and channel):
        return None
    if user == bot_user:
        return None
    raw = str(event.get("text") or "")
    mentioned = event["type"] == "app_mention" or f"<@{bot_user}>" in raw or f"<@{bot_user}|" in raw
    direct = event.get("channel_type") == "im" or str(channel).startswith("D")
    other = next((match[2] for match in _TOKEN.finditer(raw) if match[1] == "@" and match[2] != bot_user), None)
    if not mentioned and not direct and other is not None:
        return None  # addressed to somebody else
    return Question(
        team=team_of(body),
        channel=str(channel),
        ts=str(ts),
        thread_ts=str(event.get("thread_ts") or ts),
        user=str(user),
        text=plain_text(raw, bot_user),
        addressed=mentioned or direct,
        files=described(event.get("files")),
    )


def too_long(text: str, most: int) -> str | None:
    """What is said to a question of more than `most` characters; None to any other."""
    if len(text) <= most:
        return None
    return f"Your message has {len(text):,} characters; I read at most {most:,}. Please ask in fewer words."


def plain_text(raw: str, bot_user: str) -> str:
    """Slack's escaped text as plain words: our own mention is dropped, other tokens show their label."""

    def replace(match: re.Match[str]) -> str:
        sigil, target, label = match[1], match[2], match[3]
        if sigil == "@":
            return "" if target == bot_user else f"@{label or target}"
        if sigil == "#":
            return f"#{label or target}"
        if sigil == "!":
            return label or f"@{target.split('^')[0]}"
        return f"{label} ({target})" if label and label != target else target

    words = html.unescape(_TOKEN.sub(replace, raw)).strip()
    return words.encode("utf-8", "replace").decode()  # half an emoji, cut by somebody, is no text

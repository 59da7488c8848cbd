"""The payload of a delivery: plain JSON in the outbox, typed where it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.render.blocks import SlackMessage
from bot.render.files import FilePart
from runtime.state import NewDelivery


@dataclass(frozen=True, slots=True)
class Place:
    """Where a posting goes. Without `thread_ts` it is a message of its own; `ts` names the message to be edited."""

    channel: str
    thread_ts: str | None = None
    ts: str | None = None

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Place:
        """The place of a payload."""
        return cls(payload["channel"], payload.get("thread_ts"), payload.get("ts"))

    def as_json(self) -> dict[str, Any]:
        """Only what is set."""
        named = {"channel": self.channel, "thread_ts": self.thread_ts, "ts": self.ts}
        return {name: value for name, value in named.items() if value is not None}

    def __str__(self) -> str:
        return f"{self.channel}:{self.thread_ts or ''}"


def deliveries_of(
    source: str,
    channel: str,
    thread_ts: str | None,
    messages: Sequence[SlackMessage],
    files: Sequence[FilePart] = (),
) -> list[NewDelivery]:
    """The postings of one turn in their order: messages, then files. `source` is the turn's id."""
    place = Place(channel, thread_ts)
    bodies = [("message", message.as_json()) for message in messages] + [("file", file.as_json()) for file in files]
    return [
        NewDelivery(source, str(place), number, kind, {**place.as_json(), **body})  # type: ignore[arg-type]
        for number, (kind, body) in enumerate(bodies, 1)
    ]


def update_of(source: str, channel: str, ts: str, message: SlackMessage, part_no: int = 1) -> NewDelivery:
    """An edit of our own message `ts`."""
    place = Place(channel, ts=ts)
    return NewDelivery(source, f"{channel}:{ts}:update", part_no, "update", {**place.as_json(), **message.as_json()})


def message_of(payload: Mapping[str, Any]) -> SlackMessage:
    """The message of a payload."""
    return SlackMessage(payload["text"], tuple(payload["blocks"]))

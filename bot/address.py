"""The address of a conversation: one Slack thread, as the opaque text that the runtime carries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """A thread of a channel of a team. `str()` and `parse` are inverse."""

    team: str
    channel: str
    thread_ts: str

    def __str__(self) -> str:
        return f"{self.team}:{self.channel}:{self.thread_ts}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address that `str()` gave. Raises ValueError for anything else."""
        team, channel, thread_ts = text.split(":")
        return cls(team, channel, thread_ts)

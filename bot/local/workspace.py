"""The workspace's memory: world, messages, files, views, statuses, and everything that was recorded."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from runtime.clock import Clock

from .changes import Changes
from .faults import Faults
from .numbering import Numbering
from .wire import ApiCall, Json, SlackError
from .world import AppInstall, Channel, Person, World


@dataclass(frozen=True, slots=True)
class Status:
    """One call of `assistant.threads.setStatus`, or its clearing by a post (`cleared_by_post`)."""

    channel: str
    thread_ts: str
    status: str
    loading_messages: tuple[str, ...]
    at: float
    cleared_by_post: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A payload that the strict limits refused: the method, Slack's error, and where it hurt."""

    method: str
    error: str
    messages: tuple[str, ...]
    args: Json


@dataclass(slots=True)
class StoredFile:
    """A file: its Slack object and its bytes (None until uploaded)."""

    info: Json
    length: int
    content: bytes | None = None
    completed: bool = False


@dataclass(slots=True)
class Grant:
    """A right handed out for a short time: a trigger id or a response url."""

    app_id: str
    user: str
    channel: str
    at: float
    uses: int = 0
    message_ts: str | None = None
    ephemeral: bool = False
    thread_ts: str | None = None


@dataclass(slots=True)
class Stream:
    """A message being streamed."""

    channel: str
    ts: str
    started: float
    text: str = ""


#: A status disappears by itself after this many seconds.
STATUS_SECONDS = 120
#: A trigger id can be exchanged for so long.
TRIGGER_SECONDS = 3.0


@dataclass(slots=True)
class Workspace:
    """All state of the server. Mutations go through the modules that know Slack's rules."""

    world: World
    clock: Clock
    url: str = ""
    strict: bool = True
    enforce_rate: bool = False
    trigger_seconds: float = TRIGGER_SECONDS
    changes: Changes = field(default_factory=Changes)
    faults: Faults = field(default_factory=Faults)
    numbering: Numbering = field(default_factory=Numbering)
    new_secret: Callable[[], str] = lambda: secrets.token_urlsafe(18)
    messages: dict[str, dict[str, Json]] = field(default_factory=lambda: defaultdict(dict))
    deleted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ephemerals: list[Json] = field(default_factory=list)
    files: dict[str, StoredFile] = field(default_factory=dict)
    uploads: dict[str, str] = field(default_factory=dict)
    views: dict[str, Json] = field(default_factory=dict)
    homes: dict[tuple[str, str], Json] = field(default_factory=dict)
    triggers: dict[str, Grant] = field(default_factory=dict)
    response_urls: dict[str, Grant] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    statuses: list[Status] = field(default_factory=list)
    prompts: dict[tuple[str, str], Json] = field(default_factory=dict)
    titles: dict[tuple[str, str], str] = field(default_factory=dict)
    sessions: dict[tuple[str, str], Json] = field(default_factory=dict)
    calls: list[ApiCall] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    def now(self) -> float:
        """Seconds since the epoch, by the injected clock."""
        return self.clock.now().timestamp()

    # -- who and where ---------------------------------------------------------------------------------------

    def app(self, app_id: str | None = None) -> AppInstall:
        """The app with this id; the first one by default."""
        return self.world.apps[0] if app_id is None else next(a for a in self.world.apps if a.app_id == app_id)

    def app_of_bot(self, user: str) -> AppInstall | None:
        """The app whose bot user this is."""
        return next((app for app in self.world.apps if app.bot_user == user), None)

    def person(self, user: str) -> Person | None:
        """The person with this id."""
        return next((person for person in self.world.people if person.id == user), None)

    def channel(self, channel: str) -> Channel:
        """The conversation with this id. `channel_not_found`."""
        for known in self.world.channels:
            if known.id == channel:
                return known
        raise SlackError("channel_not_found")

    def channel_named(self, name: str) -> Channel:
        """The conversation with this id or `#name`; LookupError when there is none."""
        for known in self.world.channels:
            if name in (known.id, known.name, f"#{known.name}"):
                return known
        raise LookupError(f"no channel {name!r} in this world")

    def direct_message(self, user: str, app: AppInstall | None = None) -> Channel:
        """The direct message between a person and an app, opened when needed."""
        bot = (app or self.app()).bot_user
        for known in self.world.channels:
            if known.kind == "im" and set(known.members) == {user, bot}:
                return known
        suffix = user.removeprefix("U")
        taken = {known.id for known in self.world.channels}
        channel_id = f"D{suffix}" if f"D{suffix}" not in taken else self.numbering.new("D")
        person = self.person(user)
        shared = person is not None and person.external
        opened = Channel(channel_id, user, [user, bot], kind="im", ext_shared=shared)
        self.world.channels.append(opened)
        return opened

    # -- messages --------------------------------------------------------------------------------------------

    def message(self, channel: str, ts: str) -> Json | None:
        """A message that is still there."""
        return self.messages[channel].get(ts)

    def thread(self, channel: str, thread_ts: str) -> list[Json]:
        """The root, if it is still there, and its replies, oldest first."""
        kept = [m for m in self.messages[channel].values() if thread_ts in (m["ts"], m.get("thread_ts"))]
        return sorted(kept, key=lambda message: message["ts"])

    def history(self, channel: str) -> list[Json]:
        """Top-level messages (and broadcast replies), oldest first."""
        kept = [
            m
            for m in self.messages[channel].values()
            if m.get("thread_ts") in (None, m["ts"]) or m.get("subtype") == "thread_broadcast"
        ]
        return sorted(kept, key=lambda message: message["ts"])

    def status(self, channel: str, thread_ts: str) -> str:
        """The status line shown in a thread now; empty when none, cleared, older than two minutes, or when the thread
        is gone with its first message."""
        if self.message(channel, thread_ts) is None:
            return ""
        for entry in reversed(self.statuses):
            if (entry.channel, entry.thread_ts) == (channel, thread_ts):
                return entry.status if self.now() - entry.at < STATUS_SECONDS else ""
        return ""

    def set_status(self, status: Status) -> None:
        """Record a status line and tell everyone."""
        self.statuses.append(status)
        self.changes.notify("status", channel=status.channel, thread_ts=status.thread_ts, status=status.status)

"""What a local workspace is made of: team, people, channels, groups and installed apps, as plain data."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Literal

from bot.slack_manifest import USAGE_HINT

TEAM = "T0FOOTNOTE"
OTHER_TEAM = "T0PARTNER"

#: Every scope of the product's own manifest, required and optional ones.
ALL_SCOPES: frozenset[str] = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "chat:write",
        "commands",
        "channels:history",
        "groups:history",
        "im:history",
        "mpim:history",
        "channels:read",
        "groups:read",
        "im:read",
        "im:write",
        "files:read",
        "files:write",
        "users:read",
        "users:read.email",
        "usergroups:read",
        "reactions:write",
    }
)

#: Every bot event that the server knows how to send.
ALL_EVENTS: frozenset[str] = frozenset(
    {
        "app_mention",
        "message.channels",
        "message.groups",
        "message.im",
        "message.mpim",
        "app_home_opened",
        "app_context_changed",
        "agent_session_stopped",
        "agent_session_title_changed",
        "member_joined_channel",
        "member_left_channel",
        "channel_archive",
        "channel_unarchive",
        "group_archive",
        "channel_shared",
        "channel_unshared",
        "channel_rename",
        "file_deleted",
        "file_shared",
        "user_change",
        "tokens_revoked",
        "app_uninstalled",
    }
)

Guest = Literal["none", "multi", "single"]
Kind = Literal["channel", "private", "im", "mpim"]


@dataclass(frozen=True, slots=True)
class Person:
    """A human account; `team` differs from the workspace's for people of another organisation. `guest` None: Slack
    doesn't say."""

    id: str
    name: str
    real_name: str
    tz: str = "Europe/Berlin"
    tz_offset: int = 3600
    team: str = TEAM
    guest: Guest | None = "none"
    admin: bool = False
    deleted: bool = False
    email: str = ""
    locale: str = "en-US"

    @property
    def external(self) -> bool:
        """Whether the person belongs to another organisation."""
        return self.team != TEAM


@dataclass(slots=True)
class Channel:
    """A conversation. `members` holds user ids, bot users included; an `im` has exactly two. `ext_shared` None: Slack
    doesn't say."""

    id: str
    name: str
    members: list[str]
    kind: Kind = "channel"
    ext_shared: bool | None = False
    pending_ext_shared: bool = False
    archived: bool = False
    topic: str = ""


@dataclass(slots=True)
class UserGroup:
    """A user group (`S…`) with its members' ids."""

    id: str
    handle: str
    name: str
    users: list[str]


@dataclass(slots=True)
class AppInstall:
    """One installed app: its bot user, its tokens, and how Slack reaches it.

    `mode` is `socket` (Socket Mode) or `http` (signed requests to `request_url`).
    `usage_hint`: what Slack shows behind a command that is being typed, ways divided by `|`.
    `mention_outside`: mentions in public channels that the bot isn't in are still delivered.
    """

    app_id: str = "A0FOOTNOTE"
    bot_user: str = "U0FOOTNOTE"
    bot_id: str = "B0FOOTNOTE"
    name: str = "footnote"
    bot_token: str = field(default_factory=lambda: f"xoxb-local-{secrets.token_hex(12)}")
    app_token: str = field(default_factory=lambda: f"xapp-1-local-{secrets.token_hex(12)}")
    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16))
    verification_token: str = field(default_factory=lambda: secrets.token_hex(12))
    mode: Literal["socket", "http"] = "socket"
    request_url: str | None = None
    scopes: set[str] = field(default_factory=lambda: set(ALL_SCOPES))
    events: set[str] = field(default_factory=lambda: set(ALL_EVENTS))
    commands: list[str] = field(default_factory=lambda: ["/footnote"])
    usage_hint: str = USAGE_HINT
    # Message shortcuts by callback id. Footnote's own manifest has none yet, so none is offered.
    shortcuts: dict[str, str] = field(default_factory=dict[str, str])
    mention_outside: bool = True
    revoked: bool = False


@dataclass(slots=True)
class World:
    """One workspace; `apps[0]` is the app under test. `tour`: questions that the page offers to a newcomer."""

    people: list[Person]
    channels: list[Channel]
    apps: list[AppInstall]
    groups: list[UserGroup] = field(default_factory=list)
    team_id: str = TEAM
    team_name: str = "Footnote demo"
    domain: str = "footnote-demo"
    tour: tuple[str, ...] = ()


def demo_world(*, mode: Literal["socket", "http"] = "socket", request_url: str | None = None) -> World:
    """The workspace of the demo and of most tests: six people, six channels, one app, two groups."""
    app = AppInstall(mode=mode, request_url=request_url)
    bot = app.bot_user
    people = [
        Person("U0ANN", "ann", "Ann Okafor", admin=True, email="ann@footnote.example"),
        Person("U0MIA", "mia", "Mia Lindqvist", email="mia@footnote.example"),
        Person("U0LEO", "leo", "Leo Haddad", tz="America/New_York", tz_offset=-18000, email="leo@footnote.example"),
        Person("U0GUS", "gus", "Gus Tanaka", guest="multi", email="gus@contractor.example"),
        Person("U0SIN", "sin", "Sina Roth", guest="single", email="sina@contractor.example"),
        Person("U0XEN", "xen", "Xenia Petrov", team=OTHER_TEAM, email="xenia@partner.example"),
        Person("U0OLD", "old", "Olda Former", deleted=True),
    ]
    staff = ["U0ANN", "U0MIA", "U0LEO"]
    channels = [
        Channel("C0SALES", "sales", [*staff, bot], topic="Numbers, questions, answers"),
        Channel("C0GENERAL", "general", [*staff, "U0GUS", bot], topic="Everyone"),
        Channel("C0FIN", "finance", ["U0ANN", "U0MIA", bot], kind="private", topic="Private: finance"),
        Channel("C0PARTNER", "with-partner", ["U0ANN", "U0MIA", "U0XEN", bot], ext_shared=True, topic="Shared channel"),
        Channel("C0OTHER", "random", staff, topic="The bot is not here"),
        Channel("C0OLD", "old-project", [*staff, bot], archived=True, topic="Archived"),
    ]
    groups = [
        UserGroup("S0APPR", "approvers", "Approvers", ["U0ANN"]),
        UserGroup("S0ANLY", "analysts", "Analysts", ["U0ANN", "U0MIA"]),
    ]
    return World(people=people, channels=channels, apps=[app], groups=groups)

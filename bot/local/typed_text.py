"""Turns what a person types into what Slack stores: escaped, with mentions and channels as tokens."""

from __future__ import annotations

import re

from .workspace import Workspace

_NAMED = re.compile(r"(?<![\w@#])([@#])([a-z0-9][a-z0-9._-]*)", re.IGNORECASE)
_BROADCASTS = {"here", "channel", "everyone"}


def stored_text(workspace: Workspace, typed: str) -> str:
    """`@footnote a < b` → `<@U0FOOTNOTE> a &lt; b`; names nobody has stay as typed."""
    escaped = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    names = {app.name.lower(): app.bot_user for app in workspace.world.apps}
    names |= {person.name.lower(): person.id for person in workspace.world.people}
    channels = {channel.name.lower(): channel for channel in workspace.world.channels if channel.kind != "im"}

    def token(match: re.Match[str]) -> str:
        sign, name = match.group(1), match.group(2).lower().rstrip(".")
        rest = match.group(2)[len(name) :]
        if sign == "@" and name in names:
            return f"<@{names[name]}>{rest}"
        if sign == "@" and name in _BROADCASTS:
            return f"<!{name}>{rest}"
        if sign == "#" and name in channels:
            return f"<#{channels[name].id}|{channels[name].name}>{rest}"
        return match.group(0)

    return _NAMED.sub(token, escaped)

"""The part of `footnote check --live` about names: a manifest takes ids only, and here is the id behind each name."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import yaml
from slack_sdk.web.async_client import AsyncWebClient

from bot.commands.finding import Finding
from bot.slack_client import body_of

_PAGE = 200
_ID = re.compile(r"\*|[CGUWS][A-Z0-9]{2,}")
_KINDS = ("channels", "users", "groups")


async def check_names(manifest: Path, client: AsyncWebClient) -> AsyncIterator[Finding]:
    """A line for each name where a manifest should have an id: the ids that Slack knows by this name now. Raises
    SlackClientError and connection errors."""
    for kind, name in sorted(set(_names(_body(manifest)))):
        wanted = name.lstrip("#@").casefold()
        found = [id async for id, names in _known(client, kind) if wanted in names]
        said = f"{name!r} is {' or '.join(found)}; write the id" if found else f"{name!r} is known to nobody in Slack"
        yield Finding("ids", "warn", f"{kind}: {said}.")


def _body(manifest: Path) -> object:
    try:
        return yaml.safe_load(manifest.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None  # what is the matter with the file is said by the check of the manifest


def _names(node: object, kind: str = "") -> Iterator[tuple[str, str]]:
    """The texts that stand where ids belong, with the kind of thing that they name."""
    if isinstance(node, dict):
        for key, value in cast(dict[Any, Any], node).items():
            if kind == "channels":
                yield from _names([key], kind)  # settings by channel
            yield from _names(value, str(key) if key in _KINDS else "")
    elif isinstance(node, list):
        for item in cast(list[Any], node):
            if kind and isinstance(item, str) and not _ID.fullmatch(item):
                yield kind, item
            elif not isinstance(item, str):
                yield from _names(item)


async def _known(client: AsyncWebClient, kind: str) -> AsyncIterator[tuple[str, set[str]]]:
    """Ids of this kind with their names in lower case."""
    if kind == "groups":
        for group in body_of(await client.usergroups_list())["usergroups"]:
            yield group["id"], {group["handle"].casefold(), group["name"].casefold()}
    elif kind == "users":
        async for page in await client.users_list(limit=_PAGE):
            for user in body_of(page)["members"]:
                yield user["id"], {user["name"].casefold(), str(user.get("real_name", "")).casefold()}
    else:
        types = "public_channel,private_channel"
        async for page in await client.conversations_list(limit=_PAGE, types=types):
            for channel in body_of(page)["channels"]:
                yield channel["id"], {channel["name"].casefold()}

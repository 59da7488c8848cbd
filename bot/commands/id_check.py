"""The part of `footnote check --live` about ids: whom and what the manifest means by them, in Slack's names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.commands.finding import Finding
from bot.delivery.answers import CALL_ERRORS, error_name
from bot.slack_client import body_of
from runtime.admission import Manifest
from runtime.admission.manifest import People, PostgresqlSource

EVERY_CHANNEL = "*"
_PART = "ids"


async def check_ids(manifest: Manifest, client: AsyncWebClient) -> AsyncIterator[Finding]:
    """One line with the names of all ids that Slack knows, and a warning for each that it doesn't."""
    named = list[str]()
    for id in sorted(set(_ids(manifest)) - {EVERY_CHANNEL}):
        try:
            named.append(f"{id} is {await _name(client, id)}")
        except (SlackClientError, *CALL_ERRORS) as error:
            said = error_name(error) or type(error).__name__
            yield Finding(_PART, "warn", f"{id} was not found: Slack says {said}. Is the id right?")
    if named:
        yield Finding(_PART, "ok", ", ".join(named))


def _ids(manifest: Manifest) -> Iterator[str]:
    """Every channel, person and group that the manifest names."""
    audiences = [source.audience for source in manifest.sources]
    audiences += [manifest.workspace.audience] if manifest.workspace else []
    for audience in audiences:
        yield from (*audience.channels, *audience.users, *audience.groups)
    yield from manifest.channels
    for people in _deciders(manifest):
        yield from (*people.users, *people.groups)


def _deciders(manifest: Manifest) -> Iterator[People]:
    yield manifest.operators
    rules = (manifest.effects.knowledge, manifest.effects.routines, manifest.effects.delivery)
    yield from (rule.approvers for rule in rules if rule is not None)
    for source in manifest.sources:
        if isinstance(source, PostgresqlSource):
            yield from (update.approvers for update in source.updates)


async def _name(client: AsyncWebClient, id: str) -> str:
    if id.startswith("S"):
        groups = body_of(await client.usergroups_list())["usergroups"]
        found = next((group for group in groups if group["id"] == id), None)
        if found is None:
            raise SlackApiError("no such group", {"error": "no_such_subteam"})
        return f"@{found['handle']}"
    if id.startswith(("U", "W")):
        return f"@{body_of(await client.users_info(user=id))['user']['name']}"
    return f"#{body_of(await client.conversations_info(channel=id))['channel'].get('name', id)}"

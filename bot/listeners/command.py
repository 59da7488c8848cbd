"""`/footnote`: answered privately, without a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from bot.address import Address
from bot.assembly import Analyst
from bot.direct import direct_sql, named_source, not_open
from bot.listeners.schema import schema_text
from bot.presence import SlackPresence
from bot.render.blocks import Block
from bot.render.evidence import fold
from bot.render.failure import failure_message
from bot.render.grouping import numerals_of
from bot.render.standing import sources_text, why_text
from bot.render.text import cell_text
from bot.render.words import counted
from bot.standing import closed_here, open_here
from runtime.capability import Scope
from runtime.engines.workspace.workspace import Workspace

HELP = (
    "*/footnote help* — this text\n"
    "*/footnote sources* — what is open in this conversation\n"
    "*/footnote why* — what isn't open here, and why not\n"
    "*/footnote files* — the files of the workspace\n"
    "*/footnote schema NAME* — the columns of a table, or the tables of a source\n"
    "*/footnote sql [SOURCE] QUERY* — one query straight to the engine, with the same limits\n"
    "Mention me in a channel, or write to me directly, to ask a question."
)
_FILES_SHOWN = 30
# Slack escapes these three in what people type, also in a command's words.
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))

log = structlog.get_logger(__name__)

Say = Callable[..., Awaitable[Any]]


class Command:
    """The slash command's words."""

    def __init__(self, analyst: Analyst, presence: SlackPresence) -> None:
        self._analyst = analyst
        self._presence = presence

    async def run(self, ack: Say, respond: Say, command: dict[str, Any]) -> None:
        """Acknowledges, then answers only to the person who asked; there is an answer whatever fails inside."""
        await ack()
        try:
            with self._analyst.uses.one():
                text, blocks = await self._answered(command)
        except Exception as error:
            correlation = self._analyst.new_id()
            log.error("command failed", correlation=correlation, exc_info=error)
            failed = failure_message("Something failed while I was working on this.", correlation)
            text, blocks = failed.text, list(failed.blocks)
        await respond(text=text, blocks=blocks, response_type="ephemeral")

    async def _answered(self, command: dict[str, Any]) -> tuple[str, list[Block] | None]:
        word, rest = _words(str(command.get("text") or ""))
        channel, user = str(command["channel_id"]), str(command["user_id"])
        place, asker = await self._presence.facts(channel, user)
        sources = self._analyst.sources(place, asker)
        address = str(Address(str(command.get("team_id", "")), channel, "command"))
        zone = self._analyst.policy.timezone(channel)
        scope = self._analyst.scope(self._analyst.new_id(), address, user, zone, sources)
        if word == "sources":
            return sources_text(await open_here(self._analyst, sources)), None
        if word == "why":
            closed = await closed_here(self._analyst, self._presence, place, asker)
            return why_text(await open_here(self._analyst, sources), closed), None
        return await self._answer(word, rest, scope)

    async def _answer(self, word: str, rest: str, scope: Scope) -> tuple[str, list[Block] | None]:
        if word == "sql":
            return await self._sql(rest, scope)
        if word == "files":
            return await self._files(scope), None
        if word == "schema":
            return await schema_text(self._analyst, scope, rest), None
        return (HELP if word in ("help", "") else f"I don't know `{cell_text(word)}` yet.\n{HELP}"), None

    async def _files(self, scope: Scope) -> str:
        if "workspace" not in scope.sources:
            return "No workspace is open in this conversation; `/footnote why` says why."
        catalog = await self._analyst.wiring.services.get(Workspace).catalog()
        lines = [
            f"• {cell_text(file.path)} — {cell_text(file.reason or ', '.join(file.tables) or file.kind)}"
            for file in catalog.files[:_FILES_SHOWN]
        ]
        more = len(catalog.files) - len(lines)
        return "\n".join(lines + ([f"and {more} more"] if more > 0 else [])) or "The workspace has no files."

    async def _sql(self, words: str, scope: Scope) -> tuple[str, list[Block] | None]:
        if not words:
            return "Write a query: `/footnote sql select count(*) from orders`.", None
        source, query = named_source(words, scope)
        if closed := not_open(source, scope):
            return cell_text(closed), None
        result = await direct_sql(self._analyst, scope, source, query)
        if result.error:
            return f"The query did not run: {cell_text(result.error)}", None
        numerals = numerals_of((await self._presence.person(scope.asker)).locale)
        shown = fold(result.evidence, "sql", table_native=True, numerals=numerals)
        return counted(result.evidence.row_count or 0, "row"), [shown]


def _words(typed: str) -> tuple[str, str]:
    """The command's first word, and what stands behind it as it was typed."""
    for entity, character in _ENTITIES:
        typed = typed.replace(entity, character)
    word, *rest = typed.split(None, 1) or ["help"]
    return word.lower(), rest[0].strip() if rest else ""

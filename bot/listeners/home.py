"""App Home: what is open to this person here, and questions to begin with."""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.assembly import Analyst
from bot.delivery.answers import CALL_ERRORS, error_name
from bot.presence import SlackPresence
from bot.render import blocks, words
from bot.render.blocks import Block
from bot.render.standing import FILES, TOOLS, OpenSource, closed_lines, source_lines
from bot.render.text import line_text
from bot.standing import closed_here, open_here
from runtime.admission.policy import WORKSPACE
from runtime.engines.workspace.model import WorkspaceTable
from runtime.errors import FootnoteError

log = structlog.get_logger(__name__)

_TABLES_SHOWN, _SOURCES_SHOWN, _EXAMPLES = 12, 20, 2
_LINES_IN_SECTION = 4
_HOW = blocks.context("Mention me in a channel, or write to me under Messages. `/footnote help` lists the commands.")


class Home:
    """Publishes the page that a person sees under the app's name."""

    def __init__(self, analyst: Analyst, presence: SlackPresence, client: AsyncWebClient) -> None:
        self._analyst = analyst
        self._presence = presence
        self._client = client

    async def opened(self, user: str, channel: str) -> None:
        """A person opened the tab; `channel` is their direct message with the app, for which admission is asked.
        What Slack refuses is logged: the tab then keeps what it showed."""
        place, asker = await self._presence.facts(channel, user)
        sources = self._analyst.sources(place, asker)
        with self._analyst.uses.one():
            tables = await self._tables() if WORKSPACE in sources else ()
            opened = await open_here(self._analyst, sources)
        closed = closed_lines(await closed_here(self._analyst, self._presence, place, asker))
        view = {"type": "home", "blocks": home_blocks(opened, tables, closed)}
        try:
            await self._client.views_publish(user_id=user, view=view)
        except (SlackClientError, *CALL_ERRORS) as error:
            log.warning("App Home was not published", user=user, error=error_name(error) or type(error).__name__)

    async def _tables(self) -> tuple[WorkspaceTable, ...]:
        if self._analyst.workspace is None:
            return ()
        try:
            return (await self._analyst.workspace.catalog()).tables
        except FootnoteError as error:
            log.warning("the workspace could not be read for App Home", reason=str(error))
            return ()


def home_blocks(
    sources: Sequence[OpenSource],
    tables: Sequence[WorkspaceTable],
    closed: Sequence[str] = (),
) -> list[Block]:
    """The page: `sources` open to this person in a direct message, with a line about each, `tables` of their workspace,
    how to ask; and lines about what is `closed`, for an operator."""
    if not sources:
        text = (
            "*Nothing is open to you in direct messages.*\n"
            "A channel may open more: ask there, or see `/footnote sources` in it. "
            "Which data is open to whom is decided in the admission manifest."
        )
        return [blocks.header("Footnote"), blocks.section(text), *_lines("Closed", closed), blocks.divider(), _HOW]
    named = ", ".join(f"*{line_text(source.id, 60)}*" for source in sources[:_SOURCES_SHOWN])
    return [
        blocks.header("Footnote"),
        blocks.section(
            f"Ask your data in plain words; every figure comes with its evidence.\n\nOpen to you here: {named}"
        ),
        *_lines("Sources", source_lines(sources)),
        *_listed(tables),
        *_lines("Closed", closed),
        blocks.divider(),
        _suggested(sources),
        _HOW,
    ]


def _lines(title: str, lines: Sequence[str]) -> list[Block]:
    """In as many sections as hold them."""
    return [
        blocks.section("\n".join([*([f"*{title}*"] if at == 0 else []), *lines[at : at + _LINES_IN_SECTION]]))
        for at in range(0, len(lines), _LINES_IN_SECTION)
    ]


def _listed(tables: Sequence[WorkspaceTable]) -> list[Block]:
    if not tables:
        return []
    lines = [
        f"• *{line_text(table.name, 80)}* — {words.counted(table.rows, 'row')} · {line_text(table.file, 80)}"
        for table in tables[:_TABLES_SHOWN]
    ]
    if len(tables) > _TABLES_SHOWN:
        lines.append(f"and {len(tables) - _TABLES_SHOWN:,} more; `/footnote files` lists them")
    return [blocks.section("\n".join(["*Tables of files*", *lines]))]


def _suggested(sources: Sequence[OpenSource]) -> Block:
    questions = ["What tables do you have?", *map(_counting, _examples(sources))]
    asked = "\n".join(f"• {line_text(question, 120)}" for question in questions)
    return blocks.section(f"*Ask, for example*\n{asked}")


def _examples(sources: Sequence[OpenSource]) -> list[str]:
    """One table of each of the first sources, databases before files, and those whose names can be counted first."""
    named = [
        min((name.rpartition(".")[2].replace("_", " ") for name in source.tables), key=_uncountable)
        for source in sorted(sources, key=lambda source: source.kind == FILES)
        if source.tables and source.kind != TOOLS
    ]
    return sorted(dict.fromkeys(named), key=_uncountable)[:_EXAMPLES]


def _uncountable(name: str) -> bool:
    return not name.casefold().endswith("s")


def _counting(name: str) -> str:
    return f"How many rows does {name} have?" if _uncountable(name) else f"How many {name} do we have?"

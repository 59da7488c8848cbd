"""What is open in a conversation and what isn't, as far as the person who asks may know it."""

from __future__ import annotations

from dataclasses import replace

from bot.assembly import Analyst
from bot.presence import SlackPresence
from bot.render.standing import FILES, Closed, ClosedSource, OpenSource, closed_views
from runtime.admission import Asker, Audience, Conversation, decide
from runtime.admission.policy import WORKSPACE, next_step_of, sentence_of
from runtime.capability import SourceKind
from runtime.errors import FootnoteError

# What the place and the person would be refused by a source that is open as widely as it can be without `external` and
# `guests`: this tells nothing of what is declared.
_WIDE = Audience(channels=("*",), im=True)


async def open_here(analyst: Analyst, sources: frozenset[str]) -> tuple[OpenSource, ...]:
    """The open sources by name, each looked at now; one that can't be read stops none of the others."""
    return tuple([await _looked_at(analyst, name) for name in sorted(sources)])


async def closed_here(analyst: Analyst, presence: SlackPresence, place: Conversation, asker: Asker | None) -> Closed:
    """Operators are told of every source; others of those alone that are open to them in a direct message, since that
    a source exists may itself be nothing for them."""
    complete = asker is not None and await _operator(analyst, presence, asker)
    private = analyst.sources(Conversation("im", ""), asker)
    found = list[ClosedSource]()
    for name in sorted(analyst.policy.audiences()):
        denied = analyst.policy.denial(name, place, asker)
        if denied is not None and (complete or name in private):
            in_private = place.kind != "im" and name in private
            sentence = denied.sentence if in_private else f"{denied.sentence} {denied.next_step}"
            found.append(ClosedSource(name, sentence, in_private))
    verdict = decide(_WIDE, place, asker)
    keeps = "" if verdict.admitted else f"{sentence_of(verdict.reason)} {next_step_of(verdict.reason, asker)}"
    return Closed(keeps, tuple(found), complete)


async def _operator(analyst: Analyst, presence: SlackPresence, asker: Asker) -> bool:
    operators = analyst.policy.manifest.operators
    return asker.id in operators.users or bool(await presence.is_in(asker.id, operators.groups))


async def _looked_at(analyst: Analyst, name: str) -> OpenSource:
    declared = {source.id: source for source in analyst.policy.manifest.sources}.get(name)
    terms = declared or analyst.policy.manifest.workspace
    assert terms is not None, "an open source is declared"
    kind = analyst.opened.terms[name].kind
    base = OpenSource(name, FILES if kind is SourceKind.WORKSPACE else kind.value, terms.label, terms.model_rows)
    try:
        tables, revision, trouble = await _content(analyst, name)
    except FootnoteError as error:
        return replace(base, trouble=str(error))
    return replace(base, tables=tables, revision=revision, trouble=trouble)


async def _content(analyst: Analyst, name: str) -> tuple[tuple[str, ...], str, str]:
    """The names of its tables or tools, its revision, and what is the matter with it."""
    opened = analyst.opened
    if name == WORKSPACE and opened.workspace is not None:
        catalog = await opened.workspace.catalog()
        return tuple(table.name for table in catalog.tables), catalog.revision, ""
    if name in opened.databases:
        structure = await opened.databases[name].structure()
        return tuple(table.id for table in structure.tables), structure.revision, closed_views(structure.closed)
    remote = opened.remotes[name]
    return tuple(tool for tool, it in remote.tools.items() if it.offered), "", remote.standing

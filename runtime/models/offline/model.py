"""The offline analyst behind the model port: one deterministic step at a time, read off the transcript alone."""

from __future__ import annotations

from collections.abc import Sequence, Set

from runtime.models.offline import charting, gathering, lookups, proposals, sql
from runtime.models.offline.answer import answer
from runtime.models.offline.catalog import Table
from runtime.models.offline.choose import Choice
from runtime.models.offline.describe import (
    asked_files,
    asked_table,
    asks_for_files,
    described_files,
    files_answer,
    several_tables,
    table_answer,
    tables_of,
)
from runtime.models.offline.documents import (
    document_searches,
    found_answer,
    opening,
    shown_answer,
    shown_document,
)
from runtime.models.offline.followups import asks_why, is_follow_up, resolve
from runtime.models.offline.gathering import Sight, look, look_into, looked_into, query_call, worth_a_look
from runtime.models.offline.listing import Listing
from runtime.models.offline.meanings import asked_meaning, explained, meaning, measured_meaning, unknown_meaning
from runtime.models.offline.passages import passage
from runtime.models.offline.plan import Ask, Cannot, Plan
from runtime.models.offline.read_off import read_off
from runtime.models.offline.refusals import (
    ask,
    cannot,
    chatted,
    greeted,
    greets,
    no_reasons,
    no_tables,
    refused_at_once,
)
from runtime.models.offline.tokens import Token, stems, tokenize
from runtime.models.offline.transcript import Done, Turn, turn_of
from runtime.models.offline.wording import as_code
from runtime.models.port import ModelRequest, ModelStep, Stop, ToolCall, Usage

_FILES = frozenset(("list_files", "inspect_table", "run_sql"))
_DATABASES = frozenset(("catalog_search", "catalog_schema"))
_LEAST_PART = 3
_LOOKED_UP_COLUMNS = 24
_MOST_LOOKUPS = 6


class OfflineModel:
    """A rule-based analyst. It sees data only through the tools that are offered to every model, keeps nothing between
    steps, and gives no figure unless every word of the question found its place in the plan."""

    @property
    def name(self) -> str:
        return "offline"

    async def warm_up(self) -> None:
        """Nothing is waited for."""

    async def step(self, request: ModelRequest) -> ModelStep:
        """The next step of the present turn: look, look up, compute, then answer."""
        return step(request)

    async def close(self) -> None:
        """Nothing is held."""


def step(request: ModelRequest) -> ModelStep:
    """One step as a pure function of the request."""
    turn = turn_of(request)
    tokens = tokenize(turn.question)
    offered = {tool.name for tool in request.tools}
    order = proposals.ordered(turn.question)
    updates = {proposals.PREVIEW, proposals.UPDATE} <= offered
    if order is not None and updates:
        following = proposals.proposed(turn, order, offered, request.loaded)
        if isinstance(following, list) and not request.tools_allowed:
            return _say(_unfinished(turn))
        return _call(turn, following) if isinstance(following, list) else _say(following)
    refusal = chatted(turn.question) or refused_at_once(turn.question, tokens, updates=updates)
    if refusal:
        return _say(refusal)
    if not (offered >= _FILES or offered >= _DATABASES):
        return _say("I can't answer that: no data is open to me in this conversation.")
    next_step = _next(turn, tokens, offered)
    if next_step.calls and not request.tools_allowed:
        return _say(_unfinished(turn))
    remarks = [remark for remark in (turn.took, *turn.doubts) if remark]
    return next_step if next_step.calls or not remarks else _say(f"{next_step.text}\n\n_{' '.join(remarks)}_")


def _next(turn: Turn, tokens: Sequence[Token], offered: Set[str]) -> ModelStep:
    seen = look(turn, offered)
    if isinstance(seen, list):
        return _call(turn, seen)
    listing = seen.listing
    if listing.failed:
        return _say(f"I can't answer that: the files couldn't be listed ({as_code(listing.failed)}).")
    if asks_for_files(tokens):
        calls = look_into(turn, several_tables(listing.entries), ())
        return _call(turn, calls) if calls else _say(files_answer(seen, turn, looked_into(turn, seen)))
    searches = document_searches(turn.question, listing) if "grep_files" in offered else ()
    if searches:
        made = turn.of("grep_files")
        if len(made) < len(searches) and not any(done.data.get("hits") for done in made):
            return _call(turn, [("grep_files", searches[len(made)])])
        return _say(found_answer(turn))
    named = asked_files(tokens, listing)
    if len(named) < 2 and "grep_files" in offered and (name := shown_document(turn.question, listing)):
        made = turn.made("grep_files", opening(name))
        return _call(turn, [("grep_files", opening(name))]) if made is None else _say(shown_answer(name, made))
    if named:
        calls = look_into(turn, tables_of(named), ())
        return _call(turn, calls) if calls else _say(described_files(named, looked_into(turn, seen), turn))
    if "grep_files" in offered and (asked := asked_meaning(turn.question, listing)):
        said = explained(turn, asked)
        if said:
            return _say(said) if isinstance(said, str) else _call(turn, said)
    described = asked_table(tokens, seen)
    words = tokenize(turn.everything) if turn.earlier and is_follow_up(tokens) else tokens
    if calls := look_into(turn, *(described or worth_a_look(seen, words, anything=greets(turn.question, tokens)))):
        return _call(turn, calls)
    tables = looked_into(turn, seen)
    if described and tables:
        return _say(table_answer(tables[0]))
    if greets(turn.question, tokens) and tables:
        return _say(greeted(tokens, tables))
    asked = (*turn.earlier, turn.question)
    choice = resolve(asked, tables, seen.listing, turn.today, all_seen=False) if tables else None
    if choice is not None and choice.passing and not _unseen(turn, seen, words, choice, tables):
        choice = resolve(asked, tables, seen.listing, turn.today)
    at_a_loss = choice is None or isinstance(choice.reading, Cannot)
    at_a_loss = at_a_loss or (choice is not None and isinstance(choice.reading, Plan) and choice.reading.akin)
    if at_a_loss and (calls := look_into(turn, *worth_a_look(seen, words, anything=True))):
        return _call(turn, calls)
    return _without_tables(turn, seen, offered) if choice is None else _decided(turn, choice, tables, seen, offered)


def _unseen(turn: Turn, seen: Sight, words: Sequence[Token], choice: Choice, tables: Sequence[Table]) -> bool:
    """True while a table or a value that an earlier remark may mean hasn't been looked at."""
    return bool(look_into(turn, *worth_a_look(seen, words, anything=True)) or _lookups(choice, turn, tables))


def _without_tables(turn: Turn, seen: Sight, offered: Set[str]) -> ModelStep:
    """Where there is no table at all, documents may hold the words that are asked for."""
    found = (passage(turn, seen.listing) or read_off(turn, seen.listing)) if "grep_files" in offered else None
    if isinstance(found, list):
        return _call(turn, found)
    if found is None:
        return _say(no_tables(seen))
    return _say(found.text if found.whole else f"{found.text}\n\n{no_tables(seen)}")


def _decided(turn: Turn, choice: Choice, tables: list[Table], seen: Sight, offered: Set[str]) -> ModelStep:
    lookups = _lookups(choice, turn, tables)
    if lookups:
        return _call(turn, lookups)
    tokens = tokenize(turn.question)
    if turn.earlier and asks_why(tokens) and is_follow_up(tokens):
        return _say(no_reasons(choice.reading))
    if isinstance(choice.reading, Cannot):
        return _refused(turn, choice, choice.reading, tables, seen, offered)
    if isinstance(choice.reading, Ask):
        return _say(ask(choice.reading))
    return _computed(turn, choice.reading, seen.listing, offered)


def _refused(
    turn: Turn, choice: Choice, reading: Cannot, tables: list[Table], seen: Sight, offered: Set[str]
) -> ModelStep:
    """What documents say where the tables don't: the lines that answer the question, else the refusal with what an
    unknown word means here, or with the lines that hold most of the question's words."""
    tokens = tokenize(turn.question)
    named = any((entry := seen.listing.named(token)) and entry.kind == "document" for token in tokens)
    remark = bool(turn.earlier) and is_follow_up(tokens) and not choice.alone
    if "grep_files" not in offered or remark or not (reading.unknown or named):
        return _say(cannot(reading, tables))
    found = passage(turn, seen.listing, tables) or read_off(turn, seen.listing, reading.unknown)
    if isinstance(found, list):
        return _call(turn, found)
    if found is not None and found.whole:
        return _say(found.text)
    said = meaning(turn, unknown_meaning(reading.unknown, seen.listing))
    if isinstance(said, list):
        return _call(turn, said)
    if found is not None and not said:
        return _say(cannot(reading, tables, lines=found.text))
    return _say(cannot(reading, tables, f"A document says what it is: {said[0]}." if said else ""))


def _computed(turn: Turn, plan: Plan, listing: Listing, offered: Set[str]) -> ModelStep:
    text = sql.query(plan)
    result = next((done for done in turn.done if done.call.input.get("sql") == text), None)
    if result is None:
        return _call(turn, [query_call(plan.table.source, plan.table.dialect, text, "computing the answer")])
    if not result.ok:
        reason = as_code(result.error or "no reason given")
        return _say(f"I can't answer that: the query failed ({reason}) [{result.evidence}].")
    said = meaning(turn, measured_meaning(plan.against or plan, listing)) if "grep_files" in offered else ()
    if isinstance(said, list):
        return _call(turn, said)
    wanted = charting.wanted(plan, turn)
    drawn = next(iter(turn.of("make_chart")), None)
    if wanted is not None and "make_chart" in offered and drawn is None:
        return _call(turn, [("make_chart", wanted)])
    defined = "".join(f"\n\nThe figure is the table's own; a document defines the word: {one}." for one in said[:1])
    return _say(answer(plan, result, drawn if wanted is not None else None) + defined)


def _lookups(choice: Choice, turn: Turn, tables: Sequence[Table]) -> gathering.Calls:
    """The queries worth making before the reading stands; none of them twice."""
    made = {str(done.call.input.get("sql")) for done in turn.done if done.call.name in gathering.QUERY_TOOLS}
    found: list[tuple[Table, str]] = []
    if isinstance(choice.reading, Plan):
        table = choice.reading.table
        found = [(table, lookups.dates_query(table, c)) for c in table.of_kind("textdate") if c.minimum is None]
        if sum("looked_in" in text for text in made) < _MOST_LOOKUPS:
            found += _spellings(choice.reading, tables)
    elif choice.words and sum("looked_in" in text for text in made) < _MOST_LOOKUPS:
        parts = tuple(dict.fromkeys(part for word in choice.words for part in _parts(word)))
        for table in choice.look_into:
            columns = tuple(c for c in table.of_kind("label") if not c.complete)[:_LOOKED_UP_COLUMNS]
            if columns and parts:
                found.append((table, lookups.values_query(table, columns, parts)))
    note = "looking up values"
    return [query_call(table.source, table.dialect, text, note) for table, text in found if text not in made]


def _spellings(plan: Plan, tables: Sequence[Table]) -> list[tuple[Table, str]]:
    """Look-ups of other spellings of the values that are filtered by, where not all values of a column are known."""
    by_id = {table.id: table for table in tables}
    found: list[tuple[Table, str]] = []
    for value in plan.values:
        if value.column.kind == "label" and not value.column.complete and value.column.type == "VARCHAR":
            parts = tuple(dict.fromkeys(_beginning(text) for text in value.values))
            table = by_id.get(value.column.source, plan.table)
            found.append((table, lookups.values_query(table, (value.column,), parts)))
    return found


def _beginning(text: str) -> str:
    folded = text.strip().lower()
    return folded[: max(4, len(folded) - 4)]


def _parts(word: str) -> tuple[str, ...]:
    """What to search a word by: its stem, without a final y that a plural would have changed."""
    return tuple(part.removesuffix("y") for part in stems(word) if len(part) >= _LEAST_PART)


def _unfinished(turn: Turn) -> str:
    """The last word of a run that may make no more calls."""
    seen = [done for done in turn.done if done.ok]
    if not seen:
        return "I can't answer that: the run ended before I could look at the data."
    marks = "".join(f" [{done.evidence}]" for done in seen[:8] if done.evidence)
    return f"I can't answer that: the run ended before I could work out the figure. What I looked at so far:{marks}."


def _call(turn: Turn, calls: Sequence[tuple[str, dict[str, object]]]) -> ModelStep:
    made = tuple(
        ToolCall(f"offline_{turn.steps + 1}_{at}", name, body) for at, (name, body) in enumerate(calls, start=1)
    )
    return ModelStep("", Stop.TOOL_USE, made, Usage(), (), "offline")


def _say(text: str) -> ModelStep:
    return ModelStep(text, Stop.END, (), Usage(), (), "offline")


__all__ = ["Done", "OfflineModel", "step"]

"""The offline analyst behind the model port: one deterministic step at a time, read off the transcript alone."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from runtime.models.offline import charting, sql
from runtime.models.offline.answer import answer
from runtime.models.offline.catalog import Table, as_day, table_from, with_values
from runtime.models.offline.choose import Choice, choose
from runtime.models.offline.describe import asked_table, asks_for_files, files_answer, table_answer
from runtime.models.offline.documents import document_searches, found_answer
from runtime.models.offline.listing import Listing, listing_of, worth_inspecting
from runtime.models.offline.plan import Ask, Cannot, Plan
from runtime.models.offline.refusals import ask, cannot, no_tables, refused_at_once
from runtime.models.offline.tokens import Token, stems, tokenize
from runtime.models.offline.transcript import Done, Turn, turn_of
from runtime.models.port import ModelRequest, ModelStep, Stop, ToolCall, Usage

_NEEDED = ("list_files", "inspect_table", "run_sql")
_LEAST_PART = 3
_LOOKED_UP_COLUMNS = 24
_MOST_LOOKUPS = 6


class OfflineModel:
    """A rule-based analyst. It sees data only through `list_files`, `inspect_table`, `run_sql` and `make_chart`,
    keeps nothing between steps, and gives no figure unless every word of the question found its place in the plan."""

    @property
    def name(self) -> str:
        return "offline"

    async def step(self, request: ModelRequest) -> ModelStep:
        """The next step of the present turn: look, look up, compute, then answer."""
        return step(request)

    async def close(self) -> None:
        """Nothing is held."""


def step(request: ModelRequest) -> ModelStep:
    """One step as a pure function of the request."""
    turn = turn_of(request)
    tokens = tokenize(turn.question)
    refusal = refused_at_once(turn.question, tokens)
    if refusal:
        return _say(refusal)
    offered = {tool.name for tool in request.tools}
    if not set(_NEEDED) <= offered:
        return _say("I can't answer that: no data is open to me in this conversation.")
    next_step = _next(turn, tokens, offered)
    if next_step.calls and not request.tools_allowed:
        return _say(_unfinished(turn))
    return next_step


def _next(turn: Turn, tokens: Sequence[Token], offered: Set[str]) -> ModelStep:
    listing = listing_of(turn)
    if listing is None or listing.next_offset is not None:
        offset = listing.next_offset if listing and listing.next_offset else 0
        return _call(turn, [("list_files", {"limit": 50, "offset": offset, "note": "looking at what is here"})])
    if listing.failed:
        return _say(f"I can't answer that: the files couldn't be listed ({listing.failed}).")
    if asks_for_files(tokens):
        return _say(files_answer(listing, turn))
    searches = document_searches(turn.question, listing) if "grep_files" in offered else ()
    if searches:
        made = turn.of("grep_files")
        if len(made) < len(searches) and not any(done.data.get("hits") for done in made):
            return _call(turn, [("grep_files", searches[len(made)])])
        return _say(found_answer(turn))
    described = asked_table(tokens, listing)
    wanted = (described,) if described else worth_inspecting(listing, tokens)
    if not wanted:
        return _say(no_tables(listing))
    if not turn.of("inspect_table"):
        note = "looking into the tables"
        return _call(turn, [("inspect_table", {"name": name, "rows": 5, "note": note}) for name in wanted])
    tables = _tables(turn)
    if described and tables:
        return _say(table_answer(tables[0]))
    return _decided(turn, tokens, listing, tables, offered)


def _decided(
    turn: Turn, tokens: Sequence[Token], listing: Listing, tables: list[Table], offered: Set[str]
) -> ModelStep:
    if not tables:
        return _say("I can't answer that: none of the tables here could be read.")
    choice = choose(tokens, tables, listing, turn.today)
    lookups = _lookups(choice, turn)
    if lookups:
        note = "looking up values"
        return _call(turn, [("run_sql", {"sql": text, "note": note}) for text in lookups])
    if isinstance(choice.reading, Cannot):
        return _say(cannot(choice.reading))
    if isinstance(choice.reading, Ask):
        return _say(ask(choice.reading))
    return _computed(turn, choice.reading, offered)


def _computed(turn: Turn, plan: Plan, offered: Set[str]) -> ModelStep:
    text = sql.query(plan)
    result = next((done for done in turn.of("run_sql") if done.call.input.get("sql") == text), None)
    if result is None:
        return _call(turn, [("run_sql", {"sql": text, "note": "computing the answer"})])
    if not result.ok:
        return _say(f"I can't answer that: the query failed ({result.error or 'no reason given'}) [{result.evidence}].")
    wanted = charting.wanted(plan, turn)
    if wanted is None or "make_chart" not in offered:
        return _say(answer(plan, result))
    drawn = next(iter(turn.of("make_chart")), None)
    return _call(turn, [("make_chart", wanted)]) if drawn is None else _say(answer(plan, result, drawn))


def _tables(turn: Turn) -> list[Table]:
    """The inspected tables, knowing what the look-ups found."""
    tables = [table_from(done.data, done.evidence) for done in turn.of("inspect_table") if done.ok]
    for done in turn.of("run_sql"):
        names = [str(column.get("name")) for column in done.data.get("columns", ())]
        rows = [[*row] for row in done.data.get("rows", ())]
        if names == ["looked_in", "looked_at", "found"]:
            tables = [
                with_values(t, [(str(at), str(value)) for where, at, value in rows if where == t.name]) for t in tables
            ]
        elif names[:2] == ["dated_in", "dated_at"] and rows:
            tables = [_dated(table, rows[0]) if rows[0][0] == table.name else table for table in tables]
    return tables


def _dated(table: Table, row: list[object]) -> Table:
    """The table with a text column taken as dates if every one of its cells reads as one, else as plain text."""
    _, name, cells, dates, first, last = row
    columns = [
        column
        if column.name != name
        else replace(column, minimum=str(first), maximum=str(last))
        if cells == dates and as_day(str(first))
        else replace(column, kind="label", date_format=None)
        for column in table.columns
    ]
    return replace(table, columns=tuple(columns))


def _lookups(choice: Choice, turn: Turn) -> list[str]:
    """The queries worth making before the reading stands; none of them twice."""
    made = {str(done.call.input.get("sql")) for done in turn.of("run_sql")}
    found: list[str] = []
    if isinstance(choice.reading, Plan):
        table = choice.reading.table
        found = [sql.dates_query(table, c) for c in table.of_kind("textdate") if c.minimum is None]
        if sum("looked_in" in text for text in made) < _MOST_LOOKUPS:
            found += _spellings(choice.reading)
    elif choice.words and not _looked_up(turn):
        parts = tuple(dict.fromkeys(part for word in choice.words for part in _parts(word)))
        for table in choice.look_into:
            columns = tuple(c for c in table.of_kind("label") if not c.complete)[:_LOOKED_UP_COLUMNS]
            if columns and parts:
                found.append(sql.values_query(table.name, columns, parts))
    return [text for text in found if text not in made]


def _spellings(plan: Plan) -> list[str]:
    """Look-ups of other spellings of the values that are filtered by, where not all values of a column are known."""
    found: list[str] = []
    for value in plan.values:
        if value.column.kind == "label" and not value.column.complete and value.column.type == "VARCHAR":
            parts = tuple(dict.fromkeys(_beginning(text) for text in value.values))
            column, source = value.column, value.column.source or plan.table.name
            found.append(sql.values_query(source, (column,), parts))
    return found


def _beginning(text: str) -> str:
    folded = text.strip().lower()
    return folded[: max(4, len(folded) - 4)]


def _looked_up(turn: Turn) -> bool:
    return any("looked_in" in str(done.call.input.get("sql")) for done in turn.of("run_sql"))


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

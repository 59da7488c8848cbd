"""Changes of data that a person orders: "set the tier of Quinn Garcia to gold" as a preview, then the change itself."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from runtime.models.offline import lookups
from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.clues import Clues
from runtime.models.offline.conditions import value_filters
from runtime.models.offline.gathering import QUERY_TOOLS, Calls, look, look_into, looked_into, query_call, worth_a_look
from runtime.models.offline.lexicon import FILLERS, IDENTIFIER_WORDS
from runtime.models.offline.plan import Ask, ValueFilter
from runtime.models.offline.refusals import ask, no_meaning
from runtime.models.offline.spotting import gather
from runtime.models.offline.tokens import stems, tokenize
from runtime.models.offline.transcript import Done, Turn
from runtime.models.offline.wording import as_code, small

PREVIEW, UPDATE = "data_preview_postgresql_update", "data_update_postgresql"
# To say "approve" is no approval: what is ordered comes up as a card like any other order.
_POLITE = (
    r"(?:please|can\s+you|could\s+you|would\s+you|now|kindly|just|ok|okay|yes|(?:i\s+)?approved?|go\s+ahead|and|then)"
)
_VERB = rf"(?i)^\s*(?:{_POLITE}\b[\s,:;.!—–-]*)*(?:set|change|update|switch|move)\s+(?:the\s+)?"
_END = r"(?:[\s,;]+(?:please|thanks|thank\s+you|now))*\s*[.!?]*\s*$"
_WHERE = r"(?:of|for|in|on|where)"
_TO = r"(?:to|=|as)"
_ASKED = rf"(?i)^\s*(?:{_POLITE}\b[\s,:;.!—–-]*)*"
_ROWS = r"(?:(?:the\s+)?(?:accounts?|customers?|clients?|contacts?|users?|members?|tickets?|orders?|products?)\s+.+?)"
_FORMS = (
    re.compile(rf"{_VERB}(?P<what>.+?)\s+{_WHERE}\s+(?P<who>.+?)\s+{_TO}\s+(?P<to>.+?){_END}"),
    re.compile(rf"{_VERB}(?P<what>.+?)\s+{_TO}\s+(?P<to>.+?)\s+{_WHERE}\s+(?P<who>.+?){_END}"),
    re.compile(rf"{_VERB}(?P<who>.+?)['’]s?\s+(?P<what>\w+(?:[ _]\w+)?)\s+{_TO}\s+(?P<to>.+?){_END}"),
    re.compile(rf"{_ASKED}(?:raise|lower|increase|decrease|reduce)\s+(?:the\s+)?(?P<what>.+?)\s+{_WHERE}\s+(?P<who>.+?)"
               rf"\s+to\s+(?P<to>.+?){_END}"),
    re.compile(rf"{_ASKED}(?:change|switch|move|put|upgrade|downgrade|promote|demote)\s+(?P<who>.+?)\s+(?:to|on|onto|into)\s+"
               rf"(?:the\s+)?(?P<to>.+?){_END}"),
    re.compile(rf"{_ASKED}(?:give|assign)\s+(?P<who>(?!me\b|us\b|it\b).+?)\s+(?:the|an?)\s+(?P<to>.+?){_END}"),
    re.compile(rf"{_ASKED}(?:make|turn)\s+(?P<who>{_ROWS})\s+(?P<to>[\w-]+)(?:\s+\((?P<what>\w+)\))?{_END}"),
)  # fmt: skip
_NOUNS = frozenset("customer client account row record company every all whose is are who which".split())
_LISTING = frozenset((",", "and", "or", "&"))
_NOTHING = "Nothing was changed."
_SAY_SO = "say `set COLUMN of ROW to VALUE`"
_FEW = 12  # a label of more values is a name, and no state that rows are put into
_QUOTES = "\"'`“”‘’«»"


@dataclass(frozen=True, slots=True)
class Order:
    """What is ordered, word for word: the column (empty where only the value tells it), the rows, the new value."""

    what: str
    who: str
    to: str


def ordered(question: str) -> Order | None:
    """The change that the question orders, when it has the form of one."""
    for form in _FORMS:
        if found := form.match(question):
            said = found.groupdict()
            return Order(said.get("what") or "", said["who"], said["to"].strip(_QUOTES))
    return None


def proposed(turn: Turn, order: Order, offered: Set[str], loaded: Set[str]) -> Calls | str:
    """The next calls for the change, or what is to be said of it."""
    seen = look(turn, offered)
    if isinstance(seen, list):
        return seen
    sketches = [sketch for sketch in seen.tables if sketch.dialect == "postgresql"]
    _, databases = worth_a_look(seen, tokenize(f"{order.what} {order.who}"), anything=True)
    if calls := look_into(turn, (), [sketch for sketch in databases if sketch in sketches]):
        return calls
    open_tables = [table for table in looked_into(turn, seen) if table.dialect == "postgresql"]
    fitting = [one for table in open_tables for one in _columns(order, table)]
    if len(fitting) != 1:
        return _no_column(order, fitting, open_tables)
    table, column, to = fitting[0]
    order = replace(order, to=to)
    where = _where(turn, order, table)
    if isinstance(where, (list, str)):
        return where
    return _carried_on(turn, _body(table, column, where, order), loaded)


Meant = tuple[Table, Column, str]


def _columns(order: Order, table: Table) -> list[Meant]:
    """The columns that may be meant, with the new value: the one named, before or beside the value ("the gold tier"),
    else those that hold the value already in other rows."""
    if order.what:
        column = next((column for column in table.columns if column.words == stems(order.what)), None)
        return [(table, column, order.to)] if column is not None else []
    words = order.to.split()
    for column in table.columns:
        length = len(column.words)
        for name, value in ((words[-length:], words[:-length]), (words[:length], words[length:])):
            if value and stems(" ".join(name)) == column.words:
                return [(table, column, " ".join(value).strip(_QUOTES))]
    return [
        (table, column, order.to)
        for column in table.of_kind("label")
        if any(value.strip().casefold() == order.to.casefold() for value in column.values)
    ]


def _no_column(order: Order, fitting: Sequence[Meant], tables: Sequence[Table]) -> str:
    if fitting:
        columns = {column.name for _, column, _ in fitting}
        if len(columns) == 1:
            files = tuple(table.called for table, _, _ in fitting)[:3]
            return ask(Ask("Several tables have that column. Which one do you mean?", files))
        return f"I can't do that: “{order.to}” stands in {_listed(columns)}; {_SAY_SO}. {_NOTHING}"
    if order.what:
        return f"I can't do that: no table that could be changed has a column “{order.what}”. {_NOTHING}"
    labels = {c.name for table in tables for c in table.of_kind("label") if 1 < c.distinct <= _FEW and not c.masked}
    known = f" It may be one for {_listed(labels)}." if labels else ""
    return f"I can't do that: no column here holds “{order.to}” yet.{known} Name the column: {_SAY_SO}. {_NOTHING}"


def _listed(names: Set[str]) -> str:
    return " or ".join(f"`{name}`" for name in sorted(names))


def _where(turn: Turn, order: Order, table: Table) -> tuple[ValueFilter, ...] | Calls | str:
    """The rows that are meant: by values that occur, or by number. Look-ups first, where not all values are known."""
    clues = gather(tokenize(order.who), table, turn.today)
    values = value_filters(clues)
    if not isinstance(values, tuple):
        return ask(values) if isinstance(values, Ask) else f"I can't do that: {values.reason} Nothing was changed."
    numbered = _by_number(clues, table)
    listed = numbered.values if numbered is not None else ()
    unread = [word for word in clues.unread() if tokenize(word)[0].stem not in _NOUNS and word not in listed]
    if unread:
        parts = tuple(dict.fromkeys(stem for word in unread for stem in stems(word)))
        columns = tuple(column for column in table.of_kind("label") if not column.complete)
        text = lookups.values_query(table, columns, parts) if columns else ""
        made = {str(done.call.input.get("sql")) for done in turn.done if done.call.name in QUERY_TOOLS}
        if text and text not in made:
            return [query_call(table.source, table.dialect, text, "looking up values")]
        which = f"which rows of `{table.called}` you mean"
        return f"I can't do that: {no_meaning(unread)}, so I don't know {which}. {_NOTHING}"
    if beyond := _beyond(clues, listed):
        said = " ".join(beyond)
        return (
            f"I can't do that: for a change I pick rows by their values or numbers, and “{said}” is neither. {_NOTHING}"
        )
    if numbered is not None:
        excluded = any(value.negated for value in values if value.column.name == numbered.column.name)
        others = (value for value in values if value.column.name != numbered.column.name)
        values = (*others, replace(numbered, negated=excluded))
    return values or "I can't do that: say which rows, by values that stand in them. Nothing was changed."


def _beyond(clues: Clues, numbers: Sequence[str]) -> list[str]:
    """The words that were read, but not as a value, a number of a row, or what these are called: to leave a bound or a
    period out would change more rows than were meant."""
    picked = set(clues.negations)
    for mention in clues.mentions:
        if mention.table or mention.values or any(c.kind in ("label", "id", "flag") for c in mention.columns):
            picked.update(range(mention.first, mention.after))
    return [
        token.text
        for at, token in enumerate(clues.tokens)
        if token.wordlike and at not in picked and token.text not in numbers
        if token.stem not in FILLERS | _NOUNS and token.low not in _LISTING
    ]


def _by_number(clues: Clues, table: Table) -> ValueFilter | None:
    """ "account 5", "accounts 5, 7 and 9": numbers in one list, where the table has one key that is a number."""
    keys = [c for c in table.columns if c.name in table.keys and c.kind == "id"]
    places = [at for at, token in enumerate(clues.tokens) if token.kind == "number" and token.text.isdigit()]
    between = [clues.tokens[at] for at in range(places[0], places[-1])] if places else []
    if len(keys) != 1 or not places or any(token.low not in _LISTING and not token.text.isdigit() for token in between):
        return None
    before = clues.tokens[places[0] - 1] if places[0] else None
    if before is not None and before.stem not in {*table.words, *keys[0].words, *_NOUNS, *IDENTIFIER_WORDS}:
        return None
    return ValueFilter(keys[0], tuple(dict.fromkeys(clues.tokens[at].text for at in places)))


def _body(table: Table, column: Column, where: Sequence[ValueFilter], order: Order) -> dict[str, object]:
    known = next((value for value in column.values if value.casefold() == order.to.casefold()), order.to)
    return {
        "source_id": table.source,
        "table": table.name,
        "set": [{"column": column.name, "value": _typed(known, column)}],
        "where": [_condition(value, order.who) for value in where],
    }


def _condition(value: ValueFilter, who: str) -> dict[str, object]:
    # A likely misspelling of a value may be read along, but is never changed along: only case and blanks may differ.
    exact = [text for text in value.values if text.strip().casefold() in who.casefold()]
    cells = [_typed(text, value.column) for text in exact or value.values]
    negated = value.negated
    if len(cells) == 1:
        return {"column": value.column.name, "op": "ne" if negated else "eq", "value": cells[0]}
    return {"column": value.column.name, "op": "not_in" if negated else "in", "value": cells}


def _typed(text: str, column: Column) -> object:
    if column.kind == "flag":
        return text.casefold() in ("true", "yes")
    if column.type not in ("BIGINT", "DOUBLE") or not re.fullmatch(r"-?\d+(\.\d+)?", text):
        return text
    return float(text) if "." in text else int(text)


# Preview, then the change ---------------------------------------------------------------------------------------------


def _carried_on(turn: Turn, body: dict[str, object], loaded: Set[str]) -> Calls | str:
    if not {PREVIEW, UPDATE} <= loaded:
        if turn.of("toolbox_load"):
            return "I can't do that: the tools that change data could not be loaded. Nothing was changed."
        return [("toolbox_load", {"tool_names": [PREVIEW, UPDATE], "note": "getting the tools for a change"})]
    shown = next(iter(turn.of(PREVIEW)), None)
    if shown is None:
        return [(PREVIEW, {**body, "note": "previewing the change"})]
    if not shown.ok:
        return f"I can't do that: {as_code(shown.error)} [{shown.evidence}]. Nothing was changed."
    count = int(shown.data.get("row_count", 0))
    if count == 0:
        return f"No row fits [{shown.evidence}], so there is nothing to change."
    if int(shown.data.get("unchanged", 0)) == count:
        return f"{_so_already(count)} [{shown.evidence}], so there is nothing to change and nobody was asked."
    done = next(iter(turn.of(UPDATE)), None)
    if done is None:
        call = {**body, "expected_rows": count, "preview_fingerprint": shown.data.get("preview_fingerprint")}
        return [(UPDATE, {**call, "note": "asking for approval"})]
    return _told(done, body)


def _so_already(count: int) -> str:
    rows = "The row that you mean holds" if count == 1 else f"All {small(count)} rows that you mean hold"
    return f"{rows} that value already"


def _told(done: Done, body: dict[str, object]) -> str:
    mark = f"[{done.evidence}]"
    if not done.ok:
        return f"The change was not carried out: {as_code(done.error.rstrip('.') or 'no reason given')} {mark}."
    rows = int(done.data.get("affected_rows", 0))
    said = f"{small(rows)} {'row' if rows == 1 else 'rows'}"
    return f"Done: {said} of `{body['source_id']}/{body['table']}` changed {mark}. The evidence shows before and after."

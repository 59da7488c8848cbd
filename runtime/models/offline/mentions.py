"""Which words of a question name the table, its columns, and values that occur in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.lexicon import (
    CONVERSIONS,
    CURRENCIES,
    FILLERS,
    GENERIC_ROWS,
    IDENTIFIER_WORDS,
    THESAURUS,
    UNITS,
)
from runtime.models.offline.tokens import Token, stem, stems

_LONGEST = 6
_DROPPABLE = IDENTIFIER_WORDS | frozenset(stem(word) for word in ("name", "date", "at", "on", "time")) | UNITS.keys()
_NEAR_LENGTH = 5
_TWIN_LENGTH = 7
_WITH_SYNONYMS = frozenset[str]().union(*THESAURUS)


@dataclass(frozen=True, slots=True)
class Value:
    """A value that occurs in a column, in all its spellings."""

    column: Column
    spellings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens [first, after) and all that they may name here. `units` are the columns measured in (or convertible to)
    the unit named; `loose` says that a synonym, part or near spelling was needed; `taken` then explains it."""

    first: int
    after: int
    table: bool = False
    columns: tuple[Column, ...] = ()
    values: tuple[Value, ...] = ()
    units: tuple[Column, ...] = ()
    unit: str = ""
    loose: bool = False
    taken: str = ""

    @property
    def empty(self) -> bool:
        return not (self.table or self.columns or self.values or self.units)


def find_mentions(tokens: Sequence[Token], table: Table, free: Sequence[bool]) -> tuple[Mention, ...]:
    """The mentions among the `free` tokens: longest first, exact names before loose ones, without overlaps."""
    open_tokens = [
        is_free and (token.wordlike or token.kind == "money") for is_free, token in zip(free, tokens, strict=True)
    ]
    found: list[Mention] = []
    for finder in (_exact, _loose):
        for length in range(_LONGEST if finder is _exact else 1, 0, -1):
            for first in range(len(tokens) - length + 1):
                span = range(first, first + length)
                if not all(open_tokens[first : first + length]):
                    continue
                mention = finder(tokens, table, first, first + length)
                if mention is not None:
                    found.append(mention)
                    for at in span:
                        open_tokens[at] = False
    return tuple(sorted(found, key=lambda mention: mention.first))


def valued(tokens: Sequence[Token], tables: Sequence[Table]) -> frozenset[int]:
    """The tokens that spell a known value of any of `tables`."""
    known = {stems(value) for table in tables for column in table.of_kind("label") for value in column.values}
    found: set[int] = set()
    for first in range(len(tokens)):
        for after in range(first + 1, min(first + _LONGEST, len(tokens)) + 1):
            part = tokens[first:after]
            if tuple(token.stem for token in part) in known and not _mere_filler(part):
                found.update(range(first, after))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Named:
    """Tokens [first, after) that spell a name of several words, and the tables that it belongs to."""

    first: int
    after: int
    tables: frozenset[str]


def names_said(tokens: Sequence[Token], tables: Sequence[Table]) -> tuple[Named, ...]:
    """The names of tables and of columns of figures, of several words, that `tokens` spell whole; of a table's also its
    last word where that says no more than "rows" (the "lines" of an order are order lines), and of a column's one word
    where it would say nothing elsewhere: the "amount" of an order is no number of goods."""
    known: dict[tuple[str, ...], set[str]] = {}
    for table in tables:
        if len(table.words) > 1 and table.words[-1] in GENERIC_ROWS:
            known.setdefault(table.words[-1:], set()).add(table.id)
        named = (table.words, *(column.words for column in table.columns if column.kind == "number"))
        for words in named:
            if 1 < len(words) <= _LONGEST or (len(words) == 1 and words[0] in FILLERS and words != table.words):
                known.setdefault(words, set()).add(table.id)
    stemmed = [token.stem for token in tokens]
    spans = ((first, first + length) for length in range(1, _LONGEST + 1) for first in range(len(tokens) - length + 1))
    whole = (span for span in spans if span[1] - span[0] > 1 or _stands_alone(tokens[span[0]]))
    found = ((first, after, known.get(tuple(stemmed[first:after]))) for first, after in whole)
    return tuple(Named(first, after, frozenset(owners)) for first, after, owners in found if owners)


def _stands_alone(token: Token) -> bool:
    return token.low.endswith("s") or token.stem in FILLERS


def _exact(tokens: Sequence[Token], table: Table, first: int, after: int) -> Mention | None:
    part = tokens[first:after]
    words = tuple(token.stem for token in part)
    if len(part) == 1 and part[0].kind == "quoted":
        words = stems(part[0].low)
    unit = UNITS.get(words[0], "") if len(words) == 1 else ""
    columns = tuple(column for column in table.columns if column.words == words)
    may = not columns and len(words) > 1 and not _WITH_SYNONYMS.isdisjoint(words)
    alike = () if not may else tuple(c for c in table.columns if _same_meaning(c, words))
    if _rows_on(part):
        columns, alike = (tuple(c for c in found if not c.dated) for found in (columns, alike))
    mention = Mention(
        first,
        after,
        table=bool(table.words) and (words == table.words or _its_rows(part, table)),
        columns=columns or alike,
        loose=bool(alike),
        values=() if _mere_filler(part) else _values(words, table),
        units=_measured_in(unit, table),
        unit=unit,
    )
    return None if mention.empty else mention


def _its_rows(part: Sequence[Token], table: Table) -> bool:
    """The "lines" of a table of order lines."""
    plural = len(part) == 1 and part[0].low.endswith("s") and part[0].stem in GENERIC_ROWS
    return plural and len(table.words) > 1 and table.words[-1] == part[0].stem


def _rows_on(part: Sequence[Token]) -> bool:
    """ "orders on Mondays": the rows and when they were, not their `ordered_on`."""
    return len(part) == 2 and part[1].low in ("on", "at") and part[0].low.endswith("s")


def _same_meaning(column: Column, words: tuple[str, ...]) -> bool:
    """ "monthly price" for monthly_cost, "last met" for last_seen_days."""
    core = tuple(word for word in column.words if word not in UNITS)
    return any(
        len(names) == len(words)
        and all(a == b or any({a, b} <= group for group in THESAURUS) for a, b in zip(names, words, strict=True))
        for names in {column.words, core}
    )


def _mere_filler(part: Sequence[Token]) -> bool:
    """A value spelled like a filler ("us", "it") counts only in its own capitals or in quotes."""
    token = part[0]
    return len(part) == 1 and token.kind == "word" and token.stem in FILLERS and not token.text.isupper()


def _values(words: tuple[str, ...], table: Table) -> tuple[Value, ...]:
    found: list[Value] = []
    for column in table.of_kind("label"):
        spellings = tuple(value for value in column.values if stems(value) == words)
        if spellings and len("".join(words)) > 1:
            found.append(Value(column, spellings + _twins(spellings, column)))
    return tuple(found)


def _twins(spellings: tuple[str, ...], column: Column) -> tuple[str, ...]:
    """Other values one letter away from these: two spellings of one word ("cancelled", "canceled")."""
    return tuple(
        value
        for value in column.values
        if value not in spellings
        and len(value) >= _TWIN_LENGTH
        and not any(char.isspace() for char in value.strip())  # names of two words are two people
        and not any(char.isdigit() for char in value)
        and any(
            OSA.distance(value.casefold().strip(), one.casefold().strip(), score_cutoff=1) <= 1 for one in spellings
        )
    )


def _measured_in(unit: str, table: Table) -> tuple[Column, ...]:
    if not unit:
        return ()
    same = tuple(column for column in table.columns if column.unit == unit)
    return same or tuple(column for column in table.columns if (column.unit or "", unit) in CONVERSIONS)


def _loose(tokens: Sequence[Token], table: Table, first: int, after: int) -> Mention | None:
    token = tokens[first]
    if after - first > 1 or token.kind not in ("word", "quoted", "money"):
        return None
    if token.kind == "money":
        return _currency(token, table, first)
    if token.stem in FILLERS:
        return None
    return (
        _currency(token, table, first)
        or _part_of_column(token, table, first)
        or _synonym(token, table, first)
        or _part_of_value(token, table, first)
        or _near_value(token, table, first)
    )


def _currency(token: Token, table: Table, first: int) -> Mention | None:
    """ "dollars" for the USD of a currency column, or for the figures that are in dollars throughout."""
    code = CURRENCIES.get(token.low) or CURRENCIES.get(token.stem)
    if code is None:
        return None
    units = tuple(c for c in table.unit_columns if any(value.strip().upper() == code for value in c.values))
    values = tuple(Value(c, tuple(value for value in c.values if value.strip().upper() == code)) for c in units)
    measured = () if values else tuple(c for c in table.columns if c.unit == code)
    return Mention(first, first + 1, values=values, units=measured, unit=code) if values or measured else None


def _part_of_column(token: Token, table: Table, first: int) -> Mention | None:
    """ "distance" for distance_km always; "budget" for monthly_budget when no other column has the word."""
    core = tuple(c for c in table.columns if tuple(w for w in c.words if w not in _DROPPABLE) == (token.stem,))
    holding = tuple(column for column in table.columns if token.stem in column.words and token.stem not in UNITS)
    core, holding = _own_first(core), _own_first(holding)
    columns = core or (holding if len(holding) == 1 else ())
    return Mention(first, first + 1, columns=columns, loose=not core) if columns else None


def _own_first(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """The columns of the table itself, where there are any, before those of tables that it points at."""
    return tuple(column for column in columns if column.via is None) or columns


def _synonym(token: Token, table: Table, first: int) -> Mention | None:
    same = frozenset[str]().union(*(group for group in THESAURUS if token.stem in group))
    if not same:
        return None
    columns = tuple(column for column in table.columns if len(column.words) == 1 and column.words[0] in same)
    named = len(table.words) == 1 and table.words[0] in same
    return Mention(first, first + 1, table=named, columns=columns, loose=True) if named or columns else None


def _part_of_value(token: Token, table: Table, first: int) -> Mention | None:
    """A whole word of known values: "Calvino" for "Italo Calvino"."""
    if len(token.low) < 4:
        return None
    found = tuple(
        Value(column, spellings)
        for column in table.of_kind("label")
        if (spellings := tuple(value for value in column.values if token.stem in stems(value)))
    )
    if len(found) != 1 or len({value.casefold() for value in found[0].spellings}) != 1:
        return None
    taken = f"“{token.text}” as {found[0].column.name} “{found[0].spellings[0]}”"
    return Mention(first, first + 1, values=found, loose=True, taken=taken)


def _near_value(token: Token, table: Table, first: int) -> Mention | None:
    """One slip of the keyboard away from exactly one known value or column."""
    if len(token.low) < _NEAR_LENGTH:
        return None
    near = [
        Value(column, (value,))
        for column in table.of_kind("label")
        for value in column.values
        if abs(len(value) - len(token.low)) <= 1 and OSA.distance(value.casefold(), token.low, score_cutoff=1) == 1
    ]
    if len(near) != 1:
        return None
    taken = f"“{token.text}” as {near[0].column.name} “{near[0].spellings[0]}”"
    return Mention(first, first + 1, values=tuple(near), loose=True, taken=taken)

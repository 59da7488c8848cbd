"""Answers about the data themselves: which files and tables there are, and what a file or a table holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.databases import Sketch
from runtime.models.offline.gathering import Sight
from runtime.models.offline.lexicon import CONTAINERS, FILLERS, GENERIC_MEASURES
from runtime.models.offline.listing import Entry, Listing, names_file
from runtime.models.offline.plan import Aggregate
from runtime.models.offline.tokens import Token, stem, stems
from runtime.models.offline.transcript import Turn
from runtime.models.offline.wording import shown, small, unit_name

_ABOUT_DATA = CONTAINERS | frozenset(stem(word) for word in ("source", "column", "document", "database"))
_ASKING = frozenset(
    stem(word)
    for word in (
        "have",
        "available",
        "describe",
        "explain",
        "show",
        "list",
        "there",
        "open",
        "access",
        "exist",
        "schema",
    )
)
_OPENERS = frozenset("what which list show describe explain help summarize summarise overview summary".split())
_DESCRIBING = frozenset("describe explain schema summarize summarise overview summary".split())
_LINES, _VALUES, _LOOKED_INTO = 25, 6, 16


def asks_for_files(tokens: Sequence[Token]) -> bool:
    """True for "what tables do you have?", "which files are there?": no word about anything else."""
    words = [token for token in tokens if token.wordlike]
    if not words or not any(token.low in _OPENERS for token in words):
        return False
    if [token.low for token in words] == ["help"]:
        return True
    rest = [token for token in words if token.stem not in FILLERS and token.low not in _OPENERS]
    names = [token for token in rest if token.stem in _ABOUT_DATA]
    return bool(names) and all(token.stem in _ABOUT_DATA | _ASKING for token in rest)


def asked_table(tokens: Sequence[Token], sight: Sight) -> tuple[tuple[str, ...], tuple[Sketch, ...]] | None:
    """The table of "describe workouts", "what columns does orders.csv have?": one table named, no other word."""
    rest = [token for token in tokens if token.wordlike and token.stem not in FILLERS and token.low not in _OPENERS]
    asked = any(token.low in _DESCRIBING or token.stem in ("column", "field") for token in tokens)
    rest = [token for token in rest if token.stem not in _ASKING and token.stem not in ("column", "field")]
    if not rest or not asked:
        return None
    fitting: list[tuple[int, int, str | Sketch]] = []
    for entry in sight.listing.entries:
        for table in entry.tables:
            if all(_names(token, entry, set(stems(table))) for token in rest):
                fitting.append((_unsaid(stems(table), rest), len(fitting), table))
    for sketch in sight.tables:
        words = stems(sketch.name.rpartition(".")[2])
        if all(token.stem in words or token.low == sketch.source or token.stem in CONTAINERS for token in rest):
            fitting.append((_unsaid(words, rest), len(fitting), sketch))
    if not fitting:
        return None
    *_, best = min(fitting, key=lambda one: one[:2])
    return ((), (best,)) if isinstance(best, Sketch) else ((best,), ())


def _unsaid(words: Sequence[str], rest: Sequence[Token]) -> int:
    return len(set(words) - {token.stem for token in rest})


def _names(token: Token, entry: Entry, words: set[str]) -> bool:
    if token.kind in ("file", "quoted"):
        return names_file(token, entry.name)
    return token.stem in words or token.stem in CONTAINERS


def asked_files(tokens: Sequence[Token], listing: Listing) -> tuple[Entry, ...]:
    """The files of "what is in budget.xlsx?", "describe budget.xlsx": files, and no word but to show them."""
    spoken = [token for token in tokens if token.wordlike]
    rest = [token for token in spoken if token.stem not in FILLERS - GENERIC_MEASURES and token.low not in _OPENERS]
    rest = [token for token in rest if token.stem not in _ASKING | _ABOUT_DATA | {"field"}]
    named = [listing.named(token) for token in rest]
    asked = len(spoken) == len(rest) or any(token.low in _OPENERS or token.low == "schema" for token in spoken)
    return tuple(dict.fromkeys(entry for entry in named if entry is not None)) if asked and all(named) else ()


def several_tables(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The tables to be looked into so that each of the `entries` with more than one can be told table by table."""
    return tuple(name for entry in entries if len(entry.tables) > 1 for name in entry.tables)[:_LOOKED_INTO]


def tables_of(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The tables to be looked into so that the `entries` can be described."""
    return tuple(name for entry in entries for name in entry.tables)[:_LOOKED_INTO]


def described_files(entries: Sequence[Entry], tables: Sequence[Table], turn: Turn) -> str:
    """What each of the files holds, every table by itself."""
    mark = f" [{turn.of('list_files')[-1].evidence}]"
    parts: list[str] = []
    for entry in entries:
        own = [table for table in tables if table.name in entry.tables]
        if len(entry.tables) > 1:
            names = ", ".join(f"`{name}`" for name in entry.tables[:_LINES])
            parts.append(f"`{entry.name}` holds {small(len(entry.tables))} tables{mark}: {names}.")
        text = "; tables in it are read as text only" if entry.kind == "document" else ""
        parts += [table_answer(table) for table in own] or [f"{_entry_words(entry)}{text}{mark}."]
    return "\n\n".join(parts)


def files_answer(sight: Sight, turn: Turn, tables: Sequence[Table]) -> str:
    """What is here, one line a table of a file or database, or a file without one, with the mark of where that stands.
    `tables` are those looked into of files with several."""
    pages, catalog, listing = turn.of("list_files"), turn.of("catalog_schema"), sight.listing
    mark = f" [{pages[-1].evidence}]" if pages else ""
    by_name = {table.name: table for table in tables}
    lines = [f"- {line}" for entry in listing.entries[:_LINES] for line in _entry_lines(entry, by_name, mark)]
    more = f"\nThese are the first {_LINES} of {listing.total:,}{mark}." if listing.total > _LINES else ""
    if catalog:
        lines += [f"- {_sketch_words(sketch)} [{catalog[-1].evidence}]" for sketch in sight.tables[:_LINES]]
    lines += [f"- the source `{name}` can't be asked now" for name in sight.unavailable]
    return (
        "This is what I can see here:\n" + "\n".join(lines) + more + "\n\n_Ask me for counts, totals, averages, "
        "extremes or groups over the tables, in the words of their columns and values._"
    )


def _sketch_words(sketch: Sketch) -> str:
    columns = ", ".join(f"`{field.name}`" for field in sketch.fields[:12])
    more = f" and {len(sketch.fields) - 12} more" if len(sketch.fields) > 12 else ""
    return f"`{sketch.id}`: a table with {columns}{more}"


def _entry_lines(entry: Entry, tables: Mapping[str, Table], mark: str) -> list[str]:
    """A line for each table of a file with several, else one for the file."""
    if len(entry.tables) < 2:
        return [_entry_words(entry) + mark]
    return [
        _table_words(entry.name, tables[name])
        if name in tables
        else f"`{entry.name}`: the table `{name}`, which I haven't looked into here{mark}"
        for name in entry.tables
    ]


def _table_words(file: str, table: Table) -> str:
    columns = [column for column in table.columns if column.formula is None]
    listed = ", ".join(f"`{column.name}`" for column in columns[:12])
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return f"`{file}: {table.name}`: {table.rows:,} rows with {listed}{more} [{table.evidence}]"


def _entry_words(entry: Entry) -> str:
    if entry.kind == "table":
        columns = ", ".join(f"`{column}`" for column in entry.columns[:12])
        more = f" and {len(entry.columns) - 12} more" if len(entry.columns) > 12 else ""
        rows = f"{entry.rows:,} rows" if entry.rows is not None else "a table"
        return f"`{entry.name}`: {rows}" + (f" with {columns}{more}" if columns else "")
    if entry.kind == "document":
        return f"`{entry.name}`: a document, whose lines I can find and quote"
    return f"`{entry.name}`: not read" + (f" ({shown(entry.reason)})" if entry.reason else "")


def table_answer(table: Table) -> str:
    """What a table holds, one line a column, with the mark of its inspection."""
    mark = f" [{table.evidence}]"
    lines = [f"- {_column_words(column)}{mark}" for column in [c for c in table.columns if c.formula is None][:_LINES]]
    return f"`{table.called}` has **{table.rows:,}** rows{mark}:\n" + "\n".join(lines)


def _column_words(column: Column) -> str:
    text = f"`{column.name}` ({column.type})"
    if column.kind == "label" and column.values:
        listed = ", ".join(shown(value) for value in column.values[:_VALUES])
        whole = column.complete and len(column.values) <= _VALUES
        return f"{text}: {listed}" + ("" if whole else " and others")
    if column.minimum is not None and column.maximum is not None:
        unit = f" {unit_name(Aggregate('max', column, unit=column.unit))}" if column.unit else ""
        return f"{text}: {shown(column.minimum, column)} to {shown(column.maximum, column)}{unit}"
    return text

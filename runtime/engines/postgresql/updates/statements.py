"""The SQL of a change: quoted names of the catalogue, every value bound, types as PostgreSQL says them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from runtime.engines.postgresql.connections import quoted
from runtime.engines.postgresql.updates.table_facts import TableFacts
from runtime.engines.update_port import COMPARISONS, LISTS, TESTS, Condition, Scalar

_LONG = 4_000
"""A value longer than this is compared by its digest, unless it is one that is set."""


@dataclass(slots=True)
class Statement:
    """SQL with `$n` and its values, in their order."""

    sql: str = ""
    values: list[object] = field(default_factory=list[object])

    def bind(self, value: object) -> str:
        """The placeholder of one more value."""
        self.values.append(value)
        return f"${len(self.values)}"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a row of the target is read as: its key, its version, and the texts of its readable columns, or their
    digests where no value may leave the database."""

    facts: TableFacts
    readable: tuple[str, ...]
    whole: frozenset[str] = frozenset()
    digested: bool = False

    @property
    def table(self) -> str:
        return _named(self.facts)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.facts.primary_key

    def selected(self) -> str:
        """The select list: every key, the version, every cell."""
        keys = [f"{_column(name)}::text" for name in self.keys]
        cells = [self._cell(name) for name in self.readable]
        return ", ".join([*keys, "t.xmin::text", *cells])

    def size(self) -> str:
        """How many bytes the cells of a row come to."""
        return " + ".join(f"coalesce(octet_length({self._cell(name)}), 0)" for name in self.readable)

    def order(self) -> str:
        return ", ".join(_column(name) for name in self.keys)

    def _cell(self, name: str) -> str:
        text = f"{_column(name)}::text"
        if self.digested:
            return f"md5({text})"
        if name in self.whole:
            return text
        return f"CASE WHEN octet_length({text}) > {_LONG} THEN 'md5 ' || md5({text}) ELSE {text} END"


def _column(name: str) -> str:
    return f"t.{quoted(name)}"


def matching(shape: Shape, conditions: Sequence[Condition], most: int) -> Statement:
    """The rows that fit, by key, at most so many and one."""
    made = Statement()
    where = _where(made, shape.facts, conditions)
    made.sql = f"SELECT {shape.selected()} FROM {shape.table} WHERE {where} ORDER BY {shape.order()} LIMIT {most + 1}"
    return made


def measuring(shape: Shape, conditions: Sequence[Condition], most: int) -> Statement:
    """How many bytes those rows come to, so that what nobody could hold never leaves the server."""
    made = Statement()
    where = _where(made, shape.facts, conditions)
    limited = (
        f"SELECT {shape.size()} AS size FROM {shape.table} WHERE {where} ORDER BY {shape.order()} LIMIT {most + 1}"
    )
    made.sql = f"SELECT sum(size) FROM ({limited}) AS rows_seen"
    return made


def counting(shape: Shape, conditions: Sequence[Condition]) -> Statement:
    """How many rows fit."""
    made = Statement()
    made.sql = f"SELECT count(*) FROM {shape.table} WHERE {_where(made, shape.facts, conditions)}"
    return made


def by_keys(shape: Shape, keys: Sequence[tuple[str, ...]], *, locked: bool) -> Statement:
    """The rows with these keys, by key; `locked`: nobody else can change them until the transaction ends."""
    made = Statement()
    ending = " FOR UPDATE OF t" if locked else ""
    made.sql = (
        f"SELECT {shape.selected()} FROM {shape.table} JOIN {_keys(made, shape, keys)} ON {_same(shape)} "
        f"ORDER BY {shape.order()}{ending}"
    )
    return made


def others(shape: Shape, conditions: Sequence[Condition], keys: Sequence[tuple[str, ...]], most: int) -> Statement:
    """Keys of rows that fit, but are none of these."""
    made = Statement()
    chosen = ", ".join(f"{_column(name)}::text" for name in shape.keys)
    made.sql = (
        f"SELECT {chosen} FROM {shape.table} WHERE ({_where(made, shape.facts, conditions)}) "
        f"AND NOT EXISTS (SELECT FROM {_keys(made, shape, keys)} WHERE {_same(shape)}) "
        f"ORDER BY {shape.order()} LIMIT {most}"
    )
    return made


def updating(
    shape: Shape, columns: Sequence[str], rows: Sequence[tuple[tuple[str, ...], tuple[str | None, ...]]]
) -> Statement:
    """Gives each row, by its key, its new texts for `columns`."""
    made = Statement()
    facts, keys = shape.facts, [key for key, _ in rows]
    lists = _key_lists(made, shape, keys)
    lists += [f"{made.bind([after[at] for _, after in rows])}::text[]" for at in range(len(columns))]
    names = [*_key_names(shape), *(f"v{at}" for at in range(len(columns)))]
    sets = ", ".join(
        f"{quoted(name)} = {_cast(f'k.v{at}', facts.columns[name].base)}" for at, name in enumerate(columns)
    )
    made.sql = (
        f"UPDATE {shape.table} SET {sets} FROM unnest({', '.join(lists)}) AS k({', '.join(names)}) WHERE {_same(shape)}"
    )
    return made


def rendering(facts: TableFacts, column: str, value: Scalar) -> Statement:
    """The value as the column's type reads it, once as declared and once without its length."""
    made = Statement()
    text = f"{made.bind(as_text(value))}::text"
    found = facts.columns[column]
    made.sql = f"SELECT {_cast(text, found.full)}::text, {_cast(text, found.base)}::text"
    return made


def kinds(facts: TableFacts, column: str, rows: int, most: int) -> Statement:
    """The different texts of a column in its first rows, at most so many, each with its number of rows."""
    made = Statement()
    looked_at = f"SELECT {_column(column)}::text AS kind FROM {_named(facts)} LIMIT {rows}"
    made.sql = (
        f"SELECT kind, count(*)::text FROM ({looked_at}) AS looked_at WHERE kind IS NOT NULL "
        f"GROUP BY kind ORDER BY count(*) DESC, kind LIMIT {most}"
    )
    return made


def standing(facts: TableFacts, column: str, text: str) -> Statement:
    """One row when the text stands in any row of the column."""
    made = Statement()
    value = _cast(f"{made.bind(text)}::text", facts.columns[column].base)
    made.sql = f"SELECT 'yes' FROM {_named(facts)} WHERE {_compared(facts, column, '=')} {value} LIMIT 1"
    return made


def _named(facts: TableFacts) -> str:
    return f"{quoted(str(facts.document['schema']), str(facts.document['name']))} AS t"


def _where(made: Statement, facts: TableFacts, conditions: Sequence[Condition]) -> str:
    return " AND ".join(_condition(made, facts, each) for each in conditions)


def _condition(made: Statement, facts: TableFacts, condition: Condition) -> str:
    name, type_ = condition.column, facts.columns[condition.column].base
    if condition.op in TESTS:
        return f"{_column(name)} {TESTS[condition.op]}"
    bound = [_cast(f"{made.bind(as_text(value))}::text", type_) for value in condition.values]
    if condition.op in LISTS:
        sign, of = LISTS[condition.op]
        return f"{_compared(facts, name, sign)} {of} (ARRAY[{', '.join(bound)}])"
    return f"{_compared(facts, name, COMPARISONS[condition.op])} {bound[0]}"


def _compared(facts: TableFacts, column: str, sign: str) -> str:
    """The column and the sign, which is that of its own type whatever the search path is."""
    return f"{_column(column)} OPERATOR({quoted(facts.columns[column].operators)}.{sign})"


def _keys(made: Statement, shape: Shape, keys: Sequence[tuple[str, ...]]) -> str:
    return f"unnest({', '.join(_key_lists(made, shape, keys))}) AS k({', '.join(_key_names(shape))})"


def _key_lists(made: Statement, shape: Shape, keys: Sequence[tuple[str, ...]]) -> list[str]:
    return [f"{made.bind([key[at] for key in keys])}::text[]" for at in range(len(shape.keys))]


def _key_names(shape: Shape) -> list[str]:
    return [f"k{at}" for at in range(len(shape.keys))]


def _same(shape: Shape) -> str:
    facts, pairs = shape.facts, zip(shape.keys, _key_names(shape), strict=True)
    same = (f"{_compared(facts, name, '=')} {_cast(f'k.{key}', facts.columns[name].base)}" for name, key in pairs)
    return " AND ".join(same)


def _cast(expression: str, type_: str) -> str:
    return f"CAST({expression} AS {type_})"


def as_text(value: Scalar) -> str | None:
    """A value as the text that the column's type is asked to read. Raises ValueError for what no text of PostgreSQL's
    can hold."""
    if value is None or isinstance(value, str):
        if value is not None:
            if "\0" in value:
                raise ValueError("it holds a zero byte")
            value.encode()
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)

"""What the tools have told about the tables: names, columns and what kind of thing each column is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from runtime.evidence import Json
from runtime.models.offline.lexicon import FLAG_WORDS, IDENTIFIER_WORDS, NON_ADDITIVE_WORDS, UNIT_COLUMN_WORDS
from runtime.models.offline.stated_units import stated_unit
from runtime.models.offline.tokens import stems

Dialect = Literal["duckdb", "sqlite", "postgresql"]
Kind = Literal["number", "date", "textdate", "flag", "label", "noisy", "id", "year", "other"]

_NUMBER_TYPES = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|REAL|DECIMAL.*)$")
_DATE_TYPES = re.compile(r"^(DATE|TIMESTAMP.*|DATETIME)$")
_NOISY = re.compile(r"^\s*[^\w\s]{0,2}\s*[-(]?[\d][\d., ]*\)?\s*([A-Za-z€$£%]{1,4})?\s*$")
TEXT_DATES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^[A-Z][a-z]{2} \d{1,2}, \d{4}$"), "%b %d, %Y"),
    (re.compile(r"^[A-Z][a-z]{3,} \d{1,2}, \d{4}$"), "%B %d, %Y"),
    (re.compile(r"^\d{1,2} [A-Z][a-z]{2} \d{4}$"), "%d %b %Y"),
    (re.compile(r"^\d{1,2} [A-Z][a-z]{3,} \d{4}$"), "%d %B %Y"),
    (re.compile(r"^\d{4}-\d{2}$"), "%Y-%m"),
    (re.compile(r"^\d{1,2}\.\d{1,2}\.\d{4}$"), "%d.%m.%Y"),
    (re.compile(r"^\d{4}/\d{1,2}/\d{1,2}$"), "%Y/%m/%d"),
)


@dataclass(frozen=True, slots=True)
class Join:
    """`column` of this table shares values with `other_column` of the table with the id `table`. Where the join is part
    of a way, `sql` is that table's name for FROM, `origin` the id of the table it starts from, and `before` the join
    that leads there."""

    column: str
    table: str
    other_column: str
    sql: str = ""
    origin: str = ""
    before: Join | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column as profiled. `values` are the known values, most frequent first; `complete` says that there are no
    others. `true_value` is the text that means yes in a flag kept as text; `date_format` reads a date kept as text;
    `folds` says that some values differ in case or blanks only, `folded` how many there are without these, where it is
    known. `source` is the id of its table, where more than one is
    read, and `via` how its rows are found from those of the table in question. A `masked` column's values are for
    people only. `zone` is where a moment's day and month are looked up. A
    `formula` (column, column, factor) makes it the quotient of two others, times the factor. A value that is
    `shared` may be that of several rows of its table."""

    name: str
    type: str
    kind: Kind
    words: tuple[str, ...]
    distinct: int
    null_percent: float = 0.0
    minimum: Json = None
    maximum: Json = None
    values: tuple[str, ...] = ()
    complete: bool = False
    unit: str | None = None
    true_value: str | None = None
    date_format: str | None = None
    folds: bool = False
    folded: int = 0
    source: str = ""
    via: Join | None = None
    masked: bool = False
    zone: str = ""
    formula: tuple[str, str, float] | None = None
    shared: bool = False

    @property
    def additive(self) -> bool:
        """True when adding the values up makes sense: not for ratings, rates, ages, percentages."""
        return self.kind == "number" and not any(word in NON_ADDITIVE_WORDS for word in self.words)

    @property
    def tells_unit(self) -> bool:
        """True for a column that says in which currency or unit a row's figures are, where that varies."""
        return self.kind == "label" and self.distinct > 1 and self.words[-1] in UNIT_COLUMN_WORDS

    @property
    def steps(self) -> int:
        """How many joins lead to the column from the table in question."""
        way, count = self.via, 0
        while way is not None:
            way, count = way.before, count + 1
        return count

    @property
    def dated(self) -> bool:
        return self.kind in ("date", "textdate")

    @property
    def timed(self) -> bool:
        """True for a moment: a day with its time."""
        return self.dated and self.type.startswith(("TIMESTAMP", "DATETIME"))

    def first_day(self) -> date | None:
        return as_day(self.minimum)

    def last_day(self) -> date | None:
        return as_day(self.maximum)


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the evidence id of its inspection. `file` is what people call it, unless it is one of `several` in
    it; of a database's table `source` is the database, `sql` the name for FROM, and `dialect` how it is asked.
    `borrowed` are the unit columns of the tables that its rows point at."""

    name: str
    file: str
    rows: int
    columns: tuple[Column, ...]
    keys: tuple[str, ...] = ()
    joins: tuple[Join, ...] = ()
    evidence: str = ""
    words: tuple[str, ...] = ()
    source: str = ""
    sql: str = ""
    dialect: Dialect = "duckdb"
    borrowed: tuple[Column, ...] = ()
    several: bool = False

    @property
    def called(self) -> str:
        """What people call it: its file, and which of the file's tables it is where there are several."""
        return f"{self.file}: {self.name}" if self.several else self.file

    @property
    def rows_called(self) -> str:
        """What its rows are, by a name in the plural ("order lines"); "rows" for another name, and for one of several
        tables in a file, whose name holds the file's."""
        if self.several:
            return "rows"
        spoken = self.name.rpartition(".")[2].replace("_", " ").strip()
        last = spoken.rpartition(" ")[2].casefold()
        return spoken if last.isalpha() and last.endswith("s") and stems(last) != (last,) else "rows"

    @property
    def id(self) -> str:
        """Its name, behind that of its database."""
        return f"{self.source}/{self.name}" if self.source else self.name

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    def of_kind(self, *kinds: Kind) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.kind in kinds)

    @property
    def unit_columns(self) -> tuple[Column, ...]:
        """Columns that say in which currency or unit a row's figures are, where that varies: its own, else borrowed."""
        own = tuple(c for c in self.columns if c.via is None and c.tells_unit)
        return own or self.borrowed or tuple(c for c in self.columns if c.tells_unit)


def table_from(data: Mapping[str, Any], evidence: str) -> Table:
    """A table from the data of an `inspect_table` result."""
    name = str(data["table"])
    samples = _samples(data.get("sample"))
    sampled = data.get("sampled") is not None
    rows = int(data.get("rows", 0))
    columns = tuple(
        _column(body, samples.get(str(body["name"]), ()), None if sampled else rows) for body in data.get("columns", ())
    )
    columns += _speed(columns)
    return Table(
        name=name,
        file=str(data.get("file", name)),
        rows=rows,
        columns=columns,
        keys=tuple(str(key) for key in data.get("keys", ())),
        joins=tuple(Join(str(j["column"]), str(j["table"]), str(j["other_column"])) for j in data.get("joins", ())),
        evidence=evidence,
        words=tuple(word for word in stems(name) if not word.isdigit()),
        sql='"' + name.replace('"', '""') + '"',
    )


def _speed(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Where rows have one distance and one duration, they have a speed, too."""
    ways = [column for column in columns if column.unit == "km"]
    times = [column for column in columns if column.unit in _AN_HOUR]
    if len(ways) != 1 or len(times) != 1 or any("speed" in column.words for column in columns):
        return ()
    formula = (ways[0].name, times[0].name, _AN_HOUR[times[0].unit or ""])
    return (Column("speed_km_h", "DOUBLE", "number", ("speed",), 0, unit="km/h", formula=formula),)


_AN_HOUR = {"second": 3600.0, "minute": 60.0, "hour": 1.0}


def with_values(table: Table, found: Sequence[tuple[str, str]]) -> Table:
    """`table` knowing more values: (column, value) pairs that a look-up returned."""
    columns: list[Column] = []
    for column in table.columns:
        more = tuple(value for name, value in found if name == column.name and value not in column.values)
        columns.append(replace(column, values=column.values + more) if more else column)
    return replace(table, columns=tuple(columns))


def as_day(value: Json) -> date | None:
    """The day of an ISO date or timestamp, or None."""
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _samples(sample: Mapping[str, Any] | None) -> dict[str, tuple[str, ...]]:
    if not sample:
        return {}
    rows = sample.get("rows", ())
    return {
        str(name): tuple(str(row[at]) for row in rows if at < len(row) and row[at] is not None)
        for at, name in enumerate(sample.get("columns", ()))
    }


def _column(body: Mapping[str, Any], sample: tuple[str, ...], rows: int | None) -> Column:
    name, kind_name = str(body["name"]), str(body["type"]).upper()
    words = stems(name) or (name.casefold(),)
    common = tuple(str(value) for value, _ in body.get("common", ()) if value is not None)
    ends = tuple(str(body[key]) for key in ("min", "max") if isinstance(body.get(key), str))
    seen = common + tuple(value for value in (*ends, *sample) if value not in common)
    kind, text_format, true_value = _kind(kind_name, words, common, seen)
    listed = [str(note) for note in body.get("notes", ())]
    notes = " ".join(listed)
    if kind == "label" and "kept as text" in notes and "leading zeros" not in notes:
        kind = "noisy"
    values = tuple(dict.fromkeys(seen)) if kind == "label" else ()
    distinct = int(body.get("distinct", 0))
    folded = int(body.get("folded") or distinct)
    return Column(
        name=name,
        type=kind_name,
        kind=kind,
        words=words,
        distinct=distinct,
        null_percent=float(body.get("null_percent") or 0.0),
        minimum=None if kind == "textdate" else body.get("min"),
        maximum=None if kind == "textdate" else body.get("max"),
        values=values,
        complete=kind == "label" and _all_known(body, rows, distinct),
        unit=stated_unit(words, listed, str(body.get("comment", ""))) if kind == "number" else None,
        true_value=true_value,
        date_format=text_format,
        folds=kind == "label" and (folded < distinct or "case or blanks" in notes or _collide(values)),
        folded=folded if folded < distinct else 0,
    )


def _all_known(body: Mapping[str, Any], rows: int | None, distinct: int) -> bool:
    """True when the common values are all there are. `rows` is None when only a sample was looked at."""
    counts = [int(count) for value, count in body.get("common", ()) if value is not None]
    if rows is None or distinct > len(counts):
        return False
    return sum(counts) >= rows * (1 - (float(body.get("null_percent") or 0.0) + 0.01) / 100)


def _collide(values: Sequence[str]) -> bool:
    return len({value.strip().casefold() for value in values}) < len(values)


def _kind(
    type_name: str, words: tuple[str, ...], common: tuple[str, ...], seen: tuple[str, ...]
) -> tuple[Kind, str | None, str | None]:
    if type_name == "BOOLEAN":
        return "flag", None, None
    if _DATE_TYPES.match(type_name):
        return "date", None, None
    if _NUMBER_TYPES.match(type_name):
        if words[-1] in IDENTIFIER_WORDS:
            return "id", None, None
        return ("year" if words[-1] == "year" and "INT" in type_name else "number"), None, None
    if type_name != "VARCHAR":
        return "other", None, None
    return _text_kind(words, common, seen)


def _text_kind(
    words: tuple[str, ...], common: tuple[str, ...], seen: tuple[str, ...]
) -> tuple[Kind, str | None, str | None]:
    folded = {value.casefold() for value in common}
    if folded and folded <= FLAG_WORDS.keys() and len(folded) <= 2 and len(common) <= 2:
        true = next((value for value in common if FLAG_WORDS[value.casefold()]), None)
        return "flag", None, true if true is not None else ""
    for pattern, text_format in TEXT_DATES:
        if seen and all(pattern.match(value) for value in seen):
            return "textdate", text_format, None
    numeric = sum(bool(_NOISY.match(value)) for value in seen)
    if seen and words[-1] not in IDENTIFIER_WORDS and numeric * 2 > len(seen):
        return "noisy", None, None
    return "label", None, None

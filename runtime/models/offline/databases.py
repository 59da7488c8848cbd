"""What a catalog tells about the tables of databases, and the one query that looks into a table's columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from runtime.evidence import Json
from runtime.models.offline import dialects
from runtime.models.offline.catalog import Column, Dialect, Join, Table, table_from
from runtime.models.offline.tokens import stems

_COMMON, _ROWS_WHOLE, _LOOKED_AT = 6, 100, 200_000
_NO_COUNT, _NO_TEXT = "CAST(NULL AS BIGINT)", "CAST(NULL AS TEXT)"  # PostgreSQL wants to know of what kind nothing is
_TYPES: tuple[tuple[str, str], ...] = (
    (r"BOOL", "BOOLEAN"),
    (r"TIMESTAMP.* WITH TIME ZONE|TIMESTAMPTZ", "TIMESTAMPTZ"),
    (r"TIMESTAMP|DATETIME", "TIMESTAMP"),
    (r"^DATE$", "DATE"),
    (r"INTERVAL|POINT|\[\]", "OTHER"),
    (r"INT", "BIGINT"),
    (r"CHAR|CLOB|TEXT|^NAME$", "VARCHAR"),
    (r"NUMERIC|DECIMAL|REAL|FLOA|DOUB|MONEY", "DOUBLE"),
)
_DAY = re.compile(r"^\d{4}-\d{2}-\d{2}($|[ T])")


@dataclass(frozen=True, slots=True)
class Field:
    """A column as the catalog has it, its type among those that `run_sql` knows; `comment` is the database's own."""

    name: str
    type: str
    masked: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A table as the catalog has it, before anything of it was read."""

    source: str
    name: str
    sql: str
    dialect: Dialect
    fields: tuple[Field, ...]
    keys: tuple[str, ...] = ()
    joins: tuple[Join, ...] = ()
    large: bool = False

    @property
    def id(self) -> str:
        return f"{self.source}/{self.name}"


def sketches(data: Mapping[str, Any]) -> tuple[Sketch, ...]:
    """The tables of a `catalog_schema` result that a query tool can read."""
    spoken: dict[str, Dialect | None] = {
        str(one.get("source")): dialects.named(str(one.get("dialect"))) for one in data.get("freshness", ())
    }
    found = list[Sketch]()
    for body in cast(Sequence[Mapping[str, Any]], data.get("tables", ())):
        source, _, name = str(body["id"]).partition("/")
        dialect = spoken.get(source)
        if dialect is not None and dialect != "duckdb":
            found.append(_sketch(source, name, dialect, body))
    return tuple(found)


def _sketch(source: str, name: str, dialect: Dialect, body: Mapping[str, Any]) -> Sketch:
    keys = [body.get("primary_key", ()), *body.get("unique", ())]
    return Sketch(
        source=source,
        name=name,
        sql=str(body["sql"]),
        dialect=dialect,
        fields=tuple(
            Field(str(c["name"]), _type(str(c.get("type", ""))), c.get("masked") is True, str(c.get("comment", "")))
            for c in body["columns"]
        ),
        keys=tuple(str(key[0]) for key in keys if len(key) == 1),
        joins=tuple(
            Join(str(key["columns"][0]), str(key["references"]), str(key["referenced_columns"][0]))
            for key in body.get("foreign_keys", ())
            if len(key["columns"]) == 1
        ),
        large=int(body.get("rows_estimate") or 0) > _LOOKED_AT,
    )


def _type(declared: str) -> str:
    upper = declared.upper()
    return next((name for pattern, name in _TYPES if re.search(pattern, upper)), "OTHER")


# Looking into a table -------------------------------------------------------------------------------------------------


def profile_query(sketch: Sketch, zone: str) -> str:
    """One row for each column (cells, different ones, those that read as days, least, greatest, texts that differ in
    more than case and blanks), then the most common values of texts. Of a large table the first rows stand for all;
    masked columns are left alone."""
    looked = [field for field in sketch.fields if not field.masked and field.type != "OTHER"]
    listed = ", ".join(dialects.quoted(field.name) for field in looked)
    source = f"(SELECT {listed} FROM {sketch.sql} LIMIT {_LOOKED_AT}) AS looked_at" if sketch.large else sketch.sql
    parts = [_whole(source), *(_figures(field, sketch, source, zone) for field in looked)]
    room = _ROWS_WHOLE - len(parts)
    for field in looked:
        if field.type == "VARCHAR" and room >= _COMMON:
            parts.append(_commons(field, source))
            room -= _COMMON
    return " UNION ALL ".join(parts)


def _whole(source: str) -> str:
    return (
        f"SELECT '' AS profiled, count(*) AS cells, {_NO_COUNT} AS different, {_NO_COUNT} AS days, "
        f"{_NO_TEXT} AS least, {_NO_TEXT} AS greatest, {_NO_COUNT} AS folded FROM {source}"
    )


def _figures(field: Field, sketch: Sketch, source: str, zone: str) -> str:
    cell = dialects.quoted(field.name)
    shown = dialects.moment(cell, sketch.dialect, zone) if field.type == "TIMESTAMPTZ" else cell
    ends = (
        f"CAST(min({shown}) AS TEXT), CAST(max({shown}) AS TEXT)"
        if field.type != "BOOLEAN"
        else f"{_NO_TEXT}, {_NO_TEXT}"
    )
    days = f"count(date({cell}))" if sketch.dialect == "sqlite" and field.type in _AS_TEXT else _NO_COUNT
    counts = f"count({cell}), count(DISTINCT {cell}), {days}, {ends}"
    folded = f"count(DISTINCT {dialects.folded(cell)})" if field.type == "VARCHAR" else _NO_COUNT
    return f"SELECT {dialects.text(field.name)}, {counts}, {folded} FROM {source}"


_AS_TEXT = ("VARCHAR", "DATE", "TIMESTAMP")  # SQLite keeps days as text


def _commons(field: Field, source: str) -> str:
    cell = dialects.quoted(field.name)
    return (
        f"SELECT profiled, cells, {_NO_COUNT}, {_NO_COUNT}, least, {_NO_TEXT}, {_NO_COUNT} FROM (SELECT "
        f"{dialects.text(field.name)} AS profiled, count(*) AS cells, {cell} AS least FROM {source} "
        f"WHERE {cell} IS NOT NULL GROUP BY {cell} ORDER BY 2 DESC, 3 LIMIT {_COMMON}) AS common"
    )


def profiled(sketch: Sketch, rows: Sequence[Sequence[Json]], evidence: str, zone: str) -> Table:
    """The table as its profile shows it; what the profile doesn't tell stays unknown."""
    whole = next((row for row in rows if row[0] == ""), None)
    total = int(str(whole[1])) if whole else 0
    columns = [_column_body(field, rows, total, sketch) for field in sketch.fields]
    body: dict[str, Any] = {
        "table": sketch.name,
        "file": sketch.id,
        "rows": total,
        "columns": columns,
        "keys": sketch.keys,
        "sampled": {} if sketch.large or whole is None else None,
    }
    table = table_from(body, evidence)
    masked = {field.name for field in sketch.fields if field.masked}
    words = tuple(word for word in stems(sketch.name.rpartition(".")[2]) if not word.isdigit())
    return replace(
        table,
        source=sketch.source,
        sql=sketch.sql,
        dialect=sketch.dialect,
        words=words,
        joins=sketch.joins,
        columns=tuple(_settled(column, sketch, column.name in masked, zone) for column in table.columns),
    )


def _settled(column: Column, sketch: Sketch, masked: bool, zone: str) -> Column:
    """A masked column is nothing to compute with, nor is a number that points at rows; texts that other tools would
    read as dates stay labels here."""
    if masked:
        return replace(column, kind="other", masked=True, values=())
    if column.kind == "number" and any(join.column == column.name for join in sketch.joins):
        return replace(column, kind="id", unit=None)
    if column.kind == "textdate":
        return replace(column, kind="label", date_format=None)
    return replace(column, zone=zone) if column.type == "TIMESTAMPTZ" else column


def _column_body(field: Field, rows: Sequence[Sequence[Json]], total: int, sketch: Sketch) -> dict[str, Any]:
    """The column in the shape that `inspect_table` gives."""
    own = [row for row in rows if row[0] == field.name]
    figures = next((row for row in own if row[2] is not None), None)
    if figures is None:
        return {"name": field.name, "type": field.type}
    cells, different, days = (int(str(value or 0)) for value in figures[1:4])
    kind = field.type
    if sketch.dialect == "sqlite" and kind in _AS_TEXT:
        whole = days == cells > 0 and all(_DAY.match(str(end)) for end in figures[4:6])
        kind = ("TIMESTAMP" if len(str(figures[5])) > len("2024-01-31") else "DATE") if whole else "VARCHAR"
    return {
        "name": field.name,
        "type": kind,
        "comment": field.comment,
        "null_percent": 100 * (total - cells) / total if total else 0,
        "distinct": different,
        "min": _end(figures[4], kind),
        "max": _end(figures[5], kind),
        "folded": figures[6],
        "common": [[row[4], row[1]] for row in own if row[2] is None],
    }


def _end(value: Json, kind: str) -> Json:
    if value is None or kind not in ("BIGINT", "DOUBLE"):
        return value
    number = float(str(value))
    return int(number) if number.is_integer() else number

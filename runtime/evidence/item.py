"""The evidence item: what one call asked, what it got, and where that came from (DESIGN 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from runtime.evidence.values import Json


@dataclass(frozen=True, slots=True)
class Column:
    """A result column and its type in the engine's words."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class SourceRef:
    """What was read: the source's id, the table, file or sheet, and its revision (a content or structure digest)."""

    source: str
    object: str
    revision: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Truncation:
    """A result that is not whole: why, how many are shown, and the true total when it is known."""

    reason: str
    shown: int
    total: int | None = None

    def as_json(self) -> dict[str, Json]:
        """`{reason, shown, total?}`, as the model's envelope has it."""
        body: dict[str, Json] = {"reason": self.reason, "shown": self.shown}
        if self.total is not None:
            body["total"] = self.total
        return body


@dataclass(frozen=True, slots=True)
class InnerQuery:
    """A read that a call made on its way (run_python's `sql()`): what ran, where, and what came back. `digest` is that
    of its rows (`rows_digest`), `error` the code of a query that failed."""

    source: str
    sql: str
    columns: tuple[Column, ...] = ()
    row_count: int = 0
    digest: str | None = None
    sources: tuple[SourceRef, ...] = ()
    error: str | None = None

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> InnerQuery:
        """A query from its part of `Evidence.as_json`."""
        values = dict(body)
        values["columns"] = tuple(Column(**column) for column in values["columns"])
        values["sources"] = tuple(SourceRef(**source) for source in values["sources"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class ProgramUsage:
    """What a program used of its bounds: fuel (wasm operations), its own time without SQL, characters printed, calls
    of `sql()` and the rows they gave, and the most memory it had, the interpreter's included (None when it was ended
    from outside: then only the bound is known that it stayed under)."""

    fuel: int
    fuel_bound: int
    ms: float
    seconds_bound: float
    output_chars: int
    output_chars_bound: int
    memory_bytes_bound: int
    sql_calls: int
    sql_calls_bound: int
    sql_rows: int
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The record of one call. `id` is E1, E2, … in call order; `rows` holds at most 1,000 rows of JSON values;
    `row_count` is how many rows the result really has (or the number fetched when `truncated` says that the total is
    unknown); `parameters` are the values that were bound to the placeholders of `sql`, in order; `chart` is
    `Chart.as_json`; `result_digest` is `rows_digest`; `remote` ones can't be run again."""

    id: str
    call_id: str
    tool: str
    title: str
    status: Literal["ok", "error"]
    summary: str = ""
    model_text: str = ""
    sql: str | None = None
    parameters: tuple[Json, ...] = ()
    code: str | None = None
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Json, ...], ...] = ()
    row_count: int | None = None
    truncated: Truncation | None = None
    output: str | None = None
    chart: Mapping[str, Json] | None = None
    sources: tuple[SourceRef, ...] = ()
    notes: tuple[str, ...] = ()
    error: Mapping[str, Json] | None = None
    elapsed_ms: float = 0.0
    result_digest: str | None = None
    repeat_of: str | None = None
    remote: bool = False
    queries: tuple[InnerQuery, ...] = ()
    usage: ProgramUsage | None = None

    @property
    def failed(self) -> bool:
        """True for a call that ended in an error: it backs no figure."""
        return self.status == "error"

    @property
    def tabular(self) -> bool:
        """True when there is a table a person can look at."""
        return not self.failed and bool(self.columns)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, the inverse of `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Evidence:
        """An item from what `as_json` gave. Raises TypeError on unknown keys."""
        values = dict(body)
        values["columns"] = tuple(Column(**column) for column in values.get("columns", ()))
        values["rows"] = tuple(tuple(row) for row in values.get("rows", ()))
        values["sources"] = tuple(SourceRef(**source) for source in values.get("sources", ()))
        values["notes"] = tuple(values.get("notes", ()))
        values["parameters"] = tuple(values.get("parameters", ()))
        cut = values.get("truncated")
        values["truncated"] = Truncation(**cut) if cut else None
        values["queries"] = tuple(InnerQuery.from_json(query) for query in values.get("queries", ()))
        used = values.get("usage")
        values["usage"] = ProgramUsage(**used) if used else None
        return cls(**values)

"""make_chart: a query's own rows as a drawing; data only, which is drawn where it is posted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import sqlglot
from pydantic import Field, model_validator
from sqlglot import exp

from runtime.capability import READABLE, Arguments, CallContext, Capability, Output, Scope, Toolbox
from runtime.charts import MOST_SERIES, Chart, Kind, chart_of, flat_sentences
from runtime.charts import Field as ChartField
from runtime.engines.port import ReadEngines, ReadResult
from runtime.engines.workspace.query import SOURCE
from runtime.errors import CallError
from runtime.evidence import Evidence, Json
from runtime.limits import DEFAULT
from runtime.toolboxes.model_view import ModelView
from runtime.toolboxes.result_table import with_values

TITLE_CHARS, UNIT_CHARS = 50, 20
_SOURCE_CHARS = 64
# The parser reads no number behind a placeholder; the shape of the select list is the same without it.
_OWN_SQL = "Give an sql of its own whose result is whole, such as one that aggregates."
_SQLITE_NUMBERED = re.compile(r"\?[0-9]+")
# A file set's SQL reads `data`, which only its own tool knows.
_RERUN = frozenset({"run_sql", "make_chart", "data_query_sqlite", "data_query_postgresql"})


class MakeChart(Arguments):
    """What to draw, and how."""

    kind: Annotated[
        Kind, Field(description="bar, line, area, stacked_bar, scatter (x, then y) or histogram (one numeric column).")
    ]
    title: Annotated[
        str,
        Field(description="What is shown, in plain words without a figure.", min_length=1, max_length=TITLE_CHARS),
    ]
    sql: Annotated[
        str | None,
        Field(
            description="One SELECT in the source's own SQL (DuckDB's for the workspace): labels, then one to five "
            "numeric columns; or label, series name, number. Either sql or evidence.",
            min_length=1,
            max_length=DEFAULT.sql_bytes,
        ),
    ] = None
    evidence: Annotated[
        str | None,
        Field(
            description="The id of an earlier result of this run, such as E3, whose SQL is run again with the same "
            "parameters. Either sql or evidence.",
            pattern=r"^E[1-9][0-9]{0,3}$",
        ),
    ] = None
    source: Annotated[
        str, Field(description="The id of the source that the SQL reads.", min_length=1, max_length=_SOURCE_CHARS)
    ] = SOURCE
    unit: Annotated[str, Field(description="The unit of the values, such as EUR or %.", max_length=UNIT_CHARS)] = ""

    @model_validator(mode="after")
    def _one_origin(self) -> MakeChart:
        if (self.sql is None) == (self.evidence is None):
            raise ValueError("give exactly one of sql and evidence")
        return self


async def execute(arguments: MakeChart, context: CallContext) -> Output:
    """The chart as data, with the rows it shows. Raises CallError: `chart_refused` for rows that cannot be drawn right,
    `not_found` for another source or evidence, and those of the source's query tool."""
    engines, query = _engines(arguments.source, context), _query(arguments, context)
    result = await _read(engines, arguments.source, query, context)
    if result.truncated is not None:
        raise CallError(
            "chart_refused",
            f"The query has more than {len(result.rows):,} rows, and a chart of a part would mislead.",
            hint="Aggregate in the SQL: by day or month instead of by moment, or the largest groups only.",
            retryable=True,
        )
    view = ModelView.of(context, arguments.source, result.masked)
    if hidden := view.hides(result.columns):
        names = ", ".join(hidden)
        raise CallError("chart_refused", f"{names}: masked, so it is not drawn.", hint="Leave it out.", retryable=True)
    chart = chart_of(
        arguments.kind,
        [ChartField(column.name, column.type) for column in result.columns],
        result.rows,
        title=arguments.title,
        unit=arguments.unit.strip(),
        additive=_additive(result.sql, engines.by_source[arguments.source].dialect),
    )
    return _output(chart, result, view, query.parameters)


@dataclass(frozen=True, slots=True)
class _Query:
    """The SQL to draw, and the values of its placeholders."""

    sql: str
    parameters: tuple[Json, ...] = ()


async def _read(engines: ReadEngines, source: str, query: _Query, context: CallContext) -> ReadResult:
    seconds, kept = context.limits.sql_seconds, context.limits.sql_rows_kept
    if not query.parameters:  # a workspace takes none
        return await engines.by_source[source].read(query.sql, seconds=seconds, rows_kept=kept)
    bound = engines.databases[source].read_bound(query.sql, query.parameters, seconds=seconds, rows_kept=kept)
    return with_values(await bound, query.parameters)


def _engines(source: str, context: CallContext) -> ReadEngines:
    """The engines, when the source is open. Raises CallError `not_found`."""
    open_here = context.scope.of_kind(*READABLE)
    if source not in open_here:
        hint = f"Open here: {', '.join(open_here)}."
        raise CallError("not_found", f"Nothing can be drawn from a source {source!r}.", hint=hint, retryable=True)
    return context.services.get(ReadEngines)


def _query(arguments: MakeChart, context: CallContext) -> _Query:
    """The given SQL, or that of an earlier result of the same source. Raises CallError."""
    if arguments.sql is not None:
        return _Query(arguments.sql)
    evidence_id = arguments.evidence or ""
    item = context.evidence(evidence_id)
    if item is None:
        hint = "Use an id of an earlier step of this run, or give the sql itself."
        raise CallError("not_found", f"There is no earlier result {evidence_id} in this run.", hint=hint)
    if why := _unusable(item):
        raise CallError("chart_refused", f"{evidence_id} {why}.", hint=_OWN_SQL, retryable=True)
    other = next((ref.source for ref in item.sources if ref.source != arguments.source), None)
    if other is not None:
        hint = f'Call again with source "{other}".'
        raise CallError("chart_refused", f"{evidence_id} was read from {other}.", hint=hint, retryable=True)
    return _Query(item.sql or "", item.parameters)


def _unusable(item: Evidence) -> str:
    if item.failed:
        return "is a failed call, so there is nothing to draw"
    if item.sql is None or item.tool not in _RERUN:
        return "is no result of a query tool, so its query cannot be run again here"
    cut = item.truncated
    return "is not whole" if cut is not None and cut.reason == "rows_kept" else ""


def _additive(sql: str, dialect: str) -> bool:
    """Whether every figure is a plain sum or count, so that several may be added up as "others"."""
    tree = sqlglot.parse_one(_SQLITE_NUMBERED.sub("?", sql), dialect=dialect)
    figures = [column.unalias() for column in tree.selects[1:]] if isinstance(tree, exp.Query) else []
    kept = (exp.Sum, exp.Count, exp.CountIf)
    distinct = any(figure.find(exp.Distinct) for figure in figures)
    return bool(figures) and not distinct and all(isinstance(figure, kept) for figure in figures[-MOST_SERIES:])


def _output(chart: Chart, result: ReadResult, view: ModelView, parameters: tuple[Json, ...]) -> Output:
    """Where the model may not see every row, it isn't told the extremes of them either."""
    told = view.whole(result.columns, result.row_count)
    flat, points = flat_sentences(chart), sum(len(series.present) for series in chart.series)
    gaps = sum(len(series.values) - len(series.present) for series in chart.series)
    data: dict[str, Json] = {
        "kind": chart.kind,
        "title": chart.title,
        "labels": len(chart.labels) or len(chart.places),
        "series": [_series_data(series.name if told else "", series.present, told) for series in chart.series],
        "points": points,
        "gaps": gaps,
        "said": [*(flat if told else ()), *chart.notes],
    }
    return Output(
        title=chart.title,
        summary=f"A {chart.kind.replace('_', ' ')} chart of {points:,} {'value' if points == 1 else 'values'}.",
        data=data,
        notes=(*view.notes(result.columns, result.row_count), *chart.notes, *((*result.notes, *flat) if told else ())),
        people_notes=() if told else (*result.notes, *flat),
        sql=result.sql,
        parameters=parameters,
        columns=result.columns,
        rows=result.rows,
        row_count=result.row_count,
        sources=result.sources,
        chart=chart.as_json(),
    )


def _series_data(name: str, values: Sequence[float], told: bool) -> dict[str, Json]:
    ends: dict[str, Json] = {"lowest": min(values), "highest": max(values)} if values and told else {}
    return {"name": name, "values": len(values), **ends}


def can_draw(scope: Scope) -> bool:
    """Offered with any admitted source that SQL can read."""
    return bool(scope.of_kind(*READABLE))


def _of_source(arguments: Any) -> str | None:
    """The source that is read; only an admitted one passes the boundary."""
    return arguments.source


_COUNT = {"type": "integer", "minimum": 0}

CAPABILITY = Capability(
    id="files.make_chart",
    tool="make_chart",
    toolbox=Toolbox.FILES,
    pinned=True,
    summary="Draw a chart from a query's rows.",
    when="When a person asks for a chart, or a course or comparison of more than a few values is the answer.",
    description=(
        "Draws the rows of one query as a chart that people see under the answer, natively and as a picture. Give "
        "exactly one of sql and evidence (an earlier result, whose SQL is run again). The first column is the labels, "
        f"then one to {MOST_SERIES} numeric series; or three columns: label, series name, number. Leave out columns "
        "that are not to be drawn. Refused: results that are cut, a label or a label and series twice, values that are "
        "not finite. Never mix currencies or units in one series. What `said` names (a nearly flat series, rows left "
        "out) belongs into the answer. State figures from the query's result, not from the look of the chart."
    ),
    arguments=MakeChart,
    example={
        "kind": "bar",
        "title": "Paid orders by region",
        "sql": "SELECT region, count(*) AS orders FROM orders WHERE status = 'paid' GROUP BY region ORDER BY 2 DESC",
    },
    output_schema={
        "type": "object",
        "required": ["kind", "title", "labels", "series", "points", "gaps", "said"],
        "additionalProperties": False,
        "properties": {
            "kind": {"type": "string"},
            "title": {"type": "string"},
            "labels": _COUNT,
            "points": _COUNT,
            "gaps": _COUNT,
            "said": {"type": "array", "items": {"type": "string"}},
            "series": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "values"],
                    "additionalProperties": False,
                    "properties": {
                        "name": {"type": "string"},
                        "values": _COUNT,
                        "lowest": {"type": "number"},
                        "highest": {"type": "number"},
                    },
                },
            },
        },
    },
    execute=execute,
    offered=can_draw,
    source=_of_source,
)

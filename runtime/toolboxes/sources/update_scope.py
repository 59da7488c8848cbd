"""What the update tools share: where they make sense, their arguments, and how a change is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from runtime.capability import Arguments, Attachment, CallContext, Output, Scope
from runtime.engines.update_port import (
    Assignment,
    Change,
    Condition,
    Operator,
    Receipt,
    Scalar,
    ShownChange,
    Terms,
    UpdateEngine,
    UpdateEngines,
)
from runtime.errors import CallError
from runtime.evidence import Column, Json, SourceRef
from runtime.limits import DEFAULT
from runtime.toolboxes.model_view import ModelView
from runtime.toolboxes.sources.data_query import SourceId

_NAME_CHARS = 63
_TABLE_CHARS = 2 * _NAME_CHARS + 1
_SUMMARY_VALUE_CHARS = 60

Name = Annotated[str, Field(description="A column of the table.", min_length=1, max_length=_NAME_CHARS)]
Text = Annotated[str, Field(max_length=DEFAULT.update_value_chars)]
Value = Text | int | FiniteFloat | bool | None  # infinity and NaN are texts: no JSON holds them as numbers


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SetColumn(_Part):
    """One column and its new value."""

    column: Name
    value: Annotated[Value, Field(description="The new value; null empties the column.")]


class WhereColumn(_Part):
    """One condition."""

    column: Name
    op: Annotated[
        Operator, Field(description="How it compares. An empty cell fits is_null alone, and no other comparison.")
    ]
    value: Annotated[
        Value | Annotated[list[Value], Field(max_length=DEFAULT.update_list_values)],
        Field(description="What it compares with: a list for in and not_in, nothing for is_null and is_not_null."),
    ] = None


class ChangeArguments(Arguments):
    """The change: values for columns of one table, in the rows that all conditions fit."""

    source_id: SourceId
    table: Annotated[
        str,
        Field(
            description="The table with its schema, such as public.customers.", min_length=1, max_length=_TABLE_CHARS
        ),
    ]
    set: Annotated[
        list[SetColumn],
        Field(description="The columns to set.", min_length=1, max_length=DEFAULT.update_columns),
    ]
    where: Annotated[
        list[WhereColumn],
        Field(description="Conditions, all of which must hold.", min_length=1, max_length=DEFAULT.update_conditions),
    ]

    def change(self) -> Change:
        """The change that is asked for. Raises CallError for a value that its comparison doesn't take."""
        return Change(
            self.source_id,
            self.table,
            tuple(Assignment(each.column, each.value) for each in self.set),
            tuple(_condition(each) for each in self.where),
        )


EXAMPLE: dict[str, Json] = {
    "source_id": "crm",
    "table": "public.customers",
    "set": [{"column": "tier", "value": "gold"}],
    "where": [{"column": "id", "op": "in", "value": [17, 23]}],
}


def _condition(asked: WhereColumn) -> Condition:
    several, tested = asked.op in ("in", "not_in"), asked.op in ("is_null", "is_not_null")
    if isinstance(asked.value, list) != several or (tested and asked.value is not None):
        takes = "a list" if several else "no value" if tested else "one value"
        raise CallError(
            "invalid_arguments", f"where: {asked.op} takes {takes}.", hint=f"Mend {asked.column}.", retryable=True
        )
    value: Scalar | tuple[Scalar, ...] = tuple(asked.value) if isinstance(asked.value, list) else asked.value
    return Condition(asked.column, asked.op, value)


def may_update(scope: Scope) -> bool:
    """Offered where a source whose rows may be changed is open to the run."""
    return bool(updatable(scope))


def updatable(scope: Scope) -> tuple[str, ...]:
    """The open sources whose rows may be changed."""
    return tuple(sorted(name for name in scope.sources if name in scope.terms and scope.terms[name].updates))


def update_engine(context: CallContext, source_id: str) -> UpdateEngine:
    """The engine of an open source. Raises CallError `not_found` naming the sources that are open to updates."""
    fitting = updatable(context.scope)
    engines = context.services.get(UpdateEngines).by_source
    if source_id not in fitting or source_id not in engines:
        raise CallError(
            "not_found",
            f"No source {source_id!r} is open to updates here.",
            hint=f"Open to updates: {', '.join(fitting)}." if fitting else "Nothing can be changed from here.",
            retryable=bool(fitting),
        )
    return engines[source_id]


def terms_of(context: CallContext, source_id: str) -> Terms:
    """For whom and under which policy a call previews and changes."""
    scope = context.scope
    return Terms(scope.policy_revision, scope.asker, ModelView.of(context, source_id).shows_values)


def of_source(arguments: Any) -> str | None:
    """The source that is looked at or changed."""
    return arguments.source_id


def for_model(context: CallContext, source_id: str, shown: ShownChange) -> dict[str, Json]:
    """The rows that the model may see: the first few, without masked cells, as far as the source's terms allow."""
    view, most = ModelView.of(context, source_id, shown.masked), context.limits.update_samples
    return {
        "columns": [column.name for column in shown.columns],
        "before": view.rows(shown.columns, shown.before[:most]),
        "after": view.rows(shown.columns, shown.after[:most]),
    }


def unchanged(change: Change, shown: ShownChange) -> int:
    """How many of the rows hold the new values already; 0 where a masked column is set, as it would tell its values."""
    if shown.masked & set(change.columns):
        return 0
    return sum(old == new for old, new in zip(shown.before, shown.after, strict=True))


def before_and_after(shown: ShownChange | Receipt) -> tuple[tuple[Column, ...], tuple[tuple[Json, ...], ...]]:
    """One table of all rows: the keys, then each other column that changes before and after, the others once."""
    pairs = list(zip(shown.before, shown.after, strict=True))
    changing = [any(old[at] != new[at] for old, new in pairs) for at in range(len(shown.columns))]
    columns = list[Column]()
    for column, changes in zip(shown.columns, changing, strict=True):
        names = (f"{column.name} before", f"{column.name} after") if changes else (column.name,)
        columns += [Column(name, column.type) for name in names]
    return tuple(columns), tuple(tuple(_cells(old, new, changing)) for old, new in pairs)


def _cells(old: Sequence[Json], new: Sequence[Json], changing: Sequence[bool]) -> Iterable[Json]:
    for before, after, changes in zip(old, new, changing, strict=True):
        yield before
        if changes:
            yield after


def attachment(table: str, shown: ShownChange) -> Attachment:
    """All rows before and after as CSV: an empty cell is nothing, an empty text is two quotes."""
    columns, rows = before_and_after(shown)
    lines = [[column.name for column in columns], *rows]
    text = "".join(",".join(_csv(cell) for cell in line) + "\r\n" for line in lines)
    return Attachment(f"{table}-before-after.csv", text)


def _csv(cell: Json) -> str:
    if cell is None:
        return ""
    text = str(cell).lower() if isinstance(cell, bool) else str(cell)
    plain = text and text == text.strip() and not any(sign in text for sign in ',"\r\n')
    return text if plain else '"' + text.replace('"', '""') + '"'


def in_words(change: Change, count: int) -> str:
    """For example `Set tier to 'gold' in 3 rows of public.customers (crm)`."""
    if change.restore is not None:
        what = f"Give {_columns(change.columns)} the values from before {change.restore.receipt} again"
    else:
        what = "Set " + ", ".join(f"{each.column} to {_value(each.value)}" for each in change.assignments)
    return f"{what} in {rows_in_words(count)} of {change.table} ({change.source})"


def rows_in_words(count: int) -> str:
    """`1 row`, `1,204 rows`."""
    return "1 row" if count == 1 else f"{count:,} rows"


def _columns(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _value(value: Scalar) -> str:
    if value is None:
        return "empty"
    if isinstance(value, str):
        cut = value if len(value) <= _SUMMARY_VALUE_CHARS else value[: _SUMMARY_VALUE_CHARS - 1] + "…"
        return f"'{cut}'"
    return str(value).lower() if isinstance(value, bool) else str(value)


RECEIPT_SCHEMA = {
    "type": "object",
    "required": ["affected_rows", "receipt", "committed_at"],
    "additionalProperties": False,
    "properties": {
        "affected_rows": {"type": "integer", "minimum": 1},
        "receipt": {"type": "string"},
        "committed_at": {"type": "string"},
    },
}


def receipt_output(context: CallContext, source_id: str, receipt: Receipt) -> Output:
    """What a change that was carried out tells. The rows are for people, in the evidence."""
    columns, rows = before_and_after(receipt)
    count = len(receipt.after)
    return Output(
        title=f"{rows_in_words(count)} changed",
        summary=receipt.sentence,
        data={"affected_rows": count, "receipt": receipt.id, "committed_at": receipt.at},
        columns=columns,
        rows=rows[: context.limits.evidence_rows],
        row_count=count,
        sources=(SourceRef(source_id, receipt.table, receipt.id),),
        receipt=receipt.id,
    )

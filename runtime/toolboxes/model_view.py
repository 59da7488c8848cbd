"""What of a result the model may see: a source's `model_rows`, and its masked columns. People see the whole result.

Every tool that gives the model cells of a source asks here, and nowhere else; programs are held back by the boundary,
which makes their reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runtime.capability import CallContext
from runtime.engines.port import ReadResult
from runtime.errors import CallError
from runtime.evidence import Column, Json
from runtime.sqlguard import fold

MASKED = "[masked]"


@dataclass(frozen=True, slots=True)
class ModelView:
    """The view of one result: at most `most` rows of it (None: all that the tool shows), without the cells of the
    `masked` columns, whose names are folded."""

    most: int | None
    masked: frozenset[str] = frozenset()

    @classmethod
    def of(cls, context: CallContext, source_id: str, masked: Iterable[str] = ()) -> ModelView:
        """The view of a result of `source_id`."""
        bounds = {"none": 0, "sample": context.limits.model_sample_rows, "full": None}
        return cls(bounds[context.scope.model_rows(source_id)], frozenset(map(fold, masked)))

    @property
    def shows_values(self) -> bool:
        """Whether any value of the source may be shown."""
        return self.most != 0

    def rows(self, columns: Sequence[Column], rows: Sequence[Sequence[Json]]) -> list[Json]:
        """The part of `rows` that may be shown; a masked cell is replaced by a mark."""
        hidden = [fold(column.name) in self.masked for column in columns]
        part = rows if self.most is None else rows[: self.most]
        if not any(hidden):
            return [list(row) for row in part]
        return [[MASKED if mask else cell for cell, mask in zip(row, hidden, strict=True)] for row in part]

    def require_names(self, result: ReadResult) -> None:
        """Raises CallError where columns are named by values of more rows than may be shown."""
        if result.named_by_rows and self.most is not None:
            raise CallError(
                "sql_not_allowed",
                "PIVOT without a list names columns by values of rows, and this source's are not sent to the model.",
                hint="Write the values: PIVOT … ON column IN ('a', 'b'); or group by the column.",
                retryable=True,
            )

    def hides(self, columns: Sequence[Column]) -> list[str]:
        """The names of the columns that are masked, each once."""
        return list(dict.fromkeys(column.name for column in columns if fold(column.name) in self.masked))

    def whole(self, columns: Sequence[Column], row_count: int) -> bool:
        """Whether the model may see every cell of such a result, and so may be told its extremes, too."""
        return not self.hides(columns) and (self.most is None or row_count <= self.most)

    def notes(self, columns: Sequence[Column], row_count: int) -> tuple[str, ...]:
        """What was kept back, in sentences for model and people."""
        said: list[str] = []
        if self.most is not None and row_count > self.most:
            said.append(
                f"Of this source's rows the model sees at most {self.most}; people see the result in the evidence."
                if self.most
                else "This source's rows are not sent to the model; people see the result in the evidence."
            )
        if names := self.hides(columns):
            verb = "is" if len(names) == 1 else "are"
            said.append(f"{', '.join(names)} {verb} masked: people see the values, the model does not.")
        return tuple(said)

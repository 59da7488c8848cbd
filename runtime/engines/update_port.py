"""The port of changes to a source's data: what is asked for, what would happen, and who carries it out.

A change sets columns of one table in the rows that all conditions fit; nothing else can be asked for, and no SQL is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from runtime.capability import ApproverRule
from runtime.evidence import Column, Json
from runtime.state import Effect, Effects

Scalar = str | int | float | bool | None
Operator = Literal["eq", "ne", "lt", "lte", "gt", "gte", "in", "not_in", "is_null", "is_not_null"]

COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
LISTS = {"in": ("=", "ANY"), "not_in": ("<>", "ALL")}
TESTS = {"is_null": "IS NULL", "is_not_null": "IS NOT NULL"}


@dataclass(frozen=True, slots=True)
class Assignment:
    """One column and its new value."""

    column: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition. `value` is a list for in and not_in, and nothing for is_null and is_not_null."""

    column: str
    op: Operator
    value: Scalar | tuple[Scalar, ...] = None

    @property
    def values(self) -> tuple[Scalar, ...]:
        """What the condition compares with, as many as it takes."""
        if self.op in TESTS:
            return ()
        return self.value if isinstance(self.value, tuple) else (self.value,)


@dataclass(frozen=True, slots=True)
class RowVersion:
    """A row as a receipt left it: its key and version, and the texts that its columns shall have again."""

    key: tuple[str, ...]
    xmin: str
    texts: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Restoration:
    """Rows that shall have again what stood in them before the change with the receipt `receipt`."""

    receipt: str
    columns: tuple[str, ...]
    rows: tuple[RowVersion, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one table (`schema.name`): assignments in the rows that all conditions fit, or a restoration."""

    source: str
    table: str
    assignments: tuple[Assignment, ...] = ()
    conditions: tuple[Condition, ...] = ()
    restore: Restoration | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that get new values."""
        if self.restore is not None:
            return self.restore.columns
        return tuple(each.column for each in self.assignments)

    @property
    def target(self) -> str:
        """The lock key: one change of it at a time, across replicas."""
        return f"{self.source}:{self.table}"

    def as_json(self) -> dict[str, Json]:
        """`{source, table, set, where}`, with `restore` (a receipt) in place of the last two for a restoration."""
        body: dict[str, Json] = {"source": self.source, "table": self.table}
        if self.restore is not None:
            return {**body, "restore": self.restore.receipt, "columns": list(self.restore.columns)}
        return {
            **body,
            "set": [{"column": each.column, "value": each.value} for each in self.assignments],
            "where": [_condition(each) for each in self.conditions],
        }


def _condition(condition: Condition) -> Json:
    if condition.op in TESTS:
        return {"column": condition.column, "op": condition.op}
    value: Json = list[Json](condition.values) if condition.op in LISTS else condition.values[0]
    return {"column": condition.column, "op": condition.op, "value": value}


@dataclass(frozen=True, slots=True)
class Terms:
    """For whom and under which policy a change is previewed: part of its fingerprint. `shows_values`: whether the
    model, which reads errors, may be told any value of the source."""

    policy_revision: str
    requester: str
    shows_values: bool = True


@dataclass(frozen=True, slots=True)
class ChangeCall:
    """The approved call that carries a change out, by which it is known for good."""

    run_id: str
    call_id: str
    conversation: str
    tool: str


@dataclass(frozen=True, slots=True)
class ShownChange:
    """Exactly what would happen. `before` and `after` hold all rows, by key, in the order of `columns`; `keys` name
    the columns that tell rows apart; `masked` those that the model must not see."""

    fingerprint: str
    columns: tuple[Column, ...]
    keys: tuple[str, ...]
    before: tuple[tuple[Json, ...], ...]
    after: tuple[tuple[Json, ...], ...]
    masked: frozenset[str]
    warnings: tuple[str, ...]
    approvers: ApproverRule


@dataclass(frozen=True, slots=True)
class Receipt:
    """A change that was carried out. Rows as in ShownChange; `at` is when it was known to be committed, in ISO 8601."""

    id: str
    table: str
    columns: tuple[Column, ...]
    keys: tuple[str, ...]
    before: tuple[tuple[Json, ...], ...]
    after: tuple[tuple[Json, ...], ...]
    at: str

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        count = len(self.after)
        return f"{'1 row' if count == 1 else f'{count:,} rows'} of {self.table} changed."


class UpdateEngine(Protocol):
    """Changes of one source."""

    async def preview(self, change: Change, terms: Terms) -> ShownChange:
        """Raises CallError: `update_refused`, `too_many_rows`, `state_changed`, `source_unavailable`, `timeout`."""
        ...

    async def previewed(self, change: Change, terms: Terms, fingerprint: str) -> ShownChange:
        """The preview once more. Raises CallError `state_changed`, which says what drifted since the one with this
        fingerprint, and those of `preview`."""
        ...

    async def perform(self, change: Change, terms: Terms, fingerprint: str, call: ChangeCall) -> Receipt:
        """Carries out exactly the change with this fingerprint, at most once for a call. Raises CallError:
        `state_changed`, `update_refused`, `target_busy`, `timeout`, `source_unavailable` (nothing was written),
        `outcome_unknown`."""
        ...

    async def resolve(self, effect: Effect) -> Effect:
        """Finds out how a change ended whose process died or got no answer, and writes it down. Nobody carries it out
        any more: one that had not come to its COMMIT never will."""
        ...

    def given_up(self, effect: Effect) -> bool:
        """Whether a change that has not come to its COMMIT is older than it could get if somebody were at it."""
        ...

    def receipt(self, effect: Effect) -> Receipt:
        """The receipt of a change that is done."""
        ...

    def undoing(self, effect: Effect) -> Change:
        """The change that gives the rows of a done one their earlier values again. Raises CallError
        `update_refused`."""
        ...


@dataclass(frozen=True, slots=True)
class UpdateEngines:
    """The sources of this process whose data may be changed, and the journal of their changes."""

    by_source: Mapping[str, UpdateEngine]
    effects: Effects

    async def standing(self, call: ChangeCall, source: str, requester: str) -> Effect:
        """The journal's row of a call whose process may be gone. One that has none never began, and now never will."""
        name = f"never:{call.run_id}/{call.call_id}"
        return await self.effects.rule_out(
            Effect(
                id=name,
                digest=name,
                run_id=call.run_id,
                call_id=call.call_id,
                conversation=call.conversation,
                requester=requester,
                tool=call.tool,
                source=source,
                target=source,
                request={"set": [], "row_count": 0},
            )
        )

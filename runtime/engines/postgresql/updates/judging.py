"""Whether a change may be asked for at all, and what people have to be told about it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import process

from runtime.admission.manifest import UpdateRule
from runtime.catalog import CatalogTable
from runtime.engines.postgresql.updates.grants import lacking
from runtime.engines.postgresql.updates.table_facts import TableFacts, TriggerFacts
from runtime.engines.update_port import LISTS, TESTS, Change, Condition
from runtime.errors import CallError

_UNSEEN = (
    "These rows have columns that the role of the updates can't read. A trigger may change them as well: nobody would "
    "notice, and Undo would not give them back."
)
_ALLOWED_UNSEEN = (
    "The operator lets triggers change columns that are not open here, too: their values are not shown, and Undo does "
    "not give them back."
)
_NO_TABLE = {
    "v": "a view",
    "m": "a materialized view",
    "f": "a foreign table",
    "p": "a partitioned table, whose rows may move",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A change that may be asked for. `readable` are the columns whose values are compared and kept, `masked` those of
    them that the model must not see; `may_change` the columns beside the assigned ones that the database changes as
    well, as declared. `closed` are columns that are not open here, where a trigger runs that might write them: they are
    compared only."""

    readable: tuple[str, ...]
    closed: tuple[str, ...]
    masked: frozenset[str]
    may_change: frozenset[str]
    warnings: tuple[str, ...]


def rule_for(change: Change, rules: Sequence[UpdateRule]) -> UpdateRule:
    """The manifest's rule for the table, when it opens every column of the change. Raises CallError."""
    rule = next((each for each in rules if each.table == change.table), None)
    if rule is None:
        tables = [each.table for each in rules]
        raise _refused(f"{change.table!r} is not open to updates.", f"Open to updates: {_listed(tables)}.", retry=True)
    if closed := [name for name in change.columns if name not in rule.columns]:
        raise _refused(
            f"{_listed(closed)} of {change.table} {_is(closed)} not open to updates.",
            f"Open to updates: {_listed(rule.columns)}.",
            retry=True,
        )
    if len(set(change.columns)) < len(change.columns):
        raise _refused("A column is set twice.", "Give each column one value.", retry=True)
    return rule


def judged(change: Change, rule: UpdateRule, table: CatalogTable, facts: TableFacts) -> Judged:
    """Raises CallError `update_refused` for what is not open or cannot be changed so that what was shown is what
    happens."""
    _whole_table(change, facts)
    shown = {column.name: column for column in table.columns if column.name in facts.columns}
    for condition in change.conditions:
        _condition_fits(condition, shown, {name for name, column in shown.items() if column.masked})
    for name in change.columns:
        _assignable(name, shown, facts)
    readable = tuple(name for name in facts.columns if name in shown and facts.columns[name].readable)
    if not shown.keys() >= set(facts.primary_key):
        raise _refused(
            f"The primary key of {change.table} is not open here, so its rows can't be told apart.",
            "An operator can open it: people have to see which rows they change.",
        )
    filtered = (each.column for each in change.conditions)
    if missing := lacking(facts, (*facts.primary_key, *change.columns, *filtered), change.columns):
        may_not, grants = missing
        raise _refused(f"The role of the updates may not {may_not}.", f"An operator can grant it: {grants}")
    may_change = frozenset(rule.trigger_columns) | {name for name in facts.columns if facts.columns[name].generated}
    hidden = facts.columns.keys() - set(readable) if facts.triggers(change.columns) else frozenset[str]()
    closed = hidden - may_change
    return Judged(
        readable,
        tuple(name for name in facts.columns if name in closed and facts.columns[name].readable),
        frozenset(name for name in readable if shown[name].masked),
        may_change,
        tuple(
            _warnings(
                change,
                facts,
                shown,
                unseen=any(not facts.columns[name].readable for name in closed),
                unshown=bool(hidden & set(rule.trigger_columns)),
            )
        ),
    )


def _whole_table(change: Change, facts: TableFacts) -> None:
    if facts.document["superuser"]:
        raise _refused(
            f"The role of the updates ({facts.document['role']}) is a superuser.",
            "An operator has to give the source's updates_url a role that may do nothing but change what is open.",
        )
    if facts.document["standby"]:
        raise _refused(
            "The server behind the source's updates_url is a standby, which takes no changes now.",
            "An operator has to give the address of the primary.",
        )
    if facts.document["replica"]:
        raise _refused(
            f"The role of the updates ({facts.document['role']}) works as a replica does: the database's own triggers "
            "and foreign keys do not hold for it.",
            f"An operator has to run ALTER ROLE {facts.document['role']} RESET session_replication_role.",
        )
    if (what := _NO_TABLE.get(facts.kind)) is not None:
        raise _refused(f"{change.table} is {what}.", "Only tables of their own can be changed.")
    if facts.document["partition"] or facts.document["children"]:
        raise _refused(f"{change.table} is part of a family of tables.", "Only tables of their own can be changed.")
    if not facts.primary_key:
        raise _refused(
            f"{change.table} has no primary key, so its rows can't be told apart.", "An operator can add one."
        )
    if rules := facts.document["rules"]:
        raise _refused(
            f"A rule of the database ({_listed(rules)}) rewrites updates of {change.table}.",
            "What would happen can't be shown, so it is not done.",
        )


def _condition_fits(condition: Condition, shown: Iterable[str], masked: set[str]) -> None:
    if condition.column not in shown:
        near = process.extractOne(condition.column, sorted(shown))
        hint = f"Did you mean {near[0]}?" if near else ""
        raise _refused(f"There is no column {condition.column!r} to filter by.", hint, retry=True)
    if condition.column in masked and condition.op not in TESTS:
        raise _refused(
            f"{condition.column} is masked: a filter by it would tell its values.", "Filter by other columns."
        )
    if condition.op in LISTS and not condition.values:
        raise _refused(f"The list for {condition.column} is empty.", "Give at least one value.", retry=True)
    if any(value is None for value in condition.values):
        raise _refused(
            f"Nothing compares with an empty value of {condition.column}.", "Use is_null or is_not_null.", retry=True
        )


def _assignable(name: str, shown: Iterable[str], facts: TableFacts) -> None:
    column = facts.columns.get(name)
    if column is None or name not in shown:
        raise _refused(f"There is no column {name!r} to set.", "Look at the table's columns with catalog_inspect.")
    if name in facts.primary_key:
        raise _refused(f"{name} is part of the primary key, by which the rows are told apart.", "Set other columns.")
    if column.generated or column.identity:
        raise _refused(f"{name} is computed by the database.", "Set the columns that it is computed from.")
    if name in facts.document["referenced"]:
        raise _refused(f"Other tables refer to {name}: changing it would change them, too.", "Set other columns.")


def _warnings(
    change: Change, facts: TableFacts, shown: Container[str], *, unseen: bool, unshown: bool
) -> Iterable[str]:
    """The gravest first: a card has room for a few."""
    if unseen:
        yield _UNSEEN
    if unshown:
        yield _ALLOWED_UNSEEN
    if generated := [name for name, column in facts.columns.items() if column.generated and name in shown]:
        yield f"{_listed(generated)} {_is(generated)} computed by the database and may change, too."
    if facts.document["row_security"]:
        yield "Row-level security applies: only rows that its policies show to the role of the updates are changed."
    for trigger in facts.triggers(change.columns):
        yield f"The trigger {trigger.name} ({_moment(trigger)}) runs too; what it does elsewhere is not shown here."


def _moment(trigger: TriggerFacts) -> str:
    return f"{'before' if trigger.before else 'after'} {'each row' if trigger.row else 'the statement'}"


def _refused(message: str, hint: str, *, retry: bool = False) -> CallError:
    return CallError("update_refused", message, hint=hint, retryable=retry)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"

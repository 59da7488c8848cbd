"""Which tables a checked tree reads, by the rules of name visibility and not by a set of CTE names.

Every table node of the tree is decided here, wherever it stands, so there is nothing to be reached or missed: it is a
CTE that is visible at that very place, an admitted table, or the query is refused. Visibility was compared with the
engine: a CTE sees the ones before it, and itself only in the right branch of a recursive UNION.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from runtime.sqlguard.policy import GuardPolicy, fold
from runtime.sqlguard.refusals import not_allowed, unknown_table


@dataclass(frozen=True, slots=True)
class TablesRead:
    """`names`: admitted names read, sorted. `by_node`: id of a table node -> the admitted name it stands for."""

    names: tuple[str, ...]
    by_node: Mapping[int, str]


def resolve(tables: Iterable[exp.Table], policy: GuardPolicy, ctes: Iterable[str]) -> TablesRead:
    """The admitted tables behind `tables`; `ctes` are the names of all CTEs, for hints and to skip needless search.

    Raises QueryRefused on the first table that is neither admitted nor a CTE visible there.
    """
    cte_names = {fold(name): name for name in ctes}
    by_node: dict[int, str] = {}
    for table in tables:
        if not isinstance(table.this, exp.Identifier):
            _refuse_qualifier(table, policy)
            continue
        name = fold(table.name)
        if not table.args.get("db") and name in cte_names and _cte_visible(table, name):
            continue
        _refuse_qualifier(table, policy)
        admitted = policy.names.get(name)
        if admitted is None:
            raise unknown_table(table.name, policy, cte_names.values())
        by_node[id(table)] = admitted
    return TablesRead(tuple(sorted(set(by_node.values()))), by_node)


def _refuse_qualifier(table: exp.Table, policy: GuardPolicy) -> None:
    schema = table.args.get("db")
    if schema is None and table.args.get("catalog") is None:
        return
    admitted_schema = fold(policy.schema) if policy.schema and not table.args.get("catalog") else None
    bare = isinstance(table.this, exp.Identifier) and isinstance(schema, exp.Identifier)
    if bare and fold(table.db) == admitted_schema:
        return
    raise unknown_table(".".join(part.name for part in table.parts), policy)


def _cte_visible(table: exp.Table, name: str) -> bool:
    child: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            for cte in node.expressions:
                if cte is child:
                    break
                if fold(cte.alias) == name:
                    return True
            if node.args.get("recursive") and fold(child.alias) == name and _in_recursive_branch(table, child):
                return True
        else:
            scope = node.args.get("with_")
            if scope is not None and scope is not child and any(fold(cte.alias) == name for cte in scope.expressions):
                return True
        child, node = node, node.parent
    return False


def _in_recursive_branch(table: exp.Table, cte: exp.Expr) -> bool:
    body = cte.this
    if not isinstance(body, exp.Union) or body.args.get("by_name"):
        return False
    node: exp.Expr = table
    while node.parent is not None and node.parent is not body:
        node = node.parent
    return node.parent is body and node is body.args.get("expression")


def refuse_hidden_parts(table: exp.Table) -> None:
    """A table may carry an alias, joins, a sample or a pivot, and nothing that changes what is read."""
    for part in ("when", "version", "changes", "partition", "hints", "system_time", "only"):
        if table.args.get(part):
            raise not_allowed("A table must be read as it is, without time travel or hints.")

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
from runtime.sqlguard.rules import CteSight


@dataclass(frozen=True, slots=True)
class TablesRead:
    """`names`: admitted names read, sorted. `by_node`: id of a table node -> the admitted name it stands for. `nodes`:
    the table nodes with their admitted names, in the order of the tree."""

    names: tuple[str, ...]
    by_node: Mapping[int, str]
    nodes: tuple[tuple[exp.Table, str], ...] = ()


def resolve(tables: Iterable[exp.Table], policy: GuardPolicy, ctes: Iterable[exp.CTE], sight: CteSight) -> TablesRead:
    """The admitted tables behind `tables`; `ctes` are all CTEs, for hints and to skip needless search.

    Raises QueryRefused on the first table that is neither admitted nor a CTE visible there.
    """
    cte_names = {_key(cte.args["alias"].this, policy): cte.alias for cte in ctes}
    nodes: list[tuple[exp.Table, str]] = []
    for table in tables:
        if not isinstance(table.this, exp.Identifier):
            _refuse_qualifier(table, policy)
            continue
        name = _key(table.this, policy)
        if not table.args.get("db") and name in cte_names and _cte_visible(table, name, policy, sight):
            continue
        admitted = _admitted_with_schema(table, policy) if policy.dialect == "postgres" else _admitted(table, policy)
        if admitted is None:
            raise unknown_table(".".join(part.name for part in table.parts), policy, cte_names.values())
        nodes.append((table, admitted))
    by_node = {id(table): admitted for table, admitted in nodes}
    return TablesRead(tuple(sorted(set(by_node.values()))), by_node, tuple(nodes))


def _key(identifier: exp.Identifier, policy: GuardPolicy) -> str:
    return policy.key(identifier.this, quoted=bool(identifier.args.get("quoted")))


def _admitted(table: exp.Table, policy: GuardPolicy) -> str | None:
    _refuse_qualifier(table, policy)
    return policy.names.get(fold(table.name))


def _admitted_with_schema(table: exp.Table, policy: GuardPolicy) -> str | None:
    name = _key(table.this, policy)
    schema = table.args.get("db")
    if table.args.get("catalog") is not None or (schema is not None and not isinstance(schema, exp.Identifier)):
        return None
    for place in policy.search_path if schema is None else (_key(schema, policy),):
        # `a.b` and `c` must not pass for `a` and `b.c`: both would be the id `a.b.c`.
        if "." not in place and f"{place}.{name}" in policy.tables:
            return f"{place}.{name}"
    return None


def _refuse_qualifier(table: exp.Table, policy: GuardPolicy) -> None:
    schema = table.args.get("db")
    if schema is None and table.args.get("catalog") is None:
        return
    admitted_schema = fold(policy.schema) if policy.schema and not table.args.get("catalog") else None
    bare = isinstance(table.this, exp.Identifier) and isinstance(schema, exp.Identifier)
    if bare and fold(table.db) == admitted_schema:
        return
    raise unknown_table(".".join(part.name for part in table.parts), policy)


def _cte_visible(table: exp.Table, name: str, policy: GuardPolicy, sight: CteSight) -> bool:
    child: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            if _sibling_visible(table, name, node, child, policy, sight):
                return True
        else:
            scope = node.args.get("with_")
            if scope is not None and scope is not child and any(_named(cte, name, policy) for cte in scope.expressions):
                return True
        child, node = node, node.parent
    return False


def _sibling_visible(
    table: exp.Table, name: str, scope: exp.With, inside: exp.Expr, policy: GuardPolicy, sight: CteSight
) -> bool:
    """Whether `table`, which stands in the CTE `inside` of `scope`, is a CTE of the same WITH."""
    recursive = bool(scope.args.get("recursive"))
    forward = sight is CteSight.ALL or (sight is CteSight.ALL_WHEN_RECURSIVE and recursive)
    before = True
    for cte in scope.expressions:
        if cte is inside:
            before = False
            itself = recursive or sight is CteSight.ALL
            if itself and _named(cte, name, policy) and _in_recursive_branch(table, cte):
                return True
        elif (before or forward) and _named(cte, name, policy):
            return True
    return False


def _named(cte: exp.Expr, name: str, policy: GuardPolicy) -> bool:
    return _key(cte.args["alias"].this, policy) == name


def _in_recursive_branch(table: exp.Table, cte: exp.Expr) -> bool:
    body = cte.this
    if not isinstance(body, exp.Union) or body.args.get("by_name"):
        return False
    node: exp.Expr = table
    while node.parent is not None and node.parent is not body:
        node = node.parent
    return node.parent is body and node is body.args.get("expression")


# What a table may carry. All else changes what is read: time travel, ONLY, hints, an index by name, ROWS FROM. SQLite's
# NOT INDEXED (False) changes nothing but the way there, and the guard writes it itself.
_TABLE_PARTS = frozenset({"this", "db", "catalog", "alias", "joins", "laterals", "pivots", "sample", "ordinality"})


def refuse_hidden_parts(table: exp.Table) -> None:
    """A table may carry an alias, joins, a sample or a pivot, and nothing that changes what is read."""
    for part, value in table.args.items():
        if part not in _TABLE_PARTS and value is not None and value != [] and (part, value) != ("indexed", False):
            raise not_allowed("A table must be read as it is, without time travel or hints.")
    if table.this is None:
        raise not_allowed("After FROM stands a table, a function or a query in brackets.")

"""PostgreSQL calls a function written like a column (`row.name`): such a name must be a column, or an open function."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from runtime.sqlguard.policy import GuardPolicy, fold
from runtime.sqlguard.refusals import unknown_column
from runtime.sqlguard.rules import DialectRules, words
from runtime.sqlguard.sources import source_named
from runtime.sqlguard.tables import TablesRead
from runtime.sqlguard.tree import Walked

# Names the engine gives to columns of functions, VALUES and expressions without an alias.
_GIVEN = words(
    "key value ordinality case array exists date timestamp timestamptz time timetz interval bool text varchar "
    "int2 int4 int8 numeric float4 float8 bpchar uuid json jsonb ?column? xmax"
)
_VALUES_COLUMN = re.compile(r"column\d+")


def check_attributes(
    walked: Walked, root: exp.Expr, read: TablesRead, policy: GuardPolicy, rules: DialectRules
) -> None:
    """Raises QueryRefused for a name behind a dot that is neither a column nor a function open here."""
    if not rules.attribute_calls:
        return
    loose = [part for dot in walked.fields if isinstance(part := dot.expression, exp.Identifier)]
    for column in walked.qualified:
        if not isinstance(column.this, exp.Identifier):
            continue
        source = source_named(column, policy)
        admitted = read.by_node.get(id(source)) if source is not None else None
        alias = source.args.get("alias") if source is not None else None
        if admitted is None or (alias is not None and alias.args.get("columns")):
            loose.append(column.this)
        elif _key(column.this, policy) not in policy.tables[admitted]:
            raise unknown_column(column.name, policy, (admitted,))
    if loose:
        _check_loose(loose, root, read, policy, rules)


def _check_loose(
    names: list[exp.Identifier], root: exp.Expr, read: TablesRead, policy: GuardPolicy, rules: DialectRules
) -> None:
    known = {fold(column) for table in read.names for column in policy.tables[table]}
    known.update(fold(name) for table in read.names for name in policy.fields.get(table, ()))
    given: set[str] | None = None
    for identifier in names:
        name = fold(identifier.this)
        if name in known or name in rules.scalars or name in _GIVEN or _VALUES_COLUMN.fullmatch(name):
            continue
        given = set(given_names(root)) if given is None else given
        if name not in given:
            raise unknown_column(identifier.this, policy, read.names)


def given_names(root: exp.Expr) -> Iterator[str]:
    """The names that the query itself gives to columns."""
    for node in root.find_all(exp.Alias, exp.TableAlias, exp.ColumnDef, exp.Unnest):
        if isinstance(node, exp.Alias):
            yield fold(node.alias)
        elif isinstance(node, exp.ColumnDef):
            yield fold(node.name)
        elif isinstance(node, exp.Unnest):
            offset = node.args.get("offset")
            if isinstance(offset, exp.Identifier):
                yield fold(offset.name)
        else:
            yield fold(node.name)
            yield from (fold(column.name) for column in node.args.get("columns") or ())


def _key(identifier: exp.Identifier, policy: GuardPolicy) -> str:
    return policy.key(identifier.this, quoted=bool(identifier.args.get("quoted")))

"""Which source a column's qualifier means, and how an admitted table is written into the SQL that runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from runtime.sqlguard.policy import GuardPolicy
from runtime.sqlguard.refusals import not_allowed, unknown_column, unknown_table
from runtime.sqlguard.rules import DialectRules
from runtime.sqlguard.tables import TablesRead

# Other names that SQLite has for an INTEGER PRIMARY KEY.
ROW_NUMBERS = frozenset({"rowid", "_rowid_", "oid"})

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)


def sources_of(select: exp.Expr) -> Iterator[exp.Expr]:
    """The tables, subqueries and calls after FROM and JOIN of a SELECT, also those joined inside brackets."""
    for place in (select.args.get("from_"), *(select.args.get("joins") or ()), *(select.args.get("laterals") or ())):
        if place is not None:
            yield from _flat(place if isinstance(place, exp.Lateral) else place.this)


def _flat(source: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Table) and not source.args.get("alias"):
        yield from _flat(source.this)
    else:
        yield source
    for join in source.args.get("joins") or ():
        yield from _flat(join.this)


def name_of(source: exp.Expr, policy: GuardPolicy) -> str | None:
    """The name by which columns may point at `source`, as the dialect compares it."""
    alias = source.args.get("alias")
    identifier = alias.this if isinstance(alias, exp.TableAlias) else None
    if identifier is None and isinstance(source, exp.Table):
        identifier = source.this
    if not isinstance(identifier, exp.Identifier):
        return None
    return policy.key(identifier.this, quoted=bool(identifier.args.get("quoted")))


def source_named(column: exp.Column, policy: GuardPolicy) -> exp.Expr | None:
    """The source that the qualifier of `column` means: of its own SELECT first, then of those around it."""
    qualifier = column.args["table"]
    name = policy.key(qualifier.this, quoted=bool(qualifier.args.get("quoted")))
    select = column.find_ancestor(exp.Select)
    while select is not None:
        for source in sources_of(select):
            if name_of(source, policy) == name:
                return source
        select = select.find_ancestor(exp.Select)
    return None


def write_sources(root: exp.Expr, read: TablesRead, policy: GuardPolicy, rules: DialectRules) -> None:
    """Change the tree in place: tables of PostgreSQL get their schema, tables admitted in part become a SELECT of
    their admitted columns, so that `*`, whole rows and NATURAL JOIN see no others, and SQLite reads those that an index
    sorts by something withheld as they lie."""
    narrowed = False
    for table, admitted in read.nodes:
        if policy.dialect == "postgres":
            _add_schema(table, admitted, rules)
        if admitted in policy.partial or admitted in policy.unsorted:
            _narrow(table, admitted, policy, alone=len(read.nodes) == 1)
            narrowed = True
    if narrowed:
        for column in root.find_all(exp.Column):
            column.set("db", None)
            if policy.dialect == "sqlite" and column.name.lower() in ROW_NUMBERS and not _listed(column, read, policy):
                raise unknown_column(column.name, policy, read.names)


def _listed(column: exp.Column, read: TablesRead, policy: GuardPolicy) -> bool:
    return any(policy.column(table, column.name) for table in read.names)


def _add_schema(table: exp.Table, admitted: str, rules: DialectRules) -> None:
    schema, _, name = admitted.partition(".")
    if not table.args.get("db"):
        plain = bool(_PLAIN.fullmatch(schema)) and schema.upper() not in rules.dialect.tokenizer_class.KEYWORDS
        table.set("db", exp.Identifier(this=schema, quoted=not plain))
    table.set("this", exp.Identifier(this=name, quoted=bool(table.this.args.get("quoted"))))


def _narrow(table: exp.Table, admitted: str, policy: GuardPolicy, *, alone: bool) -> None:
    columns = policy.tables[admitted]
    if not columns:
        raise unknown_table(admitted, policy)
    if table.args.get("pivots"):
        raise not_allowed(
            f"{admitted!r} is open with some of its columns only, and such a table is read whole.",
            "Put the pivot on a SELECT over it.",
        )
    name = exp.Identifier(this=table.this.this, quoted=bool(table.this.args.get("quoted")))
    narrow = exp.Select(
        expressions=[
            exp.Column(this=exp.Identifier(this=column, quoted=True), table=name.copy()) for column in columns
        ],
        from_=exp.From(
            this=exp.Table(
                this=table.this.copy(),
                db=table.args.get("db"),
                sample=table.args.get("sample"),
            )
        ),
    )
    if admitted in policy.unsorted:
        _unsort(narrow, name, policy.unsorted[admitted], alone=alone)
    alias = table.args.get("alias") or exp.TableAlias(this=name)
    table.replace(
        exp.Subquery(this=narrow, alias=alias, joins=table.args.get("joins"), laterals=table.args.get("laterals"))
    )


def _unsort(narrow: exp.Select, table: exp.Identifier, column: str, *, alone: bool) -> None:
    """Change the SELECT of a table so that no index gives its rows their order: a column that the index lacks has to be
    read, and searches still use it. Without such a column the table is read as it lies; beside others it is copied
    first (LIMIT), as a join may then make an index of its own."""
    if column:
        read = exp.Column(this=exp.Identifier(this=column, quoted=True), table=table.copy())
        always = exp.Is(this=read, expression=read.copy())
        narrow.set("where", exp.Where(this=exp.Anonymous(this="likely", expressions=[always])))
        return
    narrow.args["from_"].this.set("indexed", False)
    if not alone:
        narrow.set("limit", exp.Limit(expression=exp.Neg(this=exp.Literal(this="1", is_string=False))))

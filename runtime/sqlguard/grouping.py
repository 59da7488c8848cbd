"""GROUP BY a primary key, where its table is read through a SELECT: PostgreSQL sees the key no longer, so the columns
that depend on it are written into the GROUP BY. The groups stay the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from runtime.sqlguard.policy import GuardPolicy
from runtime.sqlguard.sources import source_named, sources_of
from runtime.sqlguard.tables import TablesRead

_SETS: tuple[type[exp.Expr], ...] = (exp.Rollup, exp.Cube, exp.GroupingSets)
_GROUPED = ("expressions", "having", "order", "distinct", "windows")


def spread_keys(root: exp.Expr, read: TablesRead, policy: GuardPolicy) -> None:
    """Change the tree in place, before its tables are replaced."""
    keyed = policy.partial.intersection(policy.keys, read.names)
    if policy.dialect != "postgres" or not keyed:
        return
    for select in root.find_all(exp.Select):
        group = select.args.get("group")
        if group is None or group.find(*_SETS):
            continue
        for source in sources_of(select):
            alias = source.args.get("alias")
            admitted = read.by_node.get(id(source))
            if admitted in keyed and not (alias and alias.args.get("columns")):
                table = _Grouped(select, source, admitted, read, policy)
                group.set("expressions", [*group.expressions, *table.dependent(group.expressions)])


@dataclass(frozen=True, slots=True)
class _Grouped:
    """One table of a SELECT that groups."""

    select: exp.Expr
    source: exp.Expr
    admitted: str
    read: TablesRead
    policy: GuardPolicy

    def dependent(self, grouped: list[exp.Expr]) -> list[exp.Expr]:
        """The table's columns that the query uses beside those it is grouped by; none unless these hold the key."""
        known = {self._column(self._meant(item)) for item in grouped}
        if not known.issuperset(self.policy.keys[self.admitted]):
            return []
        alias = self.source.args.get("alias")
        table = alias.this if alias is not None else self.source.this
        return [
            exp.Column(this=exp.Identifier(this=column, quoted=True), table=table.copy())
            for column in dict.fromkeys(self._used())
            if column not in known
        ]

    def _meant(self, item: exp.Expr) -> exp.Expr:
        """What an item of GROUP BY stands for: itself, or the one of the select list at its position."""
        listed = self.select.expressions
        if isinstance(item, exp.Literal) and item.name.isdigit() and 0 < int(item.name[:6]) <= len(listed):
            return listed[int(item.name[:6]) - 1].unalias()
        return item

    def _used(self) -> Iterator[str]:
        for place, part in ((child.arg_key, child) for child in self.select.iter_expressions()):
            if place in _GROUPED:
                yield from self._used_in(part)

    def _used_in(self, part: exp.Expr) -> Iterator[str]:
        if isinstance(part, exp.Star):
            yield from self.policy.tables[self.admitted]
        for column in part.find_all(exp.Column):
            if isinstance(column.this, exp.Star) and source_named(column, self.policy) is self.source:
                yield from self.policy.tables[self.admitted]
            found = self._column(column)
            if found is not None:
                yield found

    def _column(self, item: exp.Expr) -> str | None:
        """The table's column that `item` is; None when it is something else, or may be."""
        if type(item) is not exp.Column or not isinstance(item.this, exp.Identifier):
            return None
        name = self.policy.key(item.name, quoted=bool(item.this.args.get("quoted")))
        if name not in self.policy.tables[self.admitted]:
            return None
        if item.args.get("table") is not None:
            return name if source_named(item, self.policy) is self.source else None
        others = (other for other in sources_of(self.select) if other is not self.source)
        return name if all(self._lacks(other, name) for other in others) else None

    def _lacks(self, other: exp.Expr, name: str) -> bool:
        admitted = self.read.by_node.get(id(other))
        return admitted is not None and name not in self.policy.tables[admitted]

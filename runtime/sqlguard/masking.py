"""Masked columns: which outputs carry one, and no place where a value could be learned bit by bit.

By names, in doubt for the mask: a name of a masked column counts as masked wherever it may mean it, and so does every
name that the query gives to one. A masked column may be shown, counted, tested for NULL, and joined with another
masked column. All else is refused: a comparison with a text, LIKE, an order, a group or a function tells about it, and
so does a column whose values are known, such as a table's numbers from 1 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from runtime.sqlguard.policy import GuardPolicy, fold
from runtime.sqlguard.refusals import QueryRefused, not_allowed
from runtime.sqlguard.sources import ROW_NUMBERS, source_named, sources_of
from runtime.sqlguard.tables import TablesRead

_SHAPES: tuple[type[exp.Expr], ...] = (exp.Pivot, exp.Columns, exp.PositionalColumn)


def masked_outputs(root: exp.Expr, read: TablesRead, policy: GuardPolicy) -> tuple[str, ...]:
    """Names of the result's columns that carry a masked one. Raises QueryRefused where one could be guessed."""
    columns = {fold(name) for table in read.names for name in policy.masked.get(table, ())}
    if not columns:
        return ()
    if policy.dialect == "sqlite":
        columns |= ROW_NUMBERS
    query = _Masked(root, read, policy, columns)
    query.spread()
    query.check()
    return query.outputs()


@dataclass(slots=True)
class _Masked:
    root: exp.Expr
    read: TablesRead
    policy: GuardPolicy
    names: set[str]  # folded names of masked columns, and those given to them

    def spread(self) -> None:
        """Add the names that the query gives to masked columns: aliases, column lists, whole rows."""
        before = -1
        while before != len(self.names):
            before = len(self.names)
            for select in self.root.find_all(exp.Select):
                for item in select.expressions:
                    if isinstance(item, exp.Alias) and self._holds(item.this):
                        self.names.add(fold(item.alias))
            for alias in self.root.find_all(exp.TableAlias):
                self._spread_alias(alias)
            self._spread_unions()

    def _spread_alias(self, alias: exp.TableAlias) -> None:
        owner = alias.parent
        listed = alias.args.get("columns") or ()
        if owner is None or not self._source_holds(owner):
            return
        self.names.add(fold(alias.name))  # the whole row, as `row_to_json(c)` or plain `c`
        branches = list(_branches(owner))
        if any(len(branch) != len(listed) or any(map(_star, branch)) for branch in branches) or not branches:
            self.names.update(fold(column.name) for column in listed)
            return
        for index, column in enumerate(listed):
            if any(self._holds(branch[index]) for branch in branches):
                self.names.add(fold(column.name))

    def _spread_unions(self) -> None:
        for union in self.root.find_all(exp.SetOperation):
            branches = list(_branches(union))
            if len({len(branch) for branch in branches}) != 1 or any(_star(item) for b in branches for item in b):
                if any(self._holds(item) for branch in branches for item in branch):
                    self.names.update(fold(item.alias_or_name) for branch in branches for item in branch)
                continue
            for items in zip(*branches, strict=True):
                if any(self._holds(item) for item in items):
                    self.names.update(fold(item.alias_or_name) for item in items if item.alias_or_name)

    def _source_holds(self, source: exp.Expr) -> bool:
        if isinstance(source, exp.Table):
            admitted = self.read.by_node.get(id(source))
            if admitted is not None:
                return bool(self.policy.masked.get(admitted))
            return fold(source.name) in self.names or any(True for _ in self._bodies(source.name))
        return any(self._holds(item) for branch in _branches(source) for item in branch)

    def _bodies(self, name: str) -> Iterator[exp.CTE]:
        for cte in self.root.find_all(exp.CTE):
            if fold(cte.alias) == fold(name) and self._source_holds(cte):
                yield cte

    def _holds(self, node: exp.Expr) -> bool:
        """Whether a masked value may stand in the result of `node`."""
        if _star(node):
            return True
        return any(self._is_masked(column) and not _shielded(column, node) for column in node.find_all(exp.Column))

    def _is_masked(self, column: exp.Column) -> bool:
        if isinstance(column.this, exp.Star):
            return True
        name = fold(column.name)
        if column.args.get("table") is None:
            return name in self.names or self._is_row(column)
        source = source_named(column, self.policy)
        admitted = self.read.by_node.get(id(source)) if source is not None else None
        if admitted is None or (source is not None and _renamed(source)):
            return name in self.names
        known = self.policy.column(admitted, name)
        # A name the table does not have may be a function of the whole row.
        return known is None or any(fold(masked) == name for masked in self.policy.masked.get(admitted, ()))

    def _is_row(self, column: exp.Column) -> bool:
        """Whether the name of a source with a masked column stands in the place of a column: its whole row."""
        return any(
            admitted in self.policy.masked and fold(table.alias_or_name) == fold(column.name)
            for table, admitted in self.read.nodes
        )

    def check(self) -> None:
        """Raises QueryRefused on a masked column in a place where its value could be learned."""
        for node in self.root.find_all(*_SHAPES):
            raise _refused(node.sql(), "Write the columns out.")
        for column in self.root.find_all(exp.Column):
            if self._is_masked(column):
                self._check_place(column)
        for star in self.root.find_all(exp.Star):
            if not isinstance(star.parent, (exp.Select, exp.Column)) and not _counted(star):
                raise _refused("*", "Write the columns out.")
        for join in self.root.find_all(exp.Join):
            self._check_join(join)
        for query in self.root.find_all(exp.Query):
            self._check_query(query)

    def _check_place(self, column: exp.Column) -> None:
        node: exp.Expr = column
        while isinstance(node.parent, (exp.Paren, exp.Alias)):
            node = node.parent
        parent = node.parent
        if isinstance(parent, exp.Select) and node.arg_key == "expressions":
            return
        if _counted(node):
            if isinstance(node.parent, exp.Distinct) and self.root.find(exp.SetOperation) and not self._stored(column):
                raise _refused(column.sql(), "Count the table's own column, before UNION ALL adds others to it.")
            return
        if _tested_for_null(node):
            return
        if isinstance(parent, exp.EQ) and self._stored(parent.this) and self._stored(parent.expression):
            return
        raise _refused(column.sql(), "")

    def _stored(self, side: exp.Expr) -> bool:
        """Whether `side` is a masked column of an admitted table: nobody who asks has made up its values, or knows
        them."""
        node = side.unnest()
        if type(node) is not exp.Column or isinstance(node.this, exp.Star):
            return False
        if node.args.get("table") is not None:
            source = source_named(node, self.policy)
            return source is not None and not _renamed(source) and self._all_stored(node.name, [source])
        select = node.find_ancestor(exp.Select)
        return select is not None and self._all_stored(node.name, sources_of(select))

    def _all_stored(self, name: str, sources: Iterable[exp.Expr]) -> bool:
        """Whether `sources` are admitted tables, and `name` is masked in each that has it."""
        found = False
        for source in sources:
            admitted = self.read.by_node.get(id(self._table_of(source)))
            if admitted is None:
                return False
            known = self.policy.column(admitted, name)
            if known is not None and known not in self.policy.masked.get(admitted, ()):
                return False
            found = found or known is not None
        return found

    def _table_of(self, source: exp.Expr) -> exp.Expr:
        """The table that a source shows columns of by their own names, as a table that is read by its columns is
        written; else the source itself."""
        select = source.this if isinstance(source, exp.Subquery) else None
        if not isinstance(select, exp.Select) or select.args.get("joins") or select.args.get("from_") is None:
            return source
        table = select.args["from_"].this
        return table if all(self._plain(item, table) for item in select.expressions) else source

    def _plain(self, item: exp.Expr, table: exp.Expr) -> bool:
        """Whether an item of a select list is a column of `table` by its own name, and none of a query around it."""
        if type(item) is not exp.Column or _star(item):
            return False
        return item.args.get("table") is None or source_named(item, self.policy) is table

    def _check_join(self, join: exp.Join) -> None:
        select = join.find_ancestor(exp.Select)
        if str(join.args.get("method") or "").upper() == "NATURAL":
            raise _refused("NATURAL JOIN", "Write JOIN … ON with the columns.")
        for identifier in join.args.get("using") or ():
            stored = select is not None and self._all_stored(identifier.name, sources_of(select))
            if fold(identifier.name) in self.names and not stored:
                raise _refused(identifier.name, "")

    def _check_query(self, query: exp.Expr) -> None:
        items = [item for branch in _branches(query) for item in branch]
        if not any(self._holds(item) for item in items):
            return
        if isinstance(query, exp.SetOperation) and (not isinstance(query, exp.Union) or query.args.get("distinct")):
            raise _refused("UNION, EXCEPT and INTERSECT", "Use UNION ALL.")
        if query.args.get("distinct") and isinstance(query, exp.Select):
            raise _refused("SELECT DISTINCT", "Leave DISTINCT out, or count: count(DISTINCT column).")
        for place in ("order", "group"):
            clause = query.args.get(place)
            if clause is not None and self._by_position(clause, items):
                raise _refused(f"{place.upper()} BY", "")
        if isinstance(query.parent, (exp.In, exp.Any, exp.All, exp.EQ, exp.Array)) or _is_operand(query):
            raise _refused("a subquery", "Join the tables: JOIN … ON a.column = b.column.")

    def _by_position(self, clause: exp.Expr, items: list[exp.Expr]) -> bool:
        if clause.args.get("all"):
            return True
        starred = any(_star(item) for item in items)
        for literal in clause.find_all(exp.Literal):
            if not literal.args.get("is_string") and literal.name.isdigit():
                position = int(literal.name[:6])
                if starred or position > len(items) or self._holds(items[position - 1]):
                    return True
        return any(word.name.upper() == "ALL" for word in clause.find_all(exp.Var, exp.Column))

    def outputs(self) -> tuple[str, ...]:
        """The names of the masked outputs; with a star in the list, all names that may be masked."""
        found: list[str] = []
        for branch in _branches(self.root):
            for item in branch:
                if _star(item):
                    found += sorted(self.names)
                elif self._holds(item):
                    found.append(item.unnest().alias_or_name or item.sql())
        for branch in _branches(self.root) if found else ():  # the names of a set operation are those of its first
            found += [item.alias_or_name for item in branch if fold(item.alias_or_name) in self.names]
        return tuple(dict.fromkeys(found))


def _branches(query: exp.Expr) -> Iterator[list[exp.Expr]]:
    """The select lists of a query: one, or one per branch of a set operation, in order."""
    if isinstance(query, exp.SetOperation):
        yield from _branches(query.this)
        yield from _branches(query.expression)
    elif isinstance(query, (exp.Subquery, exp.CTE, exp.Lateral)):
        yield from _branches(query.this)
    elif isinstance(query, exp.Select):
        yield query.expressions
    elif isinstance(query, exp.Values):
        for row in query.expressions:
            yield row.expressions


def _star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))


def _renamed(source: exp.Expr) -> bool:
    alias = source.args.get("alias")
    return alias is not None and bool(alias.args.get("columns"))


def _shielded(column: exp.Column, top: exp.Expr) -> bool:
    """Whether the value of `column` does not come through to `top`: counted, tested for NULL, or compared."""
    node: exp.Expr = column
    while node is not top and node.parent is not None:
        if _counted(node) or _tested_for_null(node) or isinstance(node.parent, (exp.EQ, exp.Exists, exp.Where)):
            return True
        node = node.parent
    return False


def _counted(node: exp.Expr) -> bool:
    call = node.parent.parent if isinstance(node.parent, exp.Distinct) else node.parent
    return isinstance(call, exp.Anonymous) and call.name.lower() == "count" and node.arg_key == "expressions"


def _tested_for_null(node: exp.Expr) -> bool:
    test = node.parent
    return isinstance(test, exp.Is) and node.arg_key == "this" and isinstance(test.expression, exp.Null)


def _is_operand(query: exp.Expr) -> bool:
    """Whether a subquery stands inside an expression, and not after FROM, in a WITH, in EXISTS or in a select list."""
    node = query
    while isinstance(node.parent, (exp.Subquery, exp.SetOperation, exp.Paren)):
        node = node.parent
    parent = node.parent
    if isinstance(parent, exp.Alias):
        parent = parent.parent
    return not (
        parent is None
        or isinstance(parent, (exp.From, exp.Join, exp.CTE, exp.Exists, exp.Lateral, exp.Table))
        or (isinstance(parent, exp.Select) and node.arg_key in ("expressions", "this"))
        or isinstance(parent, exp.Select)
    )


def _refused(what: str, hint: str) -> QueryRefused:
    return not_allowed(
        f"{what[:80]!r} would tell about a masked column: such a column may be shown, counted, tested for NULL or "
        "joined with another masked column, and nothing else.",
        hint or "Leave it out of conditions, groups, orders and functions; people see its values in the result.",
    )

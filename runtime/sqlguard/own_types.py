"""Types of the database's own in casts: those of columns that are open here, by their names."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from runtime.sqlguard.policy import GuardPolicy
from runtime.sqlguard.refusals import not_allowed, shown
from runtime.sqlguard.rules import DialectRules


def check_own_types(types: Iterable[exp.DataType], policy: GuardPolicy, rules: DialectRules) -> None:
    """Raises QueryRefused for a type that no open column has."""
    for node in types:
        if node.expressions or _spelled(node.args["kind"], policy) not in policy.types:
            raise not_allowed(f"The type {shown(node.args['kind'].sql())!r} is not known here.", rules.type_hint)


def _spelled(kind: exp.Expr, policy: GuardPolicy) -> str | None:
    parts = [kind.this, kind.expression] if isinstance(kind, exp.Dot) else [kind]
    names = [
        policy.key(part.this, quoted=bool(part.args.get("quoted")))
        for part in parts
        if isinstance(part, exp.Identifier)
    ]
    return ".".join(names) if len(names) == len(parts) and not any("." in name for name in names) else None

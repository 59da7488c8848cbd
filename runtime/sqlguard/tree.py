"""One walk over the parsed tree: only listed node classes, functions and types, and no raw text that breaks out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqlglot import exp

from runtime.sqlguard import verbatim
from runtime.sqlguard.refusals import QueryRefused, near, not_allowed, shown
from runtime.sqlguard.rules import DialectRules
from runtime.sqlguard.tables import refuse_hidden_parts

# Text the generator writes unquoted. A quoted name in the place of a keyword (`EXTRACT("year from x" FROM …)`,
# `CAST(1 AS "int), …")`) would otherwise come out as SQL.
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_ ]*", re.ASCII)
_NAME = re.compile(r"[\w$]+")
_NUMBER = re.compile(r"[0-9.][0-9A-Za-z_.+-]*", re.ASCII)

_FRAME_EXCLUSIONS = frozenset({"CURRENT ROW", "NO OTHERS"})

# Written back quoted, whatever they hold.
_STRINGS: tuple[type[exp.Expr], ...] = (exp.ByteString, exp.RawString)
_TABLE_PLACES: tuple[type[exp.Expr], ...] = (exp.Table, exp.Lateral, exp.From, exp.Join)
_AROUND_CALL: tuple[type[exp.Expr], ...] = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
_COMPARISONS: tuple[type[exp.Expr], ...] = (exp.EQ, exp.In, exp.Like, exp.ILike)

_HINTS = {
    "Describe": "Columns and types come from the inspection tool, not from SQL.",
    "Summarize": "Statistics come from the inspection tool, not from SQL.",
    "Show": "Tables are listed by the listing tool, not by SQL.",
    "Pragma": "Tables and columns come from the listing and inspection tools.",
    "Into": "Leave INTO out: results cannot be stored from SQL.",
    "Lock": "Leave FOR UPDATE out: this is a read.",
    "Placeholder": "Write the values into the SQL; there are no parameters here.",
    "Parameter": "Write the values into the SQL; there are no parameters here.",
}


@dataclass(slots=True)
class Walked:
    """What the walk met, for the steps after it."""

    tables: list[exp.Table] = field(default_factory=list[exp.Table])
    ctes: list[str] = field(default_factory=list[str])
    comparisons: list[exp.Expr] = field(default_factory=list[exp.Expr])
    distinct_calls: list[exp.Anonymous] = field(default_factory=list[exp.Anonymous])
    has_aggregate: bool = False


def check_tree(root: exp.Expr, rules: DialectRules) -> Walked:
    """Take the verbatim marks off and check every node. Raises QueryRefused on the first thing that is not listed."""
    if type(root) not in rules.roots:
        raise _refused_node(root)
    walked = Walked()
    for node in root.walk():
        kind = type(node)
        if kind in rules.nodes:
            _check_node(node, kind, rules, walked)
        else:
            raise _refused_node(node)
    return walked


def _check_node(node: exp.Expr, kind: type[exp.Expr], rules: DialectRules, walked: Walked) -> None:
    if kind is exp.Identifier:
        verbatim.restore_name(node)
        _check_identifier(node)
    elif kind is exp.Literal:
        verbatim.restore_path(node)
        if not node.args.get("is_string") and not _NUMBER.fullmatch(node.this):
            raise _raw_text(node.this)
    elif kind in _STRINGS:
        pass
    elif kind is exp.Anonymous:
        _check_call(node, rules, walked)
    elif kind is exp.DataType:
        _check_type(node, rules)
    else:
        _check_words(node, kind)
        if isinstance(node, exp.Table):
            refuse_hidden_parts(node)
            walked.tables.append(node)
        elif kind in _COMPARISONS:
            walked.comparisons.append(node)
        elif kind is exp.CTE:
            walked.ctes.append(node.alias)
        elif kind is exp.Pivot:
            _check_pivot(node)
        elif kind is exp.Distinct and len(node.expressions) > 1:
            _note_distinct(node, walked)
        elif kind is exp.Lateral and (node.args.get("view") or not isinstance(node.parent, (exp.From, exp.Join))):
            # Written back without a space before it, as a part of the table's name.
            raise not_allowed("LATERAL stands only before a source.", "Write `FROM a, LATERAL (SELECT …) b`.")
        elif kind is exp.WithinGroup and isinstance(node.this, exp.Anonymous):
            # The engine knows it for percentiles and mode() alone, and the generator writes mode() back wrong.
            raise not_allowed(
                "WITHIN GROUP is for percentile_cont and percentile_disc.",
                "Write mode(column), or put the order inside: string_agg(x, ',' ORDER BY y).",
            )
        elif isinstance(node, exp.AggFunc):
            _note_aggregate(node, walked)


def _check_identifier(node: exp.Expr) -> None:
    text = node.this
    if not isinstance(text, str) or not text or not (node.args.get("quoted") or _NAME.fullmatch(text)):
        raise _raw_text(str(text))
    if not text.isprintable():
        raise not_allowed("A name holds a control character.", "Write names as the listing shows them.")


def _check_words(node: exp.Expr, kind: type[exp.Expr]) -> None:
    allowed = _WORD if kind is exp.Var else _WORDS
    for value in node.args.values():
        if type(value) is str and not allowed.fullmatch(value) and value not in _FRAME_EXCLUSIONS:
            raise _raw_text(value)
    if kind is exp.Select and (node.args.get("operation_modifiers") or node.args.get("kind")):
        raise not_allowed("SELECT takes no modifier but DISTINCT here.")


def _check_call(node: exp.Expr, rules: DialectRules, walked: Walked) -> None:
    verbatim.restore_name(node)
    name = node.name.removeprefix(verbatim.MARK)  # a quoted name is a node of its own, met later
    folded = name.lower()
    in_place_of_table = isinstance(node.parent, _TABLE_PLACES) and node.arg_key == "this"
    if folded not in (rules.table_functions if in_place_of_table else rules.scalars):
        raise _refused_call(name, rules, in_place_of_table)
    if folded in rules.aggregates and not in_place_of_table:
        _note_aggregate(node, walked)


def _note_aggregate(call: exp.Expr, walked: Walked) -> None:
    outer = call.parent
    while isinstance(outer, _AROUND_CALL):
        outer = outer.parent
    walked.has_aggregate = walked.has_aggregate or not isinstance(outer, exp.Window)


def _check_type(node: exp.Expr, rules: DialectRules) -> None:
    kind = node.this
    if kind in rules.data_types:
        return
    named = str(node.args.get("kind") or "")
    if kind is not exp.DType.USERDEFINED or named.lower() not in rules.user_types:
        raise not_allowed(
            f"The type {shown(named or str(kind))!r} is not known here.",
            "Use a type of the engine, such as VARCHAR, DATE.",
        )


def _check_pivot(node: exp.Expr) -> None:
    # The engine looks the values of a PIVOT up by a statement of its own, which the second opinion does not see.
    for key in ("expressions", "fields"):
        for part in node.args.get(key) or ():
            if isinstance(part, exp.Expr) and part.find(exp.Query) is not None:
                raise not_allowed(
                    "PIVOT takes no query for its values.", "Write the values as a list, or leave IN out to take all."
                )


def _note_distinct(node: exp.Expr, walked: Walked) -> None:
    call = node.parent.parent if isinstance(node.parent, exp.Order) else node.parent
    if isinstance(call, exp.Anonymous):
        walked.distinct_calls.append(call)


def _refused_node(node: exp.Expr) -> QueryRefused:
    name = type(node).__name__
    word = node.name if isinstance(node, (exp.Command, exp.Column)) else name
    hint = _HINTS.get(name)
    message = f"{_spelled(word)} is not allowed: only one read over open tables is."
    return not_allowed(message, hint) if hint else not_allowed(message)


def _spelled(word: str) -> str:
    """`TruncateTable` as `TRUNCATE TABLE`."""
    return shown(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word).upper())


def _raw_text(text: str) -> QueryRefused:
    return not_allowed(f"{shown(text)!r} stands where only a plain word can.", "Write keywords and types unquoted.")


def _refused_call(name: str, rules: DialectRules, in_place_of_table: bool) -> QueryRefused:
    allowed = rules.table_functions if in_place_of_table else rules.scalars
    instead = rules.instead.get(name.lower())
    reason = rules.denied.get(name.lower())
    if instead:
        hint = f"Use {instead}."
    elif reason and not in_place_of_table:
        hint = f"It {reason}; leave it out."
    elif in_place_of_table:
        hint = f"After FROM, besides tables, these may stand: {', '.join(sorted(allowed))}."
    else:
        close = near(name, allowed)
        hint = f"Did you mean {' or '.join(close)}?" if close else "Use a function of the engine for reading values."
    where = " in place of a table" if in_place_of_table else ""
    return QueryRefused(
        "function_not_allowed",
        f"The function {shown(name)!r} is not allowed{where}.",
        hint=hint,
        details={"function": shown(name)},
    )

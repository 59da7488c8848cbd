"""One walk over the parsed tree: only listed node classes, functions and types, and no raw text that breaks out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from sqlglot import exp

from runtime.sqlguard import verbatim
from runtime.sqlguard.refusals import QueryRefused, near, not_allowed, shown
from runtime.sqlguard.rules import DialectRules
from runtime.sqlguard.syntax import STRAIGHT, TYPOGRAPHIC, nothing_grouped, nothing_selected
from runtime.sqlguard.tables import refuse_hidden_parts

# Text the generator writes unquoted. A quoted name in the place of a keyword (`EXTRACT("year from x" FROM …)`,
# `CAST(1 AS "int), …")`) would otherwise come out as SQL.
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_ ]*", re.ASCII)
_NAME = re.compile(r"\w[\w$]*")
_NUMBER = re.compile(r"[0-9.][0-9A-Za-z_.+-]*", re.ASCII)

_FRAME_EXCLUSIONS = frozenset({"CURRENT ROW", "NO OTHERS"})
_HEX = re.compile(r"[0-9A-Fa-f]*", re.ASCII)

_TABLE_PLACES: tuple[type[exp.Expr], ...] = (exp.Table, exp.Lateral, exp.From, exp.Join)
_AROUND_CALL: tuple[type[exp.Expr], ...] = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)

_HINTS = {
    "Describe": "Columns and types come from the inspection tool, not from SQL.",
    "Summarize": "Statistics come from the inspection tool, not from SQL.",
    "Show": "Tables are listed by the listing tool, not by SQL.",
    "Pragma": "Tables and columns come from the listing and inspection tools.",
    "Into": "Leave INTO out: results cannot be stored from SQL.",
    "Lock": "Leave FOR UPDATE out: this is a read.",
    "Placeholder": "Write the values into the SQL; there are no parameters here.",
    "Parameter": "Write the values into the SQL; there are no parameters here.",
    "ObjectIdentifier": "Write the name as text; types such as regclass read the catalogue.",
    "WithinGroup": "Sort in a subquery and take its row: ORDER BY value LIMIT 1 OFFSET (SELECT count(*) FROM t) / 2.",
    "Qualify": "Put the window function into a subquery and filter it in the WHERE outside.",
    "Glob": "Use LIKE, or a regular expression.",
    "RegexpLike": "Use LIKE or GLOB.",
    "ILike": "Compare lower(a) LIKE lower(b); LIKE ignores the case of ASCII letters here.",
    "Interval": "Write a modifier instead: date(day, '+1 month').",
    "Bracket": "Lists are JSON text here: column ->> '$[0]', or json_each(column) after FROM.",
    "Array": "Lists are JSON text here: json_array(1, 2), or json_each(column) after FROM.",
    "Extract": "Write strftime('%Y', day) instead.",
    "TryCast": "Write CAST(value AS type).",
    "Operator": "Write the operator alone.",
    "Variadic": "Write the arguments one by one.",
}

_NUMBERED = "Number the placeholders, $1 and $2, and pass the values as parameters, or write them into the SQL."


@dataclass(slots=True)
class Walked:
    """What the walk met, for the steps after it."""

    tables: list[exp.Table] = field(default_factory=list[exp.Table])
    ctes: list[exp.CTE] = field(default_factory=list[exp.CTE])
    comparisons: list[exp.Expr] = field(default_factory=list[exp.Expr])
    distinct_calls: list[exp.Anonymous] = field(default_factory=list[exp.Anonymous])
    qualified: list[exp.Column] = field(default_factory=list[exp.Column])
    fields: list[exp.Dot] = field(default_factory=list[exp.Dot])
    own_types: list[exp.DataType] = field(default_factory=list[exp.DataType])
    parameters: list[exp.Parameter] = field(default_factory=list[exp.Parameter])
    has_aggregate: bool = False
    named_by_rows: bool = False


def check_tree(root: exp.Expr, rules: DialectRules) -> Walked:
    """Take the verbatim marks off and check every node. Raises QueryRefused on the first thing that is not listed."""
    if type(root) not in rules.roots:
        raise _refused_node(root, rules)
    walked = Walked()
    nodes = rules.nodes
    for node in root.walk():
        kind = type(node)
        if kind not in nodes:
            raise _refused_node(node, rules)
        check = _OWN_CHECKS.get(kind)
        if check is None:
            _check_words(node)
        else:
            check(node, rules, walked)
    return walked


def _check_words(node: exp.Expr) -> None:
    for value in node.args.values():
        if type(value) is str and not _WORDS.fullmatch(value) and value not in _FRAME_EXCLUSIONS:
            raise _raw_text(value)


def _check_identifier(node: exp.Expr, rules: DialectRules, _walked: Walked) -> None:
    verbatim.restore_name(node)
    text = node.args.get("this")
    if not isinstance(text, str) or not text or not (node.args.get("quoted") or _NAME.fullmatch(text)):
        raise _raw_text(str(text))
    if rules.name_bytes and len(text) * 4 > rules.name_bytes and len(text.encode()) > rules.name_bytes:
        raise not_allowed(f"The name {shown(text)!r} is longer than {rules.name_bytes} bytes.", "Shorten the name.")
    if not text.isprintable():
        raise not_allowed("A name holds a control character.", "Write names as the listing shows them.")


def _check_literal(node: exp.Expr, _rules: DialectRules, _walked: Walked) -> None:
    verbatim.restore_path(node)
    if not node.args.get("is_string") and not _NUMBER.fullmatch(node.this):
        raise _raw_text(node.this)


def _pass_string(_node: exp.Expr, _rules: DialectRules, _walked: Walked) -> None:
    """`e'…'` and `$$…$$`: written back quoted, whatever they hold."""


def _check_digits(node: exp.Expr, _rules: DialectRules, _walked: Walked) -> None:
    if not isinstance(node.this, str) or not _HEX.fullmatch(node.this):
        raise _raw_text(str(node.this))


def _check_var(node: exp.Expr, _rules: DialectRules, _walked: Walked) -> None:
    if not _WORD.fullmatch(node.this) and node.this not in _FRAME_EXCLUSIONS:
        raise _raw_text(node.this)


def _check_column(node: exp.Expr, rules: DialectRules, walked: Walked) -> None:
    if node.args.get("join_mark"):
        raise not_allowed("(+) marks no join here.", "Write LEFT JOIN … ON.")
    if not rules.attribute_calls:
        return
    if node.args.get("table") is not None:
        walked.qualified.append(cast("exp.Column", node))
    elif not node.this.args.get("quoted") and node.name.lower() in rules.value_words:
        raise not_allowed(f"{shown(node.name.upper())} is not open here.", "Read columns of the open tables.")


def _check_dot(node: exp.Expr, rules: DialectRules, walked: Walked) -> None:
    if not rules.attribute_calls or isinstance(node.parent, exp.DataType):
        return
    part = node.args.get("expression")
    if not isinstance(part, exp.Func):
        walked.fields.append(cast("exp.Dot", node))
    elif not isinstance(part, exp.Anonymous) or not _is_catalog(node.this):
        raise QueryRefused(
            "function_not_allowed",
            f"The function {shown(str(part.name))!r} is not allowed with a schema.",
            hint="Write it without: only functions of the engine may run.",
        )


def _is_catalog(schema: exp.Expr) -> bool:
    bare = isinstance(schema, exp.Identifier) or (type(schema) is exp.Column and schema.args.get("table") is None)
    return bare and schema.name == "pg_catalog"


def _check_json(node: exp.Expr, rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    path = node.args.get("expression")
    if rules.name != "postgres" or not isinstance(path, exp.JSONPath):
        return
    # The parser makes a path of the one key, which the generator would not write back quoted.
    key = path.expressions[-1]
    if len(path.expressions) != 2 or not isinstance(key, (exp.JSONPathKey, exp.JSONPathSubscript)):
        raise not_allowed("That JSON path is not read here.", "Write column -> 'key' ->> 'inner'.")
    node.set("expression", exp.Literal(this=str(key.this), is_string=isinstance(key, exp.JSONPathKey)))


def _check_parameter(node: exp.Expr, _rules: DialectRules, walked: Walked) -> None:
    number = node.this
    if not isinstance(number, exp.Literal) or not number.name.isdigit() or number.name.startswith("0"):
        raise not_allowed("That form of a placeholder is not read here.", "Number the placeholders: $1, $2.")
    walked.parameters.append(cast("exp.Parameter", node))


def _check_join(node: exp.Expr, rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    if rules.joins is None:
        return
    for part in ("method", "side", "kind", "hint", "global_"):
        word = node.args.get(part)
        if word and str(word).upper() not in rules.joins:
            raise not_allowed(
                f"{shown(str(word)).upper()} JOIN is no join of this engine.", "Use EXISTS or NOT EXISTS in the WHERE."
            )
    if node.args.get("match_condition") or node.args.get("expressions"):
        raise not_allowed("That is no join of this engine.", "Write JOIN … ON.")


def _check_in(node: exp.Expr, rules: DialectRules, walked: Walked) -> None:
    _note_comparison(node, rules, walked)
    if rules.joins is not None and (node.args.get("field") is not None or node.args.get("unnest") is not None):
        raise not_allowed("IN takes a list in brackets here.", "Write IN (1, 2) or IN (SELECT … FROM …).")


def _check_table_alias(node: exp.Expr, rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    if rules.name == "sqlite" and node.args.get("columns") and not isinstance(node.parent, exp.CTE):
        raise not_allowed("A source takes no column list after its alias here.", "Name the columns inside, with AS.")


def _check_select(node: exp.Expr, rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    if node.args.get("operation_modifiers") or node.args.get("kind"):
        raise not_allowed("SELECT takes no modifier but DISTINCT here.")
    if not node.expressions and node.find_ancestor(exp.Exists) is None:
        raise nothing_selected()
    distinct = node.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None and rules.name == "sqlite":
        raise not_allowed(
            "DISTINCT ON is not known to this engine.",
            "Number the rows with row_number() OVER (PARTITION BY …) in a subquery and keep number 1.",
        )


def _check_group(node: exp.Expr, _rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    if not any(node.args.values()):
        raise nothing_grouped()


def _check_star(node: exp.Expr, rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    if rules.name != "duckdb" and any(node.args.values()):
        raise not_allowed("A star takes no EXCEPT, EXCLUDE or REPLACE here.", "Name the columns.")


def _note_table(node: exp.Expr, _rules: DialectRules, walked: Walked) -> None:
    _check_words(node)
    table = cast("exp.Table", node)
    refuse_hidden_parts(table)
    walked.tables.append(table)


def _note_comparison(node: exp.Expr, _rules: DialectRules, walked: Walked) -> None:
    _check_words(node)
    walked.comparisons.append(node)


def _note_cte(node: exp.Expr, _rules: DialectRules, walked: Walked) -> None:
    _check_words(node)
    alias = node.args.get("alias")
    if alias is None or not isinstance(alias.this, exp.Identifier):
        raise not_allowed("A WITH step needs a name.", "Write WITH name AS (SELECT …).")
    walked.ctes.append(cast("exp.CTE", node))


def _check_lateral(node: exp.Expr, _rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    if node.args.get("view") or not isinstance(node.parent, (exp.From, exp.Join)):
        # Written back without a space before it, as a part of the table's name.
        raise not_allowed("LATERAL stands only before a source.", "Write `FROM a, LATERAL (SELECT …) b`.")


def _check_within_group(node: exp.Expr, rules: DialectRules, _walked: Walked) -> None:
    _check_words(node)
    if isinstance(node.this, exp.Anonymous) and _plain_name(node.this).lower() not in rules.ordered_sets:
        # The engine knows it for percentiles and mode() alone, and the generator writes mode() back wrong.
        raise not_allowed(
            "WITHIN GROUP is for percentile_cont and percentile_disc.",
            "Write mode(column), or put the order inside: string_agg(x, ',' ORDER BY y).",
        )


def _check_typed_aggregate(node: exp.Expr, _rules: DialectRules, walked: Walked) -> None:
    _check_words(node)
    _note_aggregate(node, walked)


def _check_call(node: exp.Expr, rules: DialectRules, walked: Walked) -> None:
    verbatim.restore_name(node)
    name = _plain_name(node)
    folded = name.lower()
    if rules.attribute_calls and isinstance(node.this, exp.Identifier) and name != folded:
        raise _refused_call(name, rules, in_place_of_table=False)  # quoted, it is another function than the listed
    in_place_of_table = isinstance(node.parent, _TABLE_PLACES) and node.arg_key == "this"
    if folded not in (rules.table_functions if in_place_of_table else rules.scalars):
        raise _refused_call(name, rules, in_place_of_table)
    if folded in rules.aggregates and not in_place_of_table:
        _note_aggregate(node, walked)


def _plain_name(call: exp.Expr) -> str:
    return call.name.removeprefix(verbatim.MARK)  # a quoted name is a node of its own, met later


def _note_aggregate(call: exp.Expr, walked: Walked) -> None:
    outer = call.parent
    while isinstance(outer, _AROUND_CALL):
        outer = outer.parent
    walked.has_aggregate = walked.has_aggregate or not isinstance(outer, exp.Window)


def _check_type(node: exp.Expr, rules: DialectRules, walked: Walked) -> None:
    kind = node.this
    if kind in rules.data_types:
        if kind in rules.written_types:
            node.args.update(this=exp.DType.USERDEFINED, kind=rules.written_types[kind], expressions=None)
        return
    own = node.args.get("kind")
    named = own.name if isinstance(own, exp.Identifier) else str(own or "")
    if kind is exp.DType.USERDEFINED and named.lower() in rules.user_types:
        return
    if kind is exp.DType.USERDEFINED and isinstance(own, (exp.Identifier, exp.Dot)):
        walked.own_types.append(cast("exp.DataType", node))
    else:
        word = named or (str(kind.value) if isinstance(kind, exp.DType) else str(kind))
        raise not_allowed(f"The type {shown(word)!r} is not known here.", rules.type_hint)


def _check_pivot(node: exp.Expr, _rules: DialectRules, walked: Walked) -> None:
    _check_words(node)
    # The engine looks the values of a PIVOT up by a statement of its own, which the second opinion does not see.
    for key in ("expressions", "fields"):
        for part in node.args.get(key) or ():
            if isinstance(part, exp.Expr) and part.find(exp.Query) is not None:
                raise not_allowed(
                    "PIVOT takes no query for its values.", "Write the values as a list, or leave IN out to take all."
                )
    turned = node.args.get("fields") or node.args.get("expressions") or ()
    listed = all(isinstance(part, exp.In) and part.expressions for part in turned)
    walked.named_by_rows |= not (listed or node.args.get("unpivot"))


def _note_distinct(node: exp.Expr, _rules: DialectRules, walked: Walked) -> None:
    _check_words(node)
    if len(node.expressions) < 2:
        return
    call = node.parent.parent if isinstance(node.parent, exp.Order) else node.parent
    if isinstance(call, exp.Anonymous):
        walked.distinct_calls.append(call)


def _refused_node(node: exp.Expr, rules: DialectRules) -> QueryRefused:
    name = type(node).__name__
    word = node.name if isinstance(node, (exp.Command, exp.Column)) else name
    hint = _NUMBERED if name == "Placeholder" and rules.name == "postgres" else _HINTS.get(name)
    message = f"{_spelled(word)} is not allowed: only one read over open tables is."
    return not_allowed(message, hint) if hint else not_allowed(message)


def _spelled(word: str) -> str:
    """`TruncateTable` as `TRUNCATE TABLE`."""
    return shown(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word).upper())


def _raw_text(text: str) -> QueryRefused:
    hint = "Write keywords and types unquoted."
    if not TYPOGRAPHIC.isdisjoint(text):
        hint = STRAIGHT
    elif text.startswith("$"):
        hint = "Placeholders are written ? or ?1 here, and their values passed as parameters."
    return not_allowed(f"{shown(text)!r} stands where only a plain word can.", hint)


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


# Node classes with a check of their own; all others may hold nothing but words beside their child nodes.
_OWN_CHECKS: dict[type[exp.Expr], Callable[[exp.Expr, DialectRules, Walked], None]] = {
    exp.Identifier: _check_identifier,
    exp.Literal: _check_literal,
    exp.ByteString: _pass_string,
    exp.RawString: _pass_string,
    exp.UnicodeString: _pass_string,
    exp.HexString: _check_digits,
    exp.BitString: _check_digits,
    exp.Var: _check_var,
    exp.Column: _check_column,
    exp.Dot: _check_dot,
    exp.Parameter: _check_parameter,
    exp.JSONExtract: _check_json,
    exp.JSONExtractScalar: _check_json,
    exp.Join: _check_join,
    exp.TableAlias: _check_table_alias,
    exp.Anonymous: _check_call,
    exp.DataType: _check_type,
    exp.Select: _check_select,
    exp.Group: _check_group,
    exp.Star: _check_star,
    exp.Table: _note_table,
    exp.CTE: _note_cte,
    exp.Pivot: _check_pivot,
    exp.Lateral: _check_lateral,
    exp.Distinct: _note_distinct,
    exp.WithinGroup: _check_within_group,
    exp.PercentileCont: _check_typed_aggregate,
    exp.PercentileDisc: _check_typed_aggregate,
    exp.EQ: _note_comparison,
    exp.In: _check_in,
    exp.Like: _note_comparison,
    exp.ILike: _note_comparison,
}

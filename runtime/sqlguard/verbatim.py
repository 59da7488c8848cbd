"""Marks on tokens, so that function names, JSON paths and arguments come back as written.

sqlglot rewrites calls it knows (`instr` to `strpos`, `->> 'a.b'` to `->> '$.a.b'`), which suits translation between
engines and not a guard: a rewritten call is one more thing that may differ from what was asked. So the names are
marked before parsing, which makes every call a plain call, and the marks are taken off the tree again.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

MARK = "\x01"
_PATH_MARK = "/\x01"  # sqlglot leaves a JSON pointer, which begins with a slash, as it is

# Keywords that begin a clause for the parser and are the name of a function here (`apply(list, lambda x: …)`).
_NO_CALLS = frozenset({TokenType.APPLY})

_ARROWS = frozenset({TokenType.ARROW, TokenType.DARROW})


def mark(tokens: list[Token], known_calls: frozenset[str]) -> None:
    """Mark in place every call among `known_calls` (upper case) and every JSON path."""
    previous: Token | None = None
    for token in tokens:
        if previous is not None:
            if token.token_type is TokenType.L_PAREN:
                if previous.text.upper() in known_calls:
                    previous.text = MARK + previous.text
                    if previous.token_type in _NO_CALLS:
                        previous.token_type = TokenType.VAR
            elif token.token_type is TokenType.STRING and previous.token_type in _ARROWS:
                token.text = _PATH_MARK + token.text
        previous = token


def restore_name(node: exp.Expr) -> None:
    """Take the mark off an identifier or a call whose name is text."""
    text = node.args.get("this")
    if isinstance(text, str) and text.startswith(MARK):
        node.args["this"] = text[len(MARK) :]


def restore_path(literal: exp.Expr) -> None:
    """Take the mark off a JSON path."""
    text = literal.args["this"]
    if text.startswith(_PATH_MARK):
        literal.args["this"] = text[len(_PATH_MARK) :]


def spread_distinct(call: exp.Anonymous) -> None:
    """`f(DISTINCT a, b ORDER BY c)`: sqlglot folds a and b into one DISTINCT tuple; make them two arguments again."""
    arguments = call.expressions
    if len(arguments) != 1:
        return
    order = arguments[0] if isinstance(arguments[0], exp.Order) else None
    distinct = order.this if order is not None else arguments[0]
    if not isinstance(distinct, exp.Distinct) or len(distinct.expressions) < 2:
        return
    first, *rest = distinct.expressions
    spread: list[exp.Expr] = [exp.Distinct(expressions=[first]), *rest]
    if order is not None:
        spread[-1] = exp.Order(this=spread[-1], expressions=order.expressions)
    call.set("expressions", spread)

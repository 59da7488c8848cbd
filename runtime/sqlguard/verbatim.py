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
_BEGIN_ARGUMENT = frozenset({TokenType.L_PAREN, TokenType.COMMA, TokenType.L_BRACKET})
_NO_COLUMN = frozenset(
    {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.L_PAREN, TokenType.STRING, TokenType.NUMBER, TokenType.STAR}
)


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


def bracket_arrows(tokens: list[Token]) -> list[Token]:
    """`tokens` with `(column -> 'key')` for a `column -> 'key'` that begins an argument: the parser would take it for a
    lambda, which PostgreSQL and SQLite don't have."""
    if not any(token.token_type is TokenType.ARROW for token in tokens):
        return tokens
    result: list[Token] = []
    open_for = 0  # tokens until the bracket closes
    for index, token in enumerate(tokens):
        length = _arrow_length(tokens, index) if not open_for else 0
        if length:
            result.append(Token(TokenType.L_PAREN, "(", token.line, token.col, token.start, token.start))
            open_for = length
        result.append(token)
        if open_for == 1:
            result.append(Token(TokenType.R_PAREN, ")", token.line, token.col, token.end, token.end))
        open_for -= open_for > 0
    return result


def _arrow_length(tokens: list[Token], index: int) -> int:
    """How many tokens from `index` on are `column -> key` at the beginning of an argument; 0 when they are not."""
    kinds = [token.token_type for token in tokens[index : index + 4]]
    before, last = ([None, None] + [token.token_type for token in tokens[max(0, index - 2) : index]])[-2:]
    begins = last in _BEGIN_ARGUMENT and not (last is TokenType.L_PAREN and before in _BEGIN_ARGUMENT)
    if not begins or len(kinds) < 3 or kinds[1] is not TokenType.ARROW or kinds[0] in _NO_COLUMN:
        return 0
    if kinds[2] in (TokenType.STRING, TokenType.NUMBER):
        return 3
    return 4 if kinds[2:] == [TokenType.DASH, TokenType.NUMBER] else 0


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

"""Result columns keep the name their text had: an expression without an alias gets its original text as one."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

ALIAS_CHARS = 120

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_ENDS = frozenset(
    {
        TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.QUALIFY, TokenType.ORDER_BY,
        TokenType.LIMIT, TokenType.OFFSET, TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.WINDOW,
        TokenType.SEMICOLON, TokenType.FETCH, TokenType.USING,
    }
)  # fmt: skip
# Named by themselves, or standing for several columns.
_LEAVE: tuple[type[exp.Expr], ...] = (exp.Alias, exp.Column, exp.Star, exp.Columns, exp.PositionalColumn)


def name_outputs(root: exp.Expr, tokens: Sequence[Token], sql: str, name_bytes: int | None = None) -> tuple[str, ...]:
    """Alias the unnamed expressions of the outermost select list in place; the result's column names (`*` unknown).

    An expression stays unnamed where ORDER BY or GROUP BY means it by the engine's own name for it (`ORDER BY count`).
    """
    select = root
    while isinstance(select, (exp.SetOperation, exp.Subquery)):
        if select.args.get("by_name"):
            return ("*",)
        select = select.this
    if not isinstance(select, exp.Select):
        return ("*",)
    projections = select.expressions
    unnamed = {index for index, item in enumerate(projections) if _is_unnamed(item)}
    if unnamed and name_bytes:  # an engine that names a call by its function
        meant = _meant_by_name(root)
        unnamed -= {index for index in unnamed if _own_name(projections[index]) in meant}
    if unnamed:
        texts = _texts(tokens, sql)
        if len(texts) != len(projections):
            texts = [item.sql(comments=False) for item in projections]
        named = [_named(item, texts[i], name_bytes) if i in unnamed else item for i, item in enumerate(projections)]
        select.set("expressions", named)
    return tuple(_output(item) or "*" for item in select.expressions)


def _output(item: exp.Expr) -> str:
    return item.alias_or_name or (_own_name(item) if isinstance(item, exp.Func) else "")


def _own_name(item: exp.Expr) -> str:
    """The name PostgreSQL gives a call: its function's."""
    while isinstance(item, (exp.Window, exp.Filter, exp.WithinGroup, exp.Cast, exp.Paren)):
        item = item.this
    return item.name.lower() if isinstance(item, exp.Anonymous) else item.key


def _meant_by_name(root: exp.Expr) -> set[str]:
    places = (root.args.get("order"), root.args.get("group"))
    return {
        column.name.lower()
        for place in places
        if place is not None
        for column in place.find_all(exp.Column)
        if column.args.get("table") is None
    }


def _named(item: exp.Expr, text: str, name_bytes: int | None) -> exp.Alias:
    name = _cut(text)
    if name_bytes and len(name.encode()) > name_bytes:
        name = name.encode()[: name_bytes - 3].decode(errors="ignore") + "…"
    return exp.Alias(this=item, alias=exp.to_identifier(name, quoted=True))


def _is_unnamed(item: exp.Expr) -> bool:
    return not (isinstance(item, _LEAVE) or isinstance(item.unnest(), exp.Column) or _many(item))


def _many(projection: exp.Expr) -> bool:
    """Whether the expression may stand for several columns: COLUMNS(…), a star in it, unnest of a struct."""
    for node in projection.walk():
        if isinstance(node, exp.Columns) or (isinstance(node, exp.Star) and not isinstance(node.parent, exp.Anonymous)):
            return True
        if isinstance(node, exp.Anonymous) and node.name.lower() in ("unnest", "columns"):
            return True
    return False


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= ALIAS_CHARS else line[: ALIAS_CHARS - 1] + "…"


def _texts(tokens: Sequence[Token], sql: str) -> list[str]:
    """The original text of each item of the first select list outside brackets; [] when it cannot be told apart."""
    position = _after_select(tokens)
    if position is None:
        return []
    texts: list[str] = []
    depth = 0
    first = last = None
    previous = TokenType.SELECT
    for token in tokens[position:]:
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if depth < 0 or (
            depth == 0 and kind in _ENDS and not (kind is TokenType.FROM and previous is TokenType.DISTINCT)
        ):
            break
        if depth == 0 and kind is TokenType.COMMA:
            if first is not None and last is not None:
                texts.append(sql[first : last + 1])
            first = None
        else:
            first = token.start if first is None else first
            last = token.end
        previous = kind
    if first is not None and last is not None:
        texts.append(sql[first : last + 1])
    return texts


def _after_select(tokens: Sequence[Token]) -> int | None:
    depth = 0
    for index, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if depth == 0 and kind is TokenType.SELECT:
            following = tokens[index + 1].token_type if index + 1 < len(tokens) else None
            if following is TokenType.DISTINCT:
                on = index + 2 < len(tokens) and tokens[index + 2].text.upper() == "ON"
                return None if on else index + 2
            return index + 2 if following is TokenType.ALL else index + 1
    return None

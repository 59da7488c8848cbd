"""Placeholders: those of SQLite are numbered before parsing (`?`, `?3`, `:name` to `?1` …), and every value is used."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from runtime.sqlguard.refusals import not_allowed


def numbered(tokens: list[Token]) -> list[Token]:
    """`tokens` with each SQLite placeholder as a parameter sign and its number, counted as the engine counts: `?` is
    one more than the highest so far, a name has the number of its first use. Raises QueryRefused on other forms."""
    if not any(token.token_type in _SIGNS for token in tokens):
        return tokens
    result: list[Token] = []
    by_name: dict[str, int] = {}
    highest = 0
    rest = iter(zip(tokens, [*tokens[1:], None], strict=True))
    for token, following in rest:
        if token.token_type not in _SIGNS:
            result.append(token)
            continue
        attached = following if following is not None and following.start == token.end + 1 else None
        number, alone = _number(token, attached, by_name, highest)
        highest = max(highest, number)
        result += _parameter(token, number)
        if not alone:
            next(rest)
    return result


def _number(sign: Token, attached: Token | None, by_name: dict[str, int], highest: int) -> tuple[int, bool]:
    """The number of a placeholder, and whether its sign stands alone."""
    if sign.token_type is TokenType.PLACEHOLDER:
        if attached is None or attached.token_type is not TokenType.NUMBER:
            return highest + 1, True
        return _given_number(attached.text), False
    if sign.token_type is TokenType.COLON and attached is not None and attached.text.isidentifier():
        return by_name.setdefault(attached.text, highest + 1), False
    raise not_allowed("That form of a placeholder is not read here.", "Write ? or ?1 or :name for a value.")


_SIGNS = frozenset({TokenType.PLACEHOLDER, TokenType.COLON, TokenType.PARAMETER})


def _given_number(text: str) -> int:
    if not text.isdigit() or not 0 < int(text[:6]) <= MAX_NUMBER:
        raise not_allowed(f"There is no parameter ?{text[:10]}.", "Number the placeholders from 1.")
    return int(text[:6])


MAX_NUMBER = 32_766  # of SQLite


def _parameter(at: Token, number: int) -> list[Token]:
    sign = Token(TokenType.PARAMETER, "?", at.line, at.col, at.start, at.end)
    return [sign, Token(TokenType.NUMBER, str(number), at.line, at.col, at.start, at.end)]


def check_used(placeholders: Sequence[exp.Parameter], given: int) -> None:
    """Raises QueryRefused unless the numbers of `placeholders` are exactly 1 to `given`."""
    used = {int(placeholder.this.name[:9]) for placeholder in placeholders}
    if used == set(range(1, given + 1)):
        return
    if not given:
        raise not_allowed(
            "The SQL has placeholders, but no values come with it.",
            "Pass the values as parameters, or write them into the SQL.",
        )
    numbers = ", ".join(map(str, sorted(used))) or "none"
    raise not_allowed(
        f"{given} values come with the SQL, and it uses of their numbers: {numbers}.",
        "Use each value at least once, numbered from 1 in the order of the values.",
    )


def write_for_sqlite(placeholders: Sequence[exp.Parameter]) -> None:
    """Change the tree in place: `?1`, which the generator knows no way to write."""
    for placeholder in placeholders:
        placeholder.replace(exp.Var(this=f"?{placeholder.this.name}"))

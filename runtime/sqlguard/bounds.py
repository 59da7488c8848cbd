"""Bounds on the text and its tokens, checked before any parser: length, NUL, nesting, and parser work.

The compiled parser dies with SIGSEGV on a few thousand open brackets, and its time doubles with each type name that
opens a bracket inside another (`date(date(…`) and triples with each nested `ARRAY[`: 25 of them never finish. It
doubles with each JOIN that has no ON yet, for it is parsed again without what follows it: 30 of them never finish. It
grows with the cube of a run of accessors (`a[1][1]…`): 2,000 characters of them take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from runtime.sqlguard.policy import GuardPolicy
from runtime.sqlguard.refusals import QueryRefused, not_allowed

# Measured: a unit is about 5 µs of parsing. A plain query of 32 KiB is at most ~16,000 units.
PARSER_WORK = 40_000
PREFIX_RUN = 60
ACCESS_RUN = 32

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_BRACKETS = _OPENING | _CLOSING
_ACCESS = frozenset({TokenType.DOT, TokenType.L_BRACKET})
_JOINED = frozenset({TokenType.ON, TokenType.USING})
_NEVER_ON = frozenset({TokenType.CROSS, TokenType.NATURAL})
_PREFIX = frozenset(
    {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.CASE, TokenType.INTERVAL}
)


def plain_text(sql: str, policy: GuardPolicy) -> str:
    """`sql` without a byte order mark. Raises QueryRefused when it is too long, empty, or holds NUL."""
    if len(sql) > policy.max_bytes or ((size := _utf8_size(sql)) is not None and size > policy.max_bytes):
        raise QueryRefused(
            "sql_too_long",
            f"The SQL is longer than {policy.max_bytes:,} bytes.",
            hint="Shorten it: filter by a condition or a join instead of a long list of values.",
        )
    if size is None or "\0" in sql:
        raise not_allowed("The SQL holds a character that no engine reads (NUL or half a pair).")
    text = sql.removeprefix("\ufeff")
    if not text.strip():
        raise QueryRefused("sql_syntax", "The SQL is empty.", hint="Write one SELECT over the open tables.")
    return text


def _utf8_size(sql: str) -> int | None:
    try:
        return len(sql.encode())
    except UnicodeEncodeError:
        return None


def check_tokens(tokens: Sequence[Token], types: frozenset[TokenType], policy: GuardPolicy) -> None:
    """Raises QueryRefused when brackets, prefixes or accessors pile up, or parsing would take too long."""
    factors = [1]  # of parsing time, one per open bracket
    joins = [0]  # without ON so far, one per open bracket
    chains = [0]  # accessors in a row (`.a`, `[1]`), one per open bracket
    work = run = 0
    before: TokenType | None = None
    end = -2
    for token in tokens:
        kind = token.token_type
        work += factors[-1] << joins[-1]
        run = run + 1 if kind in _PREFIX else 0
        if kind in _ACCESS:
            chains[-1] += 1
        elif before is not TokenType.DOT and kind not in _BRACKETS:
            chains[-1] = 0
        if kind in _OPENING:
            factor = 3 if before is TokenType.ARRAY else 2 if before in types else 1
            factors.append((factors[-1] << joins[-1]) * factor)
            joins.append(0)
            chains.append(0)
        elif kind in _CLOSING and len(factors) > 1:
            factors.pop()
            joins.pop()
            chains.pop()
        elif kind is TokenType.JOIN:
            joins[-1] += before not in _NEVER_ON
        elif kind in _JOINED:
            joins[-1] -= joins[-1] > 0
        elif before is TokenType.NUMBER and kind is TokenType.VAR and token.start == end + 1:
            raise _glued_number(token.text)
        if len(factors) - 1 > policy.max_nesting or run > PREFIX_RUN or chains[-1] > ACCESS_RUN or work > PARSER_WORK:
            raise QueryRefused(
                "sql_too_deep",
                f"The SQL nests deeper than {policy.max_nesting} brackets or repeats an operator too often.",
                hint="Split it into WITH steps, or drop needless brackets.",
            )
        before = kind
        end = token.end


def _glued_number(name: str) -> QueryRefused:
    # `0x1F` would be read as `0 AS x1F`: another value than the engine's, without a word.
    return QueryRefused(
        "sql_syntax",
        f"The number before {name[:20]!r} runs into a name.",
        hint="Write numbers in decimal digits, and a space before an alias.",
    )

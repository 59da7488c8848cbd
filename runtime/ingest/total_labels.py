"""SQL that finds labels of totals among very many texts: what costs much is asked only of those that may be one."""

from __future__ import annotations

from pathlib import Path

from runtime.ingest.lexical import literal, quoted
from runtime.ingest.totals import WORDS

_BEGINS = ("tot", "sub", "gra", "ove", "sum", "ges", "zwi", "end", "ins", "som")
_BEGINS_SO = literal(rf"(?i)^({WORDS})\b")
_ENDS_SO = literal(r"(?i)\b(sub)?total:?\s*$")
_LOW_BITS = 31
"""Of a letter's number, the bits in which both cases of it are alike."""


def _both_cases(letter: str) -> tuple[str, str]:
    return letter.lower(), letter.upper()


def _ranges() -> list[tuple[str, str]]:
    """(first text, first text behind it) for all texts that begin with the same two letters as a total's word, or with
    a blank."""
    pairs = {first + second for each in _BEGINS for first in _both_cases(each[0]) for second in _both_cases(each[1])}
    return [(pair, pair[:-1] + chr(ord(pair[-1]) + 1)) for pair in sorted({" ", *pairs})]


_RANGES = _ranges()
_FIRST_BITS = sum({1 << (ord(pair[0]) & _LOW_BITS) for pair, _ in _RANGES})


def begins_like_total(text: str) -> str:
    """SQL: whether a text begins with a total's word. The bounds on its first two letters are compared with what
    Parquet keeps of each block, so that most columns are not read at all."""
    bounds = " OR ".join(f"{text} >= '{least}' AND {text} < '{behind}'" for least, behind in _RANGES)
    begun = f"lower(ltrim({text})[:3]) IN ({', '.join(map(literal, _BEGINS))})"
    return f"({bounds}) AND {begun} AND regexp_matches(ltrim({text}), {_BEGINS_SO})"


def ends_like_total(text: str) -> str:
    """SQL: whether a text ends with a total's word, as in 'North total'. The first tests are cheap on every value, and
    of a search the cheaper the rarer its first letter."""
    cheap = f"(contains({text}, 'tal') OR contains({text}, 'TAL'))"
    likely = f"(contains({text}, 'otal') OR contains({text}, 'OTAL'))"
    return f"{cheap} AND {likely} AND regexp_matches({text}, {_ENDS_SO})"


def labelled_like_total(text: str) -> str:
    """SQL: whether a text begins or ends with a total's word. The first letter is cheaper to look at than the bounds,
    but no block is skipped by it."""
    may = f"({_FIRST_BITS} >> (unicode({text}) & {_LOW_BITS})) & 1 = 1"
    return f"CASE WHEN {may} THEN {begins_like_total(text)} ELSE false END OR ({ends_like_total(text)})"


def columns_that_may_begin(parquet: Path) -> str:
    """SQL: places (from 0) of the columns in which a text may begin with a total's word, by the least and greatest text
    that Parquet keeps of each block."""
    least, most = quoted("stats_min_value"), quoted("stats_max_value")
    within = " OR ".join(f"{most} >= '{first}' AND {least} < '{behind}'" for first, behind in _RANGES)
    return (
        f"SELECT DISTINCT column_id FROM parquet_metadata({literal(str(parquet))})"
        f" WHERE {least} IS NULL OR {most} IS NULL OR {within}"
    )

"""What is wrong with SQL that does not parse: the place, in words that say what to mend, and never the parser's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz, process
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from runtime.sqlguard.policy import GuardPolicy, fold
from runtime.sqlguard.refusals import QueryRefused, shown
from runtime.sqlguard.rules import DialectRules
from runtime.sqlguard.verbatim import MARK

_KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "JOIN", "LEFT", "INNER", "UNION", "WITH",
    "DISTINCT", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE",
)  # fmt: skip
_TYPED = 75  # of 100: FORM is as near to FROM as a slip gets
_SHORTEST = 3
_WITH_BY = ("ORDER", "GROUP", "PARTITION")
TYPOGRAPHIC = frozenset("“”„‘’")
STRAIGHT = "A text stands in straight single quotes: 'paid'."

# The parser's words -> ours. What is not listed and tells of its insides is said as something that does not fit.
_SAID = (
    (re.compile(r"^Required keyword"), "something is missing here"),
    (re.compile(r"^Expected table name"), "the name of a table is missing here"),
    (re.compile(r"^Expecting \)"), "a closing bracket is missing here"),
    (re.compile(r"^Expecting \("), "an opening bracket is missing here"),
    (
        re.compile(r"^Expected CTE to have alias"),
        "a WITH step, name AS (SELECT …), is missing here; no comma stands before the last SELECT",
    ),
    (re.compile(r"^Invalid expression|<|Token"), "this does not fit here"),
)
_PLAIN = "Check that place for a missing comma, bracket or keyword."
_LITE = {
    "EXTRACT": "Write strftime('%Y', day) instead of EXTRACT.",
    "~": "Use LIKE or GLOB: regular expressions are not known here.",
}


def does_not_parse(
    error: ParseError, tokens: Sequence[Token], text: str, rules: DialectRules, policy: GuardPolicy
) -> QueryRefused:
    """The refusal for what the parser said."""
    first = error.errors[0] if error.errors else {}
    said = str(first.get("description") or "")
    line, column = first.get("line"), first.get("col")
    what = next((ours for theirs, ours in _SAID if theirs.search(said)), shown(said) or "this does not fit here")
    near_text = shown(str(first.get("highlight") or "")).replace(MARK, "")
    if "SENTINEL" in said or not near_text:
        place = " at its end"
        at = len(tokens) - 1
    else:
        place = f" (line {line}, column {column}) near {near_text!r}"
        at = next((n for n, token in enumerate(tokens) if (token.line, token.col) == (line, column)), len(tokens) - 1)
    hint = next(_hints(tokens, at, text, rules, policy), _PLAIN)
    return QueryRefused("sql_syntax", f"The SQL does not parse{place}: {what}.", hint=hint)


def _hints(tokens: Sequence[Token], at: int, text: str, rules: DialectRules, policy: GuardPolicy) -> Iterator[str]:
    """What is known to go wrong so, the likeliest first."""
    if not TYPOGRAPHIC.isdisjoint(text):
        yield STRAIGHT
    if len(tokens) > 2 and tokens[1].text.upper() == "TOP" and tokens[2].token_type is TokenType.NUMBER:
        yield f"Write LIMIT {tokens[2].text} at the end instead of TOP {tokens[2].text}."
    if "`" in text and rules.name != "sqlite":
        yield "A name stands in double quotes here, not in backticks."
    around = [tokens[n] for n in (at - 1, at, at - 2) if 0 <= n < len(tokens)]
    for token in around:
        word = token.text.upper()
        if word in _WITH_BY and token.token_type is not TokenType.STRING:
            yield f"BY is missing after {word}."
    if rules.name == "sqlite":
        before = (token.text.removeprefix(MARK).upper() for token in tokens[max(at - 3, 0) : at + 1])
        yield from (_LITE[word] for word in before if word in _LITE)
    own = {fold(part) for name in policy.tables for part in name.split(".")}
    own |= {fold(column) for columns in policy.tables.values() for column in columns}
    for token in (*around, *tokens[:1]):
        if token.token_type is TokenType.VAR and len(token.text) >= _SHORTEST and fold(token.text) not in own:
            match = process.extractOne(token.text.upper(), _KEYWORDS, scorer=fuzz.ratio, score_cutoff=_TYPED)
            if match and match[0] != token.text.upper():
                yield f"Did you mean {match[0]} instead of {token.text!r}?"
    if rules.lambdas and "->" in text:
        yield "Check that place for a missing comma, bracket or keyword; lambdas are written `lambda x: …`."


def nothing_selected() -> QueryRefused:
    """For `SELECT FROM t`, and `SELECT from FROM t`, where a keyword stands for a name."""
    return QueryRefused(
        "sql_syntax",
        "SELECT has no select list: nothing that can be read stands between SELECT and FROM.",
        hint="Name the columns, or write *. A column that is called like a keyword (from, order) stands in double "
        "quotes.",
    )


def nothing_grouped() -> QueryRefused:
    """For GROUP BY at the end."""
    return QueryRefused("sql_syntax", "Nothing stands after GROUP BY.", hint="Name the columns to group by.")

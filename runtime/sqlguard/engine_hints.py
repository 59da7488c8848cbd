"""What to do about what engines say of a query that parsed: the commonest faults, in the words of three engines."""

from __future__ import annotations

import re

_KEYWORD = "A keyword that is meant as a name, such as order or group, stands in double quotes."
_HINTS = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
        (r"^Conversion Error", "TRY_CAST gives NULL where a value does not fit."),
        (
            r'near "ORDER"',
            "This SQLite knows no ORDER BY inside an aggregate: put the order into a subquery after FROM.",
        ),
        (r"must appear in the GROUP BY", "Add it to GROUP BY, or put it into an aggregate such as max(…)."),
        (
            r"WHERE clause cannot contain aggregates|aggregate functions are not allowed in WHERE|misuse of aggregate:",
            "Filter groups in HAVING, after GROUP BY.",
        ),
        (
            r"aggregate function calls cannot be nested|misuse of aggregate function",
            "Aggregate in a subquery first, then over its rows.",
        ),
        (
            r"window functions? (are|is) not allowed|cannot contain window functions|misuse of window function",
            "Compute it in a subquery, and filter in the WHERE outside.",
        ),
        (
            r"(?i:more than one row returned by a subquery)",
            "Use IN, an aggregate, or a subquery that gives one row.",
        ),
        (
            r"same number of (result )?columns",
            "Give both sides the same columns in the same order.",
        ),
        (r"division by zero", "Write a / NULLIF(b, 0)."),
        (
            r"invalid input syntax for type",
            "A CAST fails on the first value that does not fit: leave those out first, for example with "
            "CASE WHEN column ~ '^[0-9]+$' THEN column::integer END.",
        ),
        (r"function round\(double precision, integer\)", "round takes a numeric there: round(x::numeric, 2)."),
        (r"set-returning functions are not allowed in WHERE", "For a regular expression write column ~ 'pattern'."),
        (r"syntax error", _KEYWORD),
    )
)
# What DuckDB proposes against it is a setting, and those are locked.
_SETTING = re.compile(r"\s*Use \"SET [^\"]*\".*$")


def hint_for(message: str) -> str:
    """What to do about a message; '' where nothing better is known than what it says."""
    return next((hint for pattern, hint in _HINTS if pattern.search(message)), "")


def without_settings(message: str) -> str:
    """The message without the setting that it proposes."""
    return _SETTING.sub("", message)

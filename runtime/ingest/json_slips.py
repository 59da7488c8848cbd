"""Tells what a text that is nearly JSON is instead, and what to do about it."""

from __future__ import annotations

import json
import re

_CALL = re.compile(r"\s*[A-Za-z_$][\w.$]*\s*\(")


def what_else(error: json.JSONDecodeError) -> str:
    """A clause about the place where a text ceases to be JSON, nothing where it shows no known slip."""
    before, behind = error.doc[: error.pos].rstrip()[-1:], error.doc[error.pos :].lstrip()[:2]
    if behind[:1] in tuple("]}") and "," in (before, error.doc[error.pos : error.pos + 1]):
        return "; a comma stands before a closing bracket: remove it"
    if behind in ("//", "/*") or behind[:1] == "#":
        return "; a comment stands there: remove it"
    if behind[:1] == "'":
        return "; single quotes are Python's or JavaScript's: save it as JSON"
    if _CALL.match(error.doc):
        return "; it is a call with JSON inside: save what stands in the brackets"
    return ""

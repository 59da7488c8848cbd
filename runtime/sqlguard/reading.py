"""Text to tokens to trees, with one tokenizer and one parser kept per thread: making them costs a fifth of a check."""

from __future__ import annotations

import threading

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token
from sqlglot.tokens import Tokenizer

from runtime.sqlguard.rules import DialectRules

# Both reset themselves at the start of each use, also after an error, and are no good for two threads at once.
_kept = threading.local()


def tokenize(rules: DialectRules, text: str) -> list[Token]:
    """The tokens of `text`. Raises sqlglot's own errors."""
    return _pair(rules)[0].tokenize(text)


def parse(rules: DialectRules, tokens: list[Token], text: str) -> list[exp.Expr]:
    """The statements of `text`, without the empty ones. Raises sqlglot's own errors."""
    return [tree for tree in _pair(rules)[1].parse(tokens, text) if tree is not None]


def _pair(rules: DialectRules) -> tuple[Tokenizer, Parser]:
    pairs: dict[str, tuple[Tokenizer, Parser]] = _kept.__dict__
    pair = pairs.get(rules.name)
    if pair is None:
        pair = pairs[rules.name] = (rules.dialect.tokenizer(), rules.dialect.parser())
    return pair

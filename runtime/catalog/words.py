"""The words that a name or a sentence is made of, so that `OrderLines`, `order_lines` and "order line" meet."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FILLER = frozenset(
    "a an and are as at by did do does for from had has have how in is it its list many me much of on or our per show"
    " that the their there these this those to us was we were what when where which who will with".split()
)


def words(text: str) -> tuple[str, ...]:
    """The words of a name in their order, folded and in the singular; numbers are words."""
    plain = unicodedata.normalize("NFKC", text)
    return tuple(singular(part.casefold()) for part in _PARTS.findall(_HUMP.sub(" ", plain)))


def asked(query: str) -> tuple[str, ...]:
    """The distinct words of a query without the filler of a sentence, unless it is nothing else."""
    every = tuple(dict.fromkeys(words(query)))
    return tuple(word for word in every if word not in _FILLER) or every


def joined(text: str) -> str:
    """A name without what stands between its words: `order_id`, `orderId` and `Order ID` are one."""
    return "".join(words(text))


@lru_cache(maxsize=65_536)
def singular(word: str) -> str:
    """An English word without its plural; a word of another language at worst without a last s on both sides."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word

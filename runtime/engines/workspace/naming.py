"""Names tables after their files: the same set of paths always gets the same names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

_OTHER = re.compile(r"\W+")


def table_name(path: str) -> str:
    """The stem in lower case, every run of characters that are no letter, digit or underscore turned into one `_`."""
    stem = unicodedata.normalize("NFC", PurePosixPath(path).stem).lower()
    return _OTHER.sub("_", stem) or "_"


def table_names(paths: Iterable[str]) -> dict[str, str]:
    """A unique name for each path, `_2`, `_3` … on repeats. Files nearer to the root come first, then by path."""
    ordered = sorted(set(paths), key=lambda path: (path.count("/"), path))
    wanted = {table_name(path).casefold() for path in ordered}
    names: dict[str, str] = {}
    taken: set[str] = set()
    for path in ordered:
        name = base = table_name(path)
        number = 2
        # A numbered name must not take the one that another file has by right.
        while name.casefold() in taken or (name != base and name.casefold() in wanted):
            name = f"{base}_{number}"
            number += 1
        taken.add(name.casefold())
        names[path] = name
    return names

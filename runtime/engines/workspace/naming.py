"""Names tables after their files: the same set of paths always gets the same names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from runtime.ingest.composed import composed

_OTHER = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Place:
    """A table's file, its number among the tables there, and what its name adds to the file's."""

    path: str
    number: int = 0
    label: str = ""


def table_name(place: Place) -> str:
    """Stem and label in lower case, every run of characters that are no letter, digit or underscore turned into `_`. A
    label that begins with the stem stands alone."""
    stem, label = _folded(_stem(place.path)), _folded(place.label)
    if not place.label or label == stem:
        return stem or "_"
    return label if label.startswith(f"{stem}_") else f"{stem}_{label}"


def _stem(path: str) -> str:
    """As `PurePosixPath.stem`, which takes ten times as long: names are made for all files whenever one changes."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[:dot] if 0 < dot < len(name) - 1 else name


def _folded(text: str) -> str:
    return _OTHER.sub("_", composed(text).lower())


def told_apart_by(text: str) -> str:
    """What a name is compared by, where letters may be large or small."""
    return composed(text).casefold()


def table_names(places: Iterable[Place]) -> dict[Place, str]:
    """A unique name for each place, `_2`, `_3` … on repeats. Files nearer to the root come first, then by path."""
    ordered = sorted(set(places), key=lambda place: (place.path.count("/"), place.path, place.number))
    plain = {place: table_name(place) for place in ordered}
    wanted = {name.casefold() for name in plain.values()}
    names: dict[Place, str] = {}
    taken: set[str] = set()
    for place in ordered:
        name = base = plain[place]
        number = 2
        # A numbered name must not take the one that another file has by right.
        while name.casefold() in taken or (name != base and name.casefold() in wanted):
            name = f"{base}_{number}"
            number += 1
        taken.add(name.casefold())
        names[place] = name
    return names

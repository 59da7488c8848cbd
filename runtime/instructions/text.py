"""The standing instructions, section by section. A change in them raises VERSION and is seen by the golden test."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files

VERSION = "5"


@cache
def sections() -> Mapping[str, str]:
    """The sections by name, in their order: one Markdown file each, named by number and name."""
    folder = files("runtime.instructions") / "sections"
    named = sorted(item.name for item in folder.iterdir() if item.name.endswith(".md"))
    return {
        name.removesuffix(".md").split("_", 1)[1]: (folder / name).read_text(encoding="utf-8").strip() for name in named
    }


def instructions(*, without: Collection[str] = ()) -> str:
    """The instructions, the same bytes for every run of this version. Sections named in `without` are left out (for
    tests of what each section does). Raises KeyError for an unknown section."""
    known = sections()
    if unknown := [name for name in without if name not in known]:
        raise KeyError(f"no such section: {', '.join(unknown)}")
    return "\n\n".join(text for name, text in known.items() if name not in without)

"""The words of one Word paragraph as its reader sees them: changes accepted, raised digits marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docx.oxml.ns import qn

# Deleted or moved away; its words stand elsewhere (a text box, twice for old and new programs); how it looks.
_LEFT_OUT = frozenset(
    qn(name) for name in ("w:del", "w:moveFrom", "w:txbxContent", "w:rPr", "w:pPr", "w:instrText", "w:delText")
)
_SIGNS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}


def words_of(paragraph: Any) -> str:
    """The text of a `w:p` element."""
    return "".join(_words(paragraph))


def _words(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag == qn("w:t"):
            yield child.text or ""
        elif child.tag in _SIGNS:
            yield _SIGNS[child.tag]
        elif child.tag == qn("w:r"):
            yield from _run(child)
        elif child.tag not in _LEFT_OUT:
            yield from _words(child)


def _run(run: Any) -> Iterator[str]:
    look = run.find(qn("w:rPr"))
    if look is not None and _on(look.find(qn("w:vanish"))):
        return
    raised = look.find(qn("w:vertAlign")) if look is not None else None
    # A footnote's digit or a power must not become a digit of the number before it.
    mark = "^" if raised is not None and raised.get(qn("w:val")) == "superscript" else ""
    words = "".join(_words(run))
    yield mark + words if words else ""


def _on(switch: Any) -> bool:
    return switch is not None and switch.get(qn("w:val"), "true") not in ("0", "false", "off")

"""Which file "this file", "the attachment" or "it" is: one attached to the question, else one of its thread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOLD = re.compile(
    r"(?m)^Attached (?P<when>to this question|earlier in this conversation), in the workspace [^:\n]*: (?P<files>.+)$"
)
_NAME = re.compile(r"«([^«»\"\n]{1,78})»")
_KINDS = {
    "pdf": ("pdf",),
    "csv": ("csv", "tsv"),
    "spreadsheet": ("xlsx", "xlsm", "xlsb", "xls", "ods", "csv", "tsv"),
    "workbook": ("xlsx", "xlsm", "xlsb", "xls", "ods"),
    "document": ("pdf", "docx", "html", "md", "txt"),
}
_SENT = r"(?:\s+(?:that\s+)?(?:(?:i|we)(?:\s+have|['’]ve)?\s+)?(?:just\s+)?(?:sent|attached|uploaded|shared|posted))?"
_POINTS = re.compile(
    r"(?i)\b(?:(?P<many>these|those|both|all)(?:\s+the)?|this|that|the|my)\s+(?:(?:attached|uploaded|shared|excel|word)\s+)*"
    rf"(?P<noun>file|attachment|{'|'.join(_KINDS)})(?P<plural>s?)\b{_SENT}(?!\s+(?:name|type|size|path|format)\b)"
)
_PLAIN = ("file", "attachment")
_OF_IT = re.compile(
    r"(?i)^\s*(?:and\s+|so\s+|please\s+)*(?:"
    r"(?:what|which)\s+(?:columns?|fields?|tables?|sheets?)\s+(?:does|do)\s+(?P<a>it|they)\s+(?:have|contain|hold)|"
    r"what(?:\s+is|\s+stands|['’]s)\s+in(?:side)?\s+(?P<b>it|there|them)|"
    r"what\s+(?:does|do)\s+(?P<c>it|they)\s+(?:contain|hold|say\b.*)|"
    r"how\s+many\s+rows\s+(?:does|do)\s+(?P<d>it|they)\s+have|"
    r"(?:describe|summari[sz]e|explain|show(?:\s+me)?)\s+(?P<e>it|this|that|them))\s*[?.!]*\s*$"
)
_DESCRIBES = re.compile(
    r"(?i)^\s*(?:and\s+|so\s+|please\s+)*(?:what(?:\s+is|\s+are|\s+stands|['’]s)\s+in|(?:what|which)\s+(?:columns?|fields?|tables?|"
    r"sheets?)|what\s+(?:does|do)|describe|summari[sz]e|explain|show)\b"
)


@dataclass(frozen=True, slots=True)
class Attached:
    """Names of files as the workspace has them: those that `came` with the question, and those attached `before` it in
    its thread, the newest last."""

    came: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pointed:
    """A question in which a file that is only pointed at stands by its name, and what is to be said of that choice."""

    question: str
    said: str = ""


def attached_in(context: str) -> Attached:
    """The attached files that the context of a run tells of."""
    told = {match["when"]: tuple(_NAME.findall(match["files"])) for match in _TOLD.finditer(context)}
    return Attached(told.get("to this question", ()), told.get("earlier in this conversation", ()))


def pointed(question: str, attached: Attached) -> Pointed:
    """`question` with the names of the files that it points at; as it stands where it points at none."""
    found = _POINTS.search(question) or _OF_IT.match(question)
    if found is None:
        return Pointed(question)
    noun = found.groupdict().get("noun")
    noun = None if noun is None else noun.lower()
    fitting: list[tuple[str, ...]] = [
        tuple(name for name in names if _fits(name, noun)) for names in (attached.came, attached.before)
    ]
    whole: tuple[str, ...] = fitting[0] or fitting[1]
    if not whole or (noun in _PLAIN and not _certain(found)):
        return Pointed(question)
    several = len(whole) > 1
    newest = several and not fitting[0] and not _many(found)
    names = list(whole)[-1:] if newest else list(whole)
    if len(names) > 1 and not _DESCRIBES.match(question):
        return Pointed(question)  # a figure of one of them: its words tell which
    first, after = _span(found)
    written = question[:first] + " and ".join(f'"{name}"' for name in names) + question[after:]
    said = f"I took that to be `{names[0]}`, the newest of the files attached here." if newest else ""
    return Pointed(written, said)


def _certain(found: re.Match[str]) -> bool:
    """ "The files" may be all that there are; "these files" are those attached."""
    return not found["plural"] or bool(found["many"]) or found["noun"].lower() == "attachment" or "attach" in found[0]


def _many(found: re.Match[str]) -> bool:
    groups = found.groupdict()
    return bool(groups.get("plural") or groups.get("many")) or found[0].lower().split()[-1].strip("?.! ") == "them"


def _fits(name: str, noun: str | None) -> bool:
    return noun is None or noun in _PLAIN or name.rpartition(".")[2].casefold() in _KINDS[noun]


def _span(found: re.Match[str]) -> tuple[int, int]:
    """Where the words stand that point."""
    groups: Sequence[str] = [name for name in "abcde" if name in found.re.groupindex and found[name] is not None]
    return found.span(groups[0]) if groups else found.span()

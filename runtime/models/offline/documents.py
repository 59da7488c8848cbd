"""Questions about what documents say: lines found by grep_files, quoted word for word with their places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.models.offline.lexicon import FILLERS
from runtime.models.offline.listing import Listing, base_name
from runtime.models.offline.tokens import stems, tokenize
from runtime.models.offline.transcript import Done, Turn
from runtime.models.offline.wording import as_code

_SAYS = re.compile(
    r"(?i)^\s*what\s+(?:does|do|did)\s+(?P<where>.+?)\s+(?:say|state|tell\s+(?:me|us))\s+(?:about|on|of)\s+"
    r"(?P<what>.+?)\s*\??\s*$"
)
_FIND = re.compile(
    r"(?i)^\s*(?:please\s+)?(?:find|search(?:\s+for)?|look\s+for)\s+(?P<what>.+?)\s+in\s+"
    r"(?P<where>.+?)\s*[.?!]?\s*$"
)
_ANY = re.compile(r"(?i)\b(?:documents?|docs|files|notes|texts|pdfs?|policy|policies|contracts?|handbook|logs?)\b")
_SHOW = re.compile(
    r"(?i)^\s*(?:please\s+)?(?:(?:show|read|open|print|quote|display|describe|summari[sz]e)(?:\s+me)?|"
    r"what(?:\s+is|\s+stands|['’]s)\s+in)\s+(?P<where>.+?)\s*[.?!]*\s*$"
)
_QUOTED = re.compile("[\"“”«»‘’']")
_MARK = re.compile(r"\[(E\d+)\]")
_LINES, _FIRST, _LINE_CHARS = 5, 12, 240


def document_searches(question: str, listing: Listing) -> tuple[dict[str, object], ...]:
    """The arguments of the greps that the question asks for, to be made in turn until one finds something: all words
    on one line, then any of them. None when it is no such question."""
    found = _SAYS.match(question) or _FIND.match(question)
    if found is None:
        return ()
    names = _named(found["where"], listing)
    if not names and not _ANY.search(found["where"]):
        return ()
    words = _words(found["what"])
    if not words or not any(entry.kind == "document" for entry in listing.entries):
        return ()
    patterns = dict.fromkeys((".*".join(words), "|".join(words)))
    where: dict[str, object] = {"names": names} if names else {}
    return tuple({"pattern": text, **where, "note": "searching the documents"} for text in patterns)


def shown_document(question: str, listing: Listing) -> str | None:
    """The one document that is to be shown: by its name, or by words of its path with a word for a document. Else
    None."""
    found = _SHOW.match(question)
    if found is None:
        return None
    tokens = [token for token in tokenize(found["where"]) if token.wordlike]
    named = [entry.name for token in tokens if (entry := listing.named(token)) and entry.kind == "document"]
    words = {token.stem for token in tokens if token.stem not in FILLERS}
    if not named and words and _ANY.search(found["where"]):
        words -= {token.stem for token in tokens if token.low in ("document", "doc", "file", "text")}
        named = [e.name for e in listing.entries if e.kind == "document" and words and words <= {*stems(e.name)}]
    return named[0] if len(named) == 1 else None


def opening(name: str) -> dict[str, object]:
    """The arguments of the grep for the first lines of a document."""
    return {"pattern": r"\S", "names": [name], "max_hits": _FIRST, "note": "reading the document"}


def shown_answer(name: str, search: Done) -> str:
    """The first lines of a document, each with its place."""
    if not search.ok:
        return f"I can't show `{name}`: {as_code(search.error)} [{search.evidence}]."
    hits: Sequence[Mapping[str, Any]] = search.data.get("hits") or ()
    lines = [quoted(str(hit.get("at")), str(hit.get("text", "")), f"[{search.evidence}]") for hit in hits]
    more = int(search.data.get("total", 0)) > len(hits)
    head = f"`{name}` begins so:" if more else f"`{name}`, word for word:"
    return "\n".join((head, *lines)) if lines else f"`{name}` holds no text [{search.evidence}]."


def found_answer(turn: Turn) -> str:
    """The matching lines, quoted with file and line or page and the mark of their search."""
    search = turn.of("grep_files")[-1]
    mark = f"[{search.evidence}]"
    if not search.ok:
        return f"I can't answer that: the documents could not be searched ({as_code(search.error)}) {mark}."
    hits: Sequence[Mapping[str, Any]] = search.data.get("hits") or ()
    searched: Mapping[str, Any] = search.data.get("searched") or {}
    part = "" if searched.get("complete") else " Not everything could be searched; the evidence says what was left out."
    if not hits:
        return f"I can't answer that: no line of the documents here matches {mark}.{part}"
    lines = [quoted(str(hit.get("at")), str(hit.get("text", "")), mark) for hit in hits[:_LINES]]
    more = f"\nMore lines match; these are the first {mark}." if int(search.data.get("total", 0)) > _LINES else ""
    some = " No line holds all of the words; these hold some of them." if len(turn.of("grep_files")) > 1 else ""
    return f"This is what the documents say, word for word:{some}\n" + "\n".join(lines) + more + part


def quoted(at: str, line: str, mark: str) -> str:
    """A line of a document as an item of a list, word for word, with its place and mark."""
    return f"- `{at}`: «{within(line)}» {mark}"


def within(line: str) -> str:
    """A line without what isn't seen of it, cut where it is long. What looks like a mark of ours is none."""
    plain = _MARK.sub(r"(\1)", " ".join(line.split()))
    return plain if len(plain) <= _LINE_CHARS else plain[:_LINE_CHARS] + "…"


def _named(where: str, listing: Listing) -> list[str]:
    """The documents whose name, or whole stem, stands in the words."""
    words = {token.low for token in tokenize(where)}
    return [
        entry.name
        for entry in listing.entries
        if entry.kind == "document" and words & {base_name(entry.name), base_name(entry.name).rsplit(".", 1)[0]}
    ][:8]


def _words(what: str) -> list[str]:
    """The words that carry the sense, as patterns; a phrase in quotes as it stands."""
    plain = what.strip()
    if len(plain) > 2 and _QUOTED.match(plain[0]) and _QUOTED.match(plain[-1]):
        return [re.escape(plain[1:-1])]
    return [re.escape(token.text) for token in tokenize(plain) if token.wordlike and token.stem not in FILLERS]

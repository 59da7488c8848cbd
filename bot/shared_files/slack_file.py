"""A file as Slack describes it: what of it is kept with a question, and why some files are never fetched."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bot.render.clean import one_line
from runtime.engines.workspace.folder import kind_of

_KEPT = (
    "id",
    "name",
    "size",
    "mimetype",
    "mode",
    "is_external",
    "external_type",
    "file_access",
    "url_private_download",
)
_NAME_BYTES, _SUFFIX_BYTES = 160, 16
# A path has no place in a name, and names are quoted with these marks.
_AS_IN_FILES = str.maketrans({"\\": "/", "«": '"', "»": '"'})
_HTML = (".html", ".htm")
_DELETED = frozenset({"tombstone", "hidden_by_limit"})
_UPLOADED = frozenset({"", "hosted", "snippet"})
LOOK_FIRST = "check_file_info"
_TAKEN_OUT = "taken_out"
"""A word of our own among those of Slack for how a file is stored: its message gave it up."""


def described(files: object) -> tuple[dict[str, Any], ...]:
    """What is kept of the files of an event, whatever stands there: plain JSON."""
    listed = cast("list[object]", files) if isinstance(files, list) else []
    known = [cast("Mapping[str, Any]", file) for file in listed if isinstance(file, Mapping)]
    told = [{key: file[key] for key in _KEPT if _plain(file.get(key))} for file in known]
    return tuple(file for file in told if isinstance(file.get("id"), str))


def without(files: Sequence[Mapping[str, Any]], taken: Collection[str]) -> list[dict[str, Any]]:
    """The files as `described` keeps them, those in `taken` as ones that their message has no more."""
    return [{**file, "mode": _TAKEN_OUT} if file.get("id") in taken else dict(file) for file in files]


def _plain(value: object) -> bool:
    return isinstance(value, str | int)


@dataclass(frozen=True, slots=True)
class SlackFile:
    """A file in Slack. `url` is where its bytes are, '' while it has none; `size` is in bytes, None when unknown;
    `kind` is Slack's word for how it is stored; `hidden`: only files.info tells about it."""

    id: str
    name: str
    size: int | None
    mimetype: str
    kind: str
    external: bool
    hidden: bool
    url: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> SlackFile:
        """The file of a Slack file object, or of what `described` kept of one."""
        size = raw.get("size")
        return cls(
            id=str(raw.get("id") or ""),
            name=safe_name(str(raw.get("name") or "")),
            size=size if isinstance(size, int) and not isinstance(size, bool) else None,
            mimetype=str(raw.get("mimetype") or ""),
            kind=str(raw.get("mode") or ""),
            external=bool(raw.get("is_external")) or str(raw.get("mode") or "") in ("external", "remote"),
            hidden=raw.get("file_access") == LOOK_FIRST,
            url=str(raw.get("url_private_download") or ""),
        )

    @property
    def taken_out(self) -> bool:
        """Its message gave it up after it was sent: it is not fetched, wherever else it may be shared."""
        return self.kind == _TAKEN_OUT

    @property
    def ready(self) -> bool:
        """Slack has finished with it."""
        return bool(self.url and self.mimetype) and not self.hidden

    @property
    def is_page(self) -> bool:
        """It is HTML by its own name."""
        return self.name.lower().endswith(_HTML)

    @property
    def may_be_page(self) -> bool:
        """HTML may be what was shared: by its own name, or as many programs export a spreadsheet; then its size has to
        prove it."""
        return self.is_page or (self.size is not None and kind_of(self.name)[0] == "workbook")

    def refusal(self, most_bytes: int) -> str:
        """Why it is never fetched, as the end of a sentence; '' when it may be."""
        if self.external:
            return "it is kept outside Slack, and I read only what was uploaded to Slack; upload a copy"
        if self.taken_out:
            return "it was taken out of its message before I came to it"
        if self.kind in _DELETED:
            return "it was deleted, or the workspace's plan hides it"
        if self.kind not in _UPLOADED:
            return "it is no uploaded file; export it as CSV, XLSX, PDF or text, and upload that"
        reason = kind_of(self.name)[1]
        if reason:
            return reason
        if self.size == 0:
            return "it is empty"
        if self.size is not None and self.size > most_bytes:
            return f"it has {mib(self.size)} MiB, and at most {mib(most_bytes)} MiB are read here"
        return ""


def safe_name(name: str) -> str:
    """The last part of a name, on one line, short enough for any file system; 'unnamed' when nothing is left."""
    plain = one_line(name).translate(_AS_IN_FILES).rpartition("/")[2].strip()
    stem, suffix = os.path.splitext(plain)
    if len(suffix.encode()) > _SUFFIX_BYTES:  # no kind of file
        stem, suffix = plain, ""
    short = stem.encode()[: _NAME_BYTES - len(suffix.encode())].decode(errors="ignore") + suffix
    return short if short.strip(". ") else "unnamed"


def mib(size: int) -> str:
    """A size in MiB with at most one decimal: '100', '2.5'."""
    return f"{size / (1 << 20):,.1f}".removesuffix(".0")

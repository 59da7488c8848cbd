"""Opens workspace files for reading as text: by the catalog's names only, and only while they are what it saw."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from runtime.clock import Clock
from runtime.engines.workspace.catalog import AdmittedFiles, Wanted, called, nothing
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile
from runtime.engines.workspace.naming import told_apart_by
from runtime.engines.workspace.near_names import near
from runtime.engines.workspace.query import file_changed
from runtime.errors import CallError
from runtime.ingest import ExtractedText, IngestRefused, SourceChanged, Stamp, decoded
from runtime.limits import Limits

_BINARY = (".pdf", ".docx", ".parquet", ".pq")
_BOOKS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_PACKED = (b"PK", b"\xd0\xcf\x11\xe0")
"""How spreadsheets begin, unless a program exported a text or a page under their name."""
_NO_TEXT, _INSTEAD = "it is not a text file", "Read documents with read_file and tables with run_sql."


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document of the catalog and its extracted text."""

    file: WorkspaceFile
    text: ExtractedText


@dataclass(frozen=True, slots=True)
class RawText:
    """A text file as it stands: `text` has its own line ends, `sha256` is over its bytes; `exact` when the text in
    UTF-8 is those bytes."""

    file: WorkspaceFile
    sha256: str
    text: str
    exact: bool
    notes: tuple[str, ...] = ()


class Documents:
    """The documents of one workspace. Nothing is opened that the catalog does not list as readable: secret-looking and
    hidden names, links, pipes and devices are refused there, and once more by the opening itself."""

    def __init__(self, files: AdmittedFiles, limits: Limits, clock: Clock) -> None:
        self._files = files
        self._limits = limits
        self.clock = clock

    async def catalog(self, wanted: Wanted = nothing) -> WorkspaceCatalog:
        """The files as they are now; among very many new ones only what `wanted` takes has been read. Raises CallError
        `no_workspace`, StateUnavailable."""
        return await self._files.current(wanted)

    async def open(self, names: Sequence[str]) -> list[OpenDocument | CallError]:
        """Each document, or why it cannot be opened: `not_found` with near names, `file_refused`, `file_changed`. A
        file that changed meanwhile is tried once more."""
        catalog = await self.catalog(called(names))
        found = await asyncio.to_thread(lambda: [self._document(catalog, name) for name in names])
        if any(isinstance(each, CallError) and each.retryable for each in found):
            again = await self._files.refresh(called(names))
            found = await asyncio.to_thread(lambda: [self._document(again, name) for name in names])
        return found

    async def raw(self, path: str) -> RawText:
        """A text file's own bytes as text. Raises CallError `not_found`, `file_refused` (binary, too large, not read),
        `file_changed`."""
        for attempt in range(2):
            catalog = await (self._files.refresh(called([path])) if attempt else self.catalog(called([path])))
            try:
                return await asyncio.to_thread(self.raw_now, named_file(catalog, path))
            except CallError as error:
                if attempt or not error.retryable:
                    raise
        raise file_changed([path])

    def raw_now(self, file: WorkspaceFile) -> RawText:
        """The text of a file of the present catalog, proved to be what the catalog saw. Blocks. Raises as `raw`."""
        if file.kind == "skipped":
            raise _refused(file, file.reason)
        if file.unread:
            raise _refused(file, "it is new and not read yet", "Name it, and it is read.")
        if file.path.casefold().endswith(_BINARY):
            raise _refused(file, _NO_TEXT, _INSTEAD)
        if file.size > self._limits.file_read_bytes:
            most = self._limits.file_read_bytes >> 20
            raise _refused(file, f"{file.size:,} bytes; files are read as they stand up to {most:,} MiB")
        body = self._bytes(file)
        sha256 = hashlib.sha256(body).hexdigest()
        if f"sha256:{sha256}" != file.revision:
            raise file_changed([file.path])
        if file.path.casefold().endswith(_BOOKS) and body.startswith(_PACKED):
            raise _refused(file, _NO_TEXT, _INSTEAD)
        try:
            text, notes = decoded(body)
        except IngestRefused as refusal:
            raise _refused(file, refusal.reason) from refusal
        return RawText(file, f"sha256:{sha256}", text, text.encode("utf-8", "replace") == body, notes)

    def text_now(self, file: WorkspaceFile) -> ExtractedText:
        """The extracted text of a document of the present catalog, while it is unchanged. Blocks. Raises CallError
        `file_changed`, `file_refused`."""
        if file.unread:
            raise _refused(file, "it is new and not read yet", "Name it, and it is read.")
        try:
            text = self._files.text(file.text)
        except IngestRefused as refusal:
            raise _refused(file, refusal.reason) from refusal
        if text is None:
            raise file_changed([file.path])
        os.close(self._opened(file))
        return text

    def _document(self, catalog: WorkspaceCatalog, name: str) -> OpenDocument | CallError:
        try:
            file = named_file(catalog, name)
            if file.kind == "skipped":
                raise _refused(file, file.reason)
            if file.kind == "table":
                hint = f"Query {', '.join(file.tables)} with run_sql, or read its text with file_read."
                raise CallError("not_found", f"{file.path} is a table, not a document.", hint=hint)
            return OpenDocument(file, self.text_now(file))
        except CallError as error:
            return error

    def _opened(self, file: WorkspaceFile) -> int:
        """A descriptor of exactly the file that the catalog saw; the caller closes it."""
        try:
            descriptor = self._files.open(file.path)
        except IngestRefused as refusal:
            raise _refused(file, refusal.reason) from refusal
        except SourceChanged as gone:
            raise file_changed([file.path]) from gone
        stamp = Stamp.of(descriptor)
        if (stamp.size, stamp.modified_ns) != (file.size, file.modified_ns):
            os.close(descriptor)
            raise file_changed([file.path])
        return descriptor

    def _bytes(self, file: WorkspaceFile) -> bytes:
        descriptor = self._opened(file)
        try:
            chunks, size = list[bytes](), 0
            # One byte more than there should be shows a file that grew.
            while size <= file.size and (chunk := os.pread(descriptor, file.size + 1 - size, size)):
                chunks.append(chunk)
                size += len(chunk)
        finally:
            os.close(descriptor)
        return b"".join(chunks)


def named_file(catalog: WorkspaceCatalog, name: str) -> WorkspaceFile:
    """The file of this path, or the only one with this name in any folder and case. Raises CallError `not_found` with
    near names: nothing outside the catalog can be named."""
    exact = next((file for file in catalog.files if file.path == name), None)
    if exact is not None:
        return exact
    folded = told_apart_by(name)
    like = [file for file in catalog.files if folded in (path := told_apart_by(file.path), _base(path))]
    if len(like) == 1:
        return like[0]
    similar = [file.path for file in like[:5]] or near(name, [file.path for file in catalog.files])
    hint = f"Near names: {', '.join(similar)}." if similar else "list_files shows all files."
    message = f"{len(like)} files are called {name!r}." if like else f"No file is called {name!r}."
    raise CallError("not_found", message, hint=hint, details={"near": similar})


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _refused(file: WorkspaceFile, reason: str, hint: str = "") -> CallError:
    return CallError("file_refused", f"{file.path}: {reason}.", hint=hint or "list_files says what each file holds.")

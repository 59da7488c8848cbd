"""The folder of extracted document texts: one JSON file for each content, written atomically, read back as
it was written or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.ingest.outcome import IngestRefused, StorageFailed
from runtime.ingest.sealed import sealed, unsealed

KEPT_SECONDS = 3_600
"""A text that no file has any more is kept this long: a run may still read it."""


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """A document's text. `pages` has one text for each page of a paged document (PDF), else one in all; `notes` say
    what the text lacks; `whole` is False when a part of the document was left out."""

    pages: tuple[str, ...]
    paged: bool = False
    notes: tuple[str, ...] = ()
    whole: bool = True


class DocumentStore:
    """Texts below `<folder>/documents`, by the key of their content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "documents"

    def find(self, key: str) -> ExtractedText | None:
        """The text kept under `key`, None when it is missing or damaged: then it is not held any more, so that it is
        extracted anew. Raises IngestRefused if it was refused."""
        try:
            body: dict[str, Any] = unsealed((self._folder / f"{key}.json").read_bytes())
            if refused := body.get("refused"):
                raise IngestRefused(str(refused), str(body.get("revision", "")))
            pages = tuple(str(page) for page in body["pages"])
            notes = tuple(str(note) for note in body["notes"])
            return ExtractedText(pages, bool(body["paged"]), notes, bool(body["whole"]))
        except OSError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            self._forget(key)
            return None

    def holds(self, key: str) -> bool:
        """True when a text is kept under `key`."""
        return (self._folder / f"{key}.json").is_file()

    def keep(self, key: str, text: ExtractedText) -> None:
        """Raises StorageFailed."""
        body = {"pages": list(text.pages), "paged": text.paged, "notes": list(text.notes), "whole": text.whole}
        self._write(key, body)

    def refuse(self, key: str, reason: str, revision: str) -> None:
        """Remembers that these bytes are refused. Raises StorageFailed."""
        self._write(key, {"refused": reason, "revision": revision})

    def clear(self, kept: Collection[str]) -> None:
        """Removes texts that are not in `kept` and were written long ago; what cannot be removed stays."""
        try:
            old = time.time() - KEPT_SECONDS
            for path in self._folder.glob("*.json"):
                if path.stem not in kept and path.stat().st_mtime < old:
                    path.unlink(missing_ok=True)
        except OSError:
            return  # it only costs room; a disk that fails is reported where texts are written

    def _forget(self, key: str) -> None:
        with contextlib.suppress(OSError):  # a folder that can't be written is reported where texts are written
            (self._folder / f"{key}.json").unlink(missing_ok=True)

    def _write(self, key: str, body: dict[str, Any]) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            with os.fdopen(descriptor, "wb") as out:
                out.write(sealed(body))
            os.replace(name, self._folder / f"{key}.json")
        except OSError as error:
            raise StorageFailed(f"{error.filename or self._folder}: {error.strerror}") from error

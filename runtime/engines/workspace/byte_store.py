"""Where the bytes of shared files are kept, by their content: a port, and the directory behind it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO, Protocol

from runtime.errors import StateUnavailable

_PIECE = 1 << 20


class Incoming:
    """Bytes on their way to `where`. `size` and `sha256` are of what was written so far."""

    def __init__(self, out: BinaryIO, where: Path) -> None:
        self._out = out
        self._where = where
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """In hexadecimal."""
        return self._digest.hexdigest()

    def write(self, piece: bytes) -> None:
        """Takes the next bytes. Raises StateUnavailable."""
        with writing(self._where):
            self._out.write(piece)
        self._digest.update(piece)
        self.size += len(piece)


class ByteStore(Protocol):
    """Contents by their SHA-256 in hexadecimal. All methods block; they raise StateUnavailable when the place cannot be
    written."""

    def incoming(self) -> contextlib.AbstractContextManager[Incoming]:
        """What is written is kept when the block ends, and dropped when it raises."""
        ...

    def holds(self, sha256: str) -> bool:
        """Whether the content is there."""
        ...

    def copy(self, sha256: str, target: Path) -> bool:
        """Writes the content to `target`, whole or not at all; False when it is missing or damaged."""
        ...

    def contents(self) -> frozenset[str]:
        """All that is kept."""
        ...

    def remove(self, sha256: str) -> None:
        """Drops a content."""
        ...


class DirectoryBytes:
    """A ByteStore in a folder: one file for each content, made by a rename."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def incoming(self) -> Generator[Incoming]:
        with writing(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, made = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
        out = os.fdopen(descriptor, "wb")
        try:
            incoming = Incoming(out, self._folder)
            yield incoming
            with writing(self._folder):
                out.flush()
                os.fsync(out.fileno())
                os.replace(made, self._folder / incoming.sha256)
        finally:
            with contextlib.suppress(OSError):  # all that is kept was flushed: what fails here is of no use any more
                out.close()
            Path(made).unlink(missing_ok=True)

    def holds(self, sha256: str) -> bool:
        return (self._folder / sha256).is_file()

    def copy(self, sha256: str, target: Path) -> bool:
        try:
            source = (self._folder / sha256).open("rb")
        except OSError:
            return False
        # Not beside the target: a folder of files that is listed meanwhile shows whole files only.
        with source, writing(target):
            descriptor, made = tempfile.mkstemp(dir=target.parent.parent, suffix=".part")
            try:
                with os.fdopen(descriptor, "wb") as out:
                    copied = Incoming(out, target)
                    while piece := source.read(_PIECE):
                        copied.write(piece)
                if copied.sha256 == sha256:
                    os.replace(made, target)
            finally:
                Path(made).unlink(missing_ok=True)
        return copied.sha256 == sha256

    def contents(self) -> frozenset[str]:
        if not self._folder.is_dir():
            return frozenset()
        return frozenset(path.name for path in self._folder.iterdir() if not path.suffix)

    def drop_unfinished(self) -> None:
        """Removes what a crash left half-written; for a start, before anything comes in. Raises StateUnavailable."""
        with writing(self._folder):
            for path in self._folder.glob("*.tmp"):
                path.unlink(missing_ok=True)

    def remove(self, sha256: str) -> None:
        with writing(self._folder):
            (self._folder / sha256).unlink(missing_ok=True)


def remove_folder(folder: Path) -> None:
    """Removes a folder with all in it. Raises StateUnavailable."""
    with writing(folder):
        if folder.is_dir():
            shutil.rmtree(folder)


@contextlib.contextmanager
def writing(where: Path) -> Generator[None]:
    """Turns a failing disk into StateUnavailable."""
    try:
        yield
    except OSError as error:
        raise StateUnavailable(f"The folder of shared files cannot be written: {where}: {error.strerror}") from error

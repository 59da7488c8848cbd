"""Opens one file below a root without following a link, waiting on a pipe or touching a device."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass

from runtime.ingest.outcome import IngestRefused, SourceChanged

NOT_A_FILE = "not an ordinary file (a pipe, socket or device)"
LINK_REFUSED = "a symbolic link; links are not followed"
NO_PERMISSION = "no permission to read it"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a change of a file would alter, read from the open file itself."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int

    @classmethod
    def of(cls, descriptor: int) -> Stamp:
        state = os.fstat(descriptor)
        return cls(state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)


def open_inside(root: str, path: str) -> int:
    """A read-only descriptor of the regular file `path` below `root`; the caller closes it. Every folder on the way is
    opened without following links, so nothing outside the root is reached even when names are swapped meanwhile.
    Raises IngestRefused with a reason, or SourceChanged when the file is gone."""
    parts = path.split("/")
    if not all(part not in ("", ".", "..") for part in parts):
        raise IngestRefused("its path leaves the workspace")
    folder = _open(root, os.O_RDONLY | os.O_DIRECTORY, None)
    try:
        for part in parts[:-1]:
            inner = _open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, folder)
            os.close(folder)
            folder = inner
        # O_NONBLOCK: a pipe without a writer must not hold the reader.
        descriptor = _open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, folder)
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IngestRefused(NOT_A_FILE)
    return descriptor


def _open(name: str, flags: int, folder: int | None) -> int:
    try:
        return os.open(name, flags | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise SourceChanged("it is gone") from error
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise IngestRefused(LINK_REFUSED) from error
        if error.errno in (errno.EACCES, errno.EPERM):
            raise IngestRefused(NO_PERMISSION) from error
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise IngestRefused(NOT_A_FILE) from error
        raise IngestRefused(f"cannot be opened ({error.strerror})") from error

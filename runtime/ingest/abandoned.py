"""Removes what processes left behind that were killed: temporary folders whose lock nobody holds any more."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Generator
from pathlib import Path

_OLD_SECONDS = 3_600
"""A temporary file carries no lock: one this old is nobody's."""


@contextlib.contextmanager
def locked(folder: Path) -> Generator[None]:
    """Holds a folder's lock, which the kernel drops when its holder dies. Waits for it. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def remove_abandoned(folder: Path) -> None:
    """Removes from `folder`, whose lock the caller holds, the folders without a holder and old files. What cannot be
    removed stays."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    if entry.stat(follow_symlinks=False).st_mtime < time.time() - _OLD_SECONDS:
                        os.unlink(entry.path)
                elif _free(entry.path):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _free(folder: str) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True

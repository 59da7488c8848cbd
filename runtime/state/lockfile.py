"""One process per SQLite state: an advisory lock on `<file>.lock` that the kernel drops when its holder dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from runtime.errors import StateLocked, StateUnavailable


class LockFile:
    """Held from construction to `release`. The file holds the holder's process id; a file left by a dead process
    carries no lock and is simply taken over. Raises StateLocked, or StateUnavailable when it cannot be written."""

    def __init__(self, state_file: Path) -> None:
        self.path = state_file.with_name(state_file.name + ".lock")
        try:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StateUnavailable(f"cannot write {self.path}: {error.strerror}") from error
        try:
            self._take()
        except BaseException:
            os.close(self._fd)
            raise

    def _take(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
            raise StateLocked(
                f"another process (pid {holder}) holds this state: {self.path}. "
                "Stop it first, or use PostgreSQL to run several."
            ) from error
        except OSError as error:
            raise StateUnavailable(f"cannot lock {self.path}: {error.strerror}") from error
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{os.getpid()}\n".encode("ascii"), 0)
        except OSError as error:
            raise StateUnavailable(f"cannot write {self.path}: {error.strerror}") from error

    def release(self) -> None:
        """Lets go. The file stays: removing it would let two processes lock two different files of one name."""
        os.close(self._fd)

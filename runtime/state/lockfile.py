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

    @staticmethod
    def holder(state_file: Path) -> int | None:
        """The process that holds the lock of this state now, None when nobody does."""
        path = state_file.with_name(state_file.name + ".lock")
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            said = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
            return int(said) if said.isdecimal() else None
        finally:
            os.close(fd)
        return None

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

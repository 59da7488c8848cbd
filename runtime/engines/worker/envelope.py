"""The operating system's limits around a worker: set by the child itself before any foreign code is loaded."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Asks the kernel to kill this process when its parent ends, and ends at once when that has happened already.
    Off Linux only the closed pipe does it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def set_limits(*, address_space: int, file_size: int, open_files: int) -> None:
    """Address space is what stops the bombs that DuckDB's own memory limit does not see (facts/SQL.md 1.2)."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_AS, address_space)
    _lower(resource.RLIMIT_FSIZE, file_size)
    _lower(resource.RLIMIT_NOFILE, open_files)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def resident_bytes() -> int:
    """What this process holds in memory now; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0

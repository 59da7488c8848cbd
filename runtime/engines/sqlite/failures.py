"""What can be wrong with a SQLite file, as errors that say what to do; nothing of its path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.engines.sqlite.session import VALUE_BYTES
from runtime.engines.worker import EngineFailure
from runtime.engines.worker.failures import as_call_error
from runtime.engines.worker.frames import FRAME_BYTES
from runtime.errors import CallError
from runtime.limits import MIB
from runtime.sqlguard import GuardPolicy

_UNAVAILABLE: Mapping[str, tuple[str, str]] = {
    "busy": ("is locked by a program that writes to it", "Try again in a moment."),
    "unreadable": (
        "cannot be opened",
        "An operator looks at the file's path and rights; a database in WAL mode also needs a folder that can be "
        "written, and one whose writer crashed has to be opened once by its own program.",
    ),
    "no_database": ("is no SQLite database, or is encrypted", "An operator has to name another file."),
    "answer_too_long": (
        f"has a schema that takes more than {FRAME_BYTES // MIB} MiB to tell",
        "An operator can name a file with fewer tables.",
    ),
    "damaged": ("is damaged", "An operator can look at it with PRAGMA integrity_check."),
}


def unavailable(source: str, kind: str) -> CallError | None:
    """The error for a file that cannot be read now; None when `kind` is about the query."""
    found = _UNAVAILABLE.get(kind)
    if found is None:
        return None
    what, hint = found
    return CallError("source_unavailable", f"The file of {source} {what}.", hint=hint, retryable=kind == "busy")


def changing(source: str) -> CallError:
    """After the second attempt met another structure."""
    return CallError(
        "source_unavailable",
        f"The schema of {source} keeps changing.",
        hint="Try again when its tables are no longer being altered.",
        retryable=True,
    )


def failed_read(
    source: str, failure: EngineFailure, seconds: float, policy: GuardPolicy, tables: Sequence[str]
) -> CallError:
    """The typed error of a read over `tables` that failed."""
    if failure.kind == "too_big":
        return CallError(
            "resource_limit",
            f"A value of the query is longer than {VALUE_BYTES // MIB} MiB.",
            hint="Leave that column out; length(column) tells how long its values are.",
        )
    if failure.kind == "answer_too_long":  # here the result is, not the schema
        return as_call_error(failure, seconds, policy, tables)
    return unavailable(source, failure.kind) or as_call_error(failure, seconds, policy, tables)

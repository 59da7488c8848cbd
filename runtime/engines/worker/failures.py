"""Engine failures as errors that teach: the code and what to try next; nothing of our own paths."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.engines.worker.frames import FRAME_BYTES
from runtime.engines.worker.protocol import EngineFailure, WorkerLost
from runtime.errors import CallError
from runtime.limits import MIB
from runtime.sqlguard import GuardPolicy, refuse_from_engine


def as_call_error(failure: EngineFailure, seconds: float, policy: GuardPolicy, tables: Sequence[str]) -> CallError:
    """The typed error for a failed job that read `tables` under `policy`."""
    if failure.kind == "refused":
        return CallError(**failure.details)
    if failure.kind == "timeout":
        return CallError(
            "timeout",
            f"The query ran longer than {seconds:g} s and was stopped.",
            hint="Filter or aggregate earlier, read fewer tables, or avoid joining every row with every row.",
        )
    if failure.kind == "memory":
        return CallError(
            "resource_limit",
            "The query needed more memory than it may use.",
            hint="Aggregate in SQL, select fewer columns, or build smaller lists and texts.",
        )
    if failure.kind == "answer_too_long":
        return CallError(
            "resource_limit",
            f"The result is longer than {FRAME_BYTES // MIB} MiB.",
            hint="Select fewer columns, or give them shorter names.",
        )
    if failure.kind == "permission":
        return CallError("sql_not_allowed", "The engine refused the query: it may only read open tables.")
    return refuse_from_engine(failure.message, policy, tables)


def lost(error: WorkerLost) -> CallError:
    """For a worker that died or had to be killed; the next query is served by a fresh one."""
    return CallError(
        "resource_limit",
        f"The query could not be finished: {error}.",
        hint="Write it more simply: filter or aggregate earlier, nest less.",
    )

"""Killable workers: an engine that may hang or run out of memory lives in child processes, never in this one."""

from runtime.engines.worker.pool import WorkerPool
from runtime.engines.worker.process import child_command
from runtime.engines.worker.protocol import Answer, EngineFailure, Opening, Work, WorkerLost, WorkerSettings

__all__ = [
    "Answer",
    "EngineFailure",
    "Opening",
    "Work",
    "WorkerLost",
    "WorkerPool",
    "WorkerSettings",
    "child_command",
]

"""The killable query worker: DuckDB lives in child processes with an address-space limit, never in this one."""

from runtime.engines.workspace.worker.jobs import Answer, Database, EngineFailure, Job, WorkerLost, WorkerSettings
from runtime.engines.workspace.worker.pool import WorkerPool

__all__ = ["Answer", "Database", "EngineFailure", "Job", "WorkerLost", "WorkerPool", "WorkerSettings"]

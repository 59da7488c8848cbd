"""The killable query worker: DuckDB lives in child processes with an address-space limit, never in this one."""

from runtime.engines.worker import child_command
from runtime.engines.workspace.worker.jobs import Database, Job

COMMAND = child_command(f"{__name__}.child")

__all__ = ["COMMAND", "Database", "Job"]

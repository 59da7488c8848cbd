"""Starts a workflow in the very commit that enqueues it, for a conversation that is known to be idle.

The engine's way (insert as enqueued, poll, claim, read back) takes three more transactions before the first line of a
turn runs. The row written here is exactly the one that a claim would have left: pending, in its queue and partition,
owned by this executor; so the queue serialises behind it and recovery puts it back in the same place. Only sound where
one process does all the claiming (SQLite). A test pins the private names that this relies on.
"""

from __future__ import annotations

import importlib
from contextvars import ContextVar
from typing import Any

from dbos import SetEnqueueOptions, SetWorkflowID

_at_once: ContextVar[bool] = ContextVar("at_once", default=False)


class DirectStart:
    """Installed over the engine's row builder for as long as the engine runs."""

    def __init__(self) -> None:
        self._core: Any = importlib.import_module("dbos._core")
        self._context: Any = importlib.import_module("dbos._context")
        self._dbos: Any = importlib.import_module("dbos._dbos")
        self._original = self._core._assemble_workflow_status

    def install(self) -> None:
        """Before the engine launches."""

        def assemble(*args: Any, **kwargs: Any) -> Any:
            status = self._original(*args, **kwargs)
            if _at_once.get():
                status["status"] = "PENDING"
            return status

        self._core._assemble_workflow_status = assemble

    def remove(self) -> None:
        """After the engine ended."""
        self._core._assemble_workflow_status = self._original

    async def start(self, workflow: Any, *, queue: str, workflow_id: str, partition: str, argument: str) -> bool:
        """Durable and running when it returns True; False, and nothing happened, when the id is known."""
        engine = self._dbos._get_dbos_instance()
        token = _at_once.set(True)
        try:
            with SetWorkflowID(workflow_id), SetEnqueueOptions(queue_partition_key=partition):
                context = self._context.DBOSContext.create_start_workflow_child(self._context.get_local_dbos_context())
                await engine._configure_asyncio_thread_pool()
                handle = await self._core.start_workflow_async(
                    engine, context, workflow, (argument,), {}, queue_name=queue, execute_workflow=True
                )
                return isinstance(handle, self._core.WorkflowHandleAsyncTask)
        finally:
            _at_once.reset(token)

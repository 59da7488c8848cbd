"""Where the Files tools make sense, and the source that each of their calls touches."""

from __future__ import annotations

from typing import Any

from runtime.capability import CallContext, Scope
from runtime.engines.workspace.query import SOURCE
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError


def has_workspace(scope: Scope) -> bool:
    """Offered only where a workspace is open to the run."""
    return SOURCE in scope.sources


def has_documents(scope: Scope) -> bool:
    """Offered only where texts of the workspace may be shown to the model."""
    return has_workspace(scope) and scope.model_rows(SOURCE) != "none"


def has_raw_files(scope: Scope) -> bool:
    """Offered only where files may be shown to the model as they stand, tables among them with all their rows."""
    return has_workspace(scope) and scope.model_rows(SOURCE) == "full"


def of_workspace(_: Any) -> str | None:
    """Every call reads the one workspace."""
    return SOURCE


def workspace(context: CallContext) -> Workspace:
    """The process's workspace. Raises CallError `no_workspace`."""
    if not context.services.has(Workspace):
        raise CallError("no_workspace", "No workspace is open here.")
    return context.services.get(Workspace)

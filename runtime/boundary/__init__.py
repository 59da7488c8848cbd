"""The call boundary: the one path from a model's call to data, as a list of stages of one signature (DESIGN 4)."""

from runtime.boundary.approval import Approvals, Approved, FrozenCall, NoApprovals, NotApproved
from runtime.boundary.batch import Boundary
from runtime.boundary.call import Call, CallResult, RunCatalog
from runtime.boundary.contract import Contract

__all__ = [
    "Approvals",
    "Approved",
    "Boundary",
    "Call",
    "CallResult",
    "Contract",
    "FrozenCall",
    "NoApprovals",
    "NotApproved",
    "RunCatalog",
]

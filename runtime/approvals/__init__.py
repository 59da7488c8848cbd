"""Approvals: a frozen call waits for people, at most one answer counts, and nothing outlives the run that asked."""

from runtime.approvals.desk import Desk, token_hash
from runtime.approvals.face import Face

__all__ = ["Desk", "Face", "token_hash"]

"""State: what Footnote remembers across restarts, on SQLite or PostgreSQL."""

from runtime.state.approvals import OPEN, Approval, Approvals, ApprovalState
from runtime.state.calls import Calls, JournalMismatch
from runtime.state.connector import is_sqlite, write_ahead
from runtime.state.deliveries import Deliveries, Delivery, DeliveryKind, DeliveryState, NewDelivery
from runtime.state.effects import Begun, CalledBefore, Effect, Effects, TargetTaken, Transaction
from runtime.state.inbox import Accepted, Duplicate, Inbox, InboxItem
from runtime.state.looking import Standing, look_at_state
from runtime.state.policies import ActivePolicy, Policies
from runtime.state.records import Audit, AuditRecord, Meta
from runtime.state.replicas import Replica, Replicas, Roll
from runtime.state.shared_files import SharedFile, SharedFiles
from runtime.state.sqlite_file import check_file
from runtime.state.steps import Steps
from runtime.state.store import State, migrate_state, open_state, parse_url, peek_state, serving_process, sqlite_path
from runtime.state.turns import Spent, Turn, TurnEnd, Turns, TurnStart

__all__ = [
    "OPEN",
    "Accepted",
    "ActivePolicy",
    "Approval",
    "ApprovalState",
    "Approvals",
    "Audit",
    "AuditRecord",
    "Begun",
    "CalledBefore",
    "Calls",
    "Deliveries",
    "Delivery",
    "DeliveryKind",
    "DeliveryState",
    "Duplicate",
    "Effect",
    "Effects",
    "Inbox",
    "InboxItem",
    "JournalMismatch",
    "Meta",
    "NewDelivery",
    "Policies",
    "Replica",
    "Replicas",
    "Roll",
    "SharedFile",
    "SharedFiles",
    "Spent",
    "Standing",
    "State",
    "Steps",
    "TargetTaken",
    "Transaction",
    "Turn",
    "TurnEnd",
    "TurnStart",
    "Turns",
    "check_file",
    "is_sqlite",
    "look_at_state",
    "migrate_state",
    "open_state",
    "parse_url",
    "peek_state",
    "serving_process",
    "sqlite_path",
    "write_ahead",
]

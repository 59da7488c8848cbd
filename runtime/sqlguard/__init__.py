"""The SQL guard: one read over admitted tables passes, regenerated from its checked tree; all else is refused."""

from runtime.sqlguard.engine_messages import clean_engine_message, refuse_from_engine
from runtime.sqlguard.guard import validate
from runtime.sqlguard.policy import EqualityFilter, GuardPolicy, ValidatedQuery, fold
from runtime.sqlguard.refusals import QueryRefused

__all__ = [
    "EqualityFilter",
    "GuardPolicy",
    "QueryRefused",
    "ValidatedQuery",
    "clean_engine_message",
    "fold",
    "refuse_from_engine",
    "validate",
]

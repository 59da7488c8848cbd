"""Evidence: the record that every call leaves, and the journal entry that keeps it with its call."""

from runtime.evidence.item import Column, Evidence, SourceRef, Truncation
from runtime.evidence.journal import CallJournal, JournalEntry
from runtime.evidence.values import Json, json_value, rows_digest

__all__ = [
    "CallJournal",
    "Column",
    "Evidence",
    "JournalEntry",
    "Json",
    "SourceRef",
    "Truncation",
    "json_value",
    "rows_digest",
]

"""Evidence: the record that every call leaves, and the journal entry that keeps it with its call."""

from runtime.evidence.item import Column, Evidence, InnerQuery, ProgramUsage, SourceRef, Truncation
from runtime.evidence.journal import CallJournal, JournalEntry
from runtime.evidence.values import Json, bounded_cells, json_value, rows_digest

__all__ = [
    "CallJournal",
    "Column",
    "Evidence",
    "InnerQuery",
    "JournalEntry",
    "Json",
    "ProgramUsage",
    "SourceRef",
    "Truncation",
    "bounded_cells",
    "json_value",
    "rows_digest",
]

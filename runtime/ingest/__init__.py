"""Ingest: files as people drop them in, read right into Parquet or refused with the reason, in a process of its own.

`runtime.ingest.reader` starts that process and is not imported here: the process itself imports this package, and half
of its start would be spent on what only the other side needs.
"""

from runtime.ingest.document_plain import decoded
from runtime.ingest.document_store import DocumentStore, ExtractedText
from runtime.ingest.opening import Stamp, open_inside
from runtime.ingest.outcome import (
    DOCUMENT_KINDS,
    INGEST_VERSION,
    RACY_NS,
    FileJob,
    IngestRefused,
    Kind,
    ReadDocument,
    ReadTable,
    ReadWorkbook,
    SourceChanged,
)
from runtime.ingest.sealed import sealed, unsealed
from runtime.ingest.store import ReadingStore

__all__ = [
    "DOCUMENT_KINDS",
    "INGEST_VERSION",
    "RACY_NS",
    "DocumentStore",
    "ExtractedText",
    "FileJob",
    "IngestRefused",
    "Kind",
    "ReadDocument",
    "ReadTable",
    "ReadWorkbook",
    "ReadingStore",
    "SourceChanged",
    "Stamp",
    "decoded",
    "open_inside",
    "sealed",
    "unsealed",
]

"""Finds what stands over the first row of a text too large to be rewritten, so that strict reading begins below it."""

from __future__ import annotations

import os

from runtime.ingest.bytescan import ByteScan
from runtime.ingest.dialect import HEAD_BYTES, Dialect, null_sign_of, strict_quote
from runtime.ingest.layout import find_layout
from runtime.ingest.loose_records import loose_records
from runtime.ingest.outcome import Irregular, Kind
from runtime.ingest.repair import begun, check_width, delimiter_of, lines_of
from runtime.ingest.wrapping import quoted_whole

_LINES = 1_000
_NO_ROW = "the first {:,} lines hold no row of a table"


def lead_dialect(descriptor: int, found: ByteScan, kind: Kind, columns: int) -> Dialect:
    """The dialect of an open UTF-8 text of more than a MiB, by its first lines; lines above the header, the header and
    a row of units are to be skipped and are told in the notes. Raises Irregular when no row stands below them or a
    quote is never closed, IngestRefused for more than `columns` columns."""
    quote = strict_quote(descriptor, found)
    head = os.pread(descriptor, HEAD_BYTES, 0).decode("utf-8-sig", "ignore")
    # The last line may be cut.
    lines = lines_of(head)[:-1][:_LINES]
    if quoted_whole(lines):
        raise Irregular("each line is quoted as a whole, which is read in smaller files only")
    notes: list[str] = []
    delimiter = delimiter_of(lines, quote, kind, notes)
    records = list(loose_records(lines, delimiter, quote))
    if not records:
        raise Irregular(_NO_ROW.format(len(lines)))
    layout = find_layout(records)
    check_width(layout, columns)
    names, _, rows = begun(records, layout, notes, "line")
    if not rows:
        raise Irregular(_NO_ROW.format(len(lines)))
    skip = rows[0].line - 1
    # A line that only tells the delimiter is a record by the strict rules, and so is one of blanks.
    blanks = sum(bool(line) != bool(line.strip()) for line in lines_of(head)[:skip])
    told = not lines[0] and not head.startswith(("\n", "\r"))
    skipped = skip if len(names) == 1 else len(records) - len(rows) + blanks + told
    null_sign = null_sign_of(descriptor, found.size, notes)
    return Dialect(delimiter, quote, False, names, tuple(notes), delimiter == ";", skip, skipped, null_sign)

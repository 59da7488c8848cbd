"""Reads a delimited text by looser rules than RFC 4180 and says everything it did; no row gets lost in silence."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.ingest.balances import WORD as BALANCE_WORD
from runtime.ingest.balances import balances_told, find_balances
from runtime.ingest.bytescan import ByteScan
from runtime.ingest.dialect import (
    DELIMITER_NAMES,
    DELIMITERS,
    EXPECTED,
    NULL_NOTE,
    NULL_SIGN,
    column_names,
    header_doubt,
    is_value,
    lone_column,
)
from runtime.ingest.header_rows import with_one_header, without_questions
from runtime.ingest.layout import ABOVE, Layout, find_layout, usual_width
from runtime.ingest.loose_records import Record, loose_records
from runtime.ingest.outcome import IngestRefused, Irregular, Kind
from runtime.ingest.remarks import begins_as_remark, filled, names_of, second_table, without_footer, without_pages
from runtime.ingest.summaries import WORD as SUMMARY_WORD
from runtime.ingest.totals import LABEL_COLUMNS, doubted, find_totals, label_of, told
from runtime.ingest.wording import Noun, counted, cut, few, where
from runtime.ingest.wrapping import is_padded, is_wrapped, unwrapped, without_comments, without_padding, without_rules

_HEAD = 1_000
_HEAD_BYTES = 1 << 16
_TAIL_BYTES = 1 << 12
_TAIL_LINES = 5
_END_MARK = "\x1a"
LINE_CHARS = 2_000_000
"""As DuckDB's own bound on a line."""
_SAYS_DELIMITER = re.compile(r'"?sep=([,;|\t])"?', re.IGNORECASE)
_FEW_GAPS = 5
_WHOLE, _CENTS = re.compile("-?[0-9]+"), re.compile("[0-9]{2}")
_TOTAL_WORD = re.compile(rb"total|summe|gesamt|\bsum\b|somme|suma|totaal", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Repair:
    """The rows of the table, each of the same width as `names`, and what was done to get them."""

    names: tuple[str, ...]
    rows: list[list[str]]
    delimiter: str
    notes: tuple[str, ...]


def needs_repair(descriptor: int, found: ByteScan, kind: Kind, *, whole: bool) -> bool:
    """Whether the text `descriptor` shows signs of what strict reading would take for rows: lines above the header and
    a row of units; if the `whole` of it may be looked at, also words for totals and the header again further down."""
    content = os.pread(descriptor, found.size if whole else _HEAD_BYTES, 0)
    first, _, rest = content.partition(b"\n" if found.plain.lf or found.plain.crlf else b"\r")
    first = first.strip()
    if whole and (_TOTAL_WORD.search(rest) or BALANCE_WORD.search(rest) or (first and first in rest)):
        return True
    head = lines_of(content[:_HEAD_BYTES].decode("utf-8-sig", "ignore"))[: ABOVE + 10]
    if _SAYS_DELIMITER.fullmatch(head[0].strip(" ")) or is_wrapped(content, head):
        return True
    quote = '"' if found.fields_quoted else ""
    delimiter = _delimiter(head, quote, EXPECTED[kind])
    if whole and first.endswith(delimiter.encode()):
        return True
    if not any(line.strip() for line in head) or b'{"ImportId' in content or b'{""ImportId' in content:
        return True
    if whole and delimiter.encode() in first and _parted(content):
        return True
    if is_padded(head, delimiter) or (quote and any(f"{delimiter} {quote}" in line for line in head)):
        return True
    records = list(loose_records(head, delimiter, quote))
    layout = find_layout(records)
    grouped = with_one_header(records, layout, [], "line")[0] is not records
    odd = layout.above or layout.units or grouped
    return bool(odd) or (whole and (_indented(content, quote) or _odd_end(content, delimiter, quote)))


def _parted(content: bytes) -> bool:
    """Whether a few blank lines stand between others: something else than rows may begin behind them."""
    text = content.strip()
    return 0 < text.count(b"\n\n") + text.count(b"\n\r\n") <= _FEW_GAPS


def _indented(content: bytes, quote: str) -> bool:
    """Whether labels are indented somewhere, as in a pivot table."""
    return b"\n  " in content or f"\n{quote}  ".encode() in content


def _odd_end(content: bytes, delimiter: str, quote: str) -> bool:
    """Whether the last lines may give figures about the others, or be remarks below the table."""
    end = content[-_TAIL_BYTES:]
    tail = lines_of(end.decode("utf-8", "ignore"))[-_TAIL_LINES:]
    records = list(loose_records(tail, delimiter, quote))
    last = [record for record in records if filled(record)][-1:]
    if len(last) < len(records) and not filled(records[-1]):
        return True
    cells = [cell.strip() for record in last for cell in record.cells]
    odd = len(cells) > 1 and any(cells) and (not all(cells[:LABEL_COLUMNS]) or (not any(cells[1:]) and " " in cells[0]))
    remark = bool(last) and begins_as_remark(last[0])
    return odd or remark or bool(label_of(cells) or SUMMARY_WORD.search(end))


def repaired(descriptor: int, found: ByteScan, kind: Kind, columns: int) -> Repair:
    """The table in an open UTF-8 text. Raises IngestRefused when its rows have no usual width, or there are more than
    `columns` columns."""
    text = os.pread(descriptor, found.size, 0).decode("utf-8-sig", "replace")
    notes: list[str] = []
    if nuls := text.count("\0"):
        notes.append(f"{counted(nuls, 'NUL byte')} removed (a zero byte, first in line {found.nul_line})")
    if text.rstrip("\r\n").endswith(_END_MARK):
        text = text.rstrip("\r\n").removesuffix(_END_MARK)
        notes.append("a mark at its end, as DOS put one (Ctrl-Z), removed")
    lines = unwrapped(lines_of(text.replace("\0", "")), notes)
    if long := next((number for number, line in enumerate(lines, 1) if len(line) > LINE_CHARS), 0):
        raise IngestRefused(f"line {long} is longer than 2 MB")
    quote = '"' if found.has_quotes else ""
    delimiter = delimiter_of(lines, quote, kind, notes)
    width = usual_width([record.cells for record in loose_records(lines[:_HEAD], delimiter, quote)] or [[""]])
    records = list(loose_records(lines, delimiter, quote, width))
    records = without_comments(without_rules(records, notes, "line"), width, notes)
    if is_padded(lines[:_HEAD], delimiter):
        records = without_padding(records, notes)
    if not any(map(filled, records)):
        raise IngestRefused("empty: there is no data in it")
    records = _without_null_signs(_without_empty_end(records, notes), notes)
    layout = find_layout(records[:_HEAD])
    check_width(layout, columns)
    return table_of(records, layout, delimiter, notes)


def _without_empty_end(records: list[Record], notes: list[str]) -> list[Record]:
    """The records without columns at their end that have neither a name nor a value, as spreadsheets save them."""
    width = usual_width([record.cells for record in records[:_HEAD]])
    used = max(map(filled, records))
    if used >= width:
        return records
    notes.append(f"{counted(width - used, 'column')} at the end without a name or a value left out")
    return [replace(record, cells=record.cells[:used]) for record in records]


def _without_null_signs(records: list[Record], notes: list[str]) -> list[Record]:
    if not any(NULL_SIGN in record.cells for record in records):
        return records
    notes.append(NULL_NOTE)
    return [replace(record, cells=["" if cell == NULL_SIGN else cell for cell in record.cells]) for record in records]


def check_width(layout: Layout, columns: int) -> None:
    """Raises IngestRefused for a table of more than `columns` columns."""
    if layout.width > columns:
        raise IngestRefused(f"{layout.width:,} columns; at most {columns:,} are read")


def delimiter_of(lines: list[str], quote: str, kind: Kind, notes: list[str]) -> str:
    """The delimiter that the first line tells or the first lines show. A line that tells it becomes blank in `lines`:
    blank lines are no records, and the others keep their numbers."""
    says = _SAYS_DELIMITER.fullmatch(lines[0].strip(" "))
    if says:
        lines[0] = ""
        notes.append(f"its first line tells spreadsheets the delimiter ({says[0]}): not a row of the table")
        if not any(says[1] in line for line in lines[:_HEAD]):
            notes[-1] += ", nor true, since no line holds that sign"
            says = None
    delimiter = says[1] if says else _delimiter(lines[:_HEAD], quote, EXPECTED[kind])
    if delimiter != EXPECTED[kind]:
        notes.append(f"delimiter: {DELIMITER_NAMES[delimiter]}")
    return delimiter


def table_of(records: list[Record], layout: Layout, delimiter: str, notes: list[str], noun: Noun = "line") -> Repair:
    """The table that stands in `records` as `layout` says: lines above, units, repeated headers, remarks below and
    totals taken out and told in the notes, which call a record a `noun`. Raises Irregular when most rows have another
    width."""
    padded = any(_is_padded(record, layout.width) for record in records[: layout.above])
    names, header, records = begun(records, layout, notes, noun)
    records = without_pages(_without_repeats(records, header, notes, noun), notes, noun)
    records = without_footer(records, layout.width, notes, noun)
    if padded:
        records = _without_blank(records, notes, noun)
    if other := second_table(records, layout.width):
        notes.append(
            f"{noun} {other.line} stands behind a blank line and looks like a header ({names_of(other)}): a second"
            " table may begin there, whose rows are kept under the names of the first"
        )
    names, rows = _even(records, names, delimiter, notes, noun)
    balances = find_balances(rows, comma_likely=delimiter == ";")
    notes += balances_told(balances, rows, [record.line for record in records], noun)
    records = [record for place, record in enumerate(records) if place not in balances.apart]
    rows = [row for place, row in enumerate(rows) if place not in balances.apart]
    totals = find_totals(rows, names, comma_likely=delimiter == ";")
    if totals:
        notes.append(told(totals, [records[total.place].line for total in totals], noun))
    apart = {total.place for total in totals}
    if rows and len(rows) - 1 not in apart:
        kept = [row for place, row in enumerate(rows) if place not in apart]
        notes += doubted(kept, names, records[-1].line, noun, comma_likely=delimiter == ";")
    stray = [record.line for record in records if record.stray]
    if stray:
        notes.append(f"a quote is opened and never closed in {where(stray, noun)}; taken as an ordinary character")
    return Repair(names, [row for place, row in enumerate(rows) if place not in apart], delimiter, tuple(notes))


def begun(
    records: list[Record], layout: Layout, notes: list[str], noun: Noun
) -> tuple[tuple[str, ...], Record | None, list[Record]]:
    """The columns' names, the header they come from, and the records below: what stands over the first row is taken
    out and told in the notes."""
    records, layout = with_one_header(records, layout, notes, noun)
    notes += _above(records[: layout.above], noun)
    records = records[layout.above :]
    width = layout.width
    if layout.header:
        if (named := len(records[0].cells)) < width:
            notes.append(
                f"the header names {named} columns where the rows have {width} values: its names are given from the"
                f" left and may stand over the wrong values{_cut_in_two(records[1:], width)}"
            )
        names, said_names = column_names(_padded(records[0].cells, width)[:width])
        header, records = records[0], without_questions(records[1:], names, notes, noun)
        below = [record.cells for record in records[:_HEAD] if record.cells != header.cells]
        notes += [*said_names, *([] if layout.certain else header_doubt([header.cells, *below]))]
    else:
        names, header = tuple(f"column_{place}" for place in range(1, width + 1)), None
        notes.append("no header row found: the first line is data, columns are named column_1, column_2, …")
    notes += lone_column([record.cells for record in records[:_HEAD]])
    if layout.units:
        pairs = [f"{name}: {cell.strip()}" for name, cell in zip(names, records[0].cells, strict=False) if cell.strip()]
        notes.append(f"units row ({noun} {records[0].line}) kept apart: {few(pairs)}")
        records = records[1:]
    return names, header, records


def _cut_in_two(records: Sequence[Record], width: int) -> str:
    """What is said where each row has two digits in one place behind a whole number: cents behind a decimal comma."""
    rows = [record.cells for record in records[:_HEAD] if len(record.cells) == width]
    for place in range(1, width):
        pairs = [(row[place - 1].strip(), row[place].strip()) for row in rows]
        if len(pairs) > 1 and all(_WHOLE.fullmatch(first) and _CENTS.fullmatch(second) for first, second in pairs):
            return f"; numbers with a decimal comma may be cut in two, e.g. {','.join(pairs[0])}"
    return ""


def lines_of(text: str) -> list[str]:
    """The lines of a text, whichever line ends it has."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _delimiter(lines: Sequence[str], quote: str, expected: str) -> str:
    """The delimiter that gives most lines the same number of cells; the expected one on a tie."""
    best, most = expected, (0.0, 0)
    for delimiter in (expected, *(each for each in DELIMITERS if each != expected)):
        rows = [record.cells for record in loose_records(lines, delimiter, quote)]
        if not rows:
            continue
        width = usual_width(rows)
        share = sum(len(row) == width or (len(row) == width + 1 and not row[-1]) for row in rows) / len(rows)
        # A header without the commas that all its rows have shows that these are decimal marks: no share is rounded.
        mark = (share, width) if width > 1 else (0.0, 1)
        if mark > most:
            best, most = delimiter, mark
    return best


def _above(records: Sequence[Record], noun: Noun) -> list[str]:
    if not records:
        return []
    texts = [" ".join(cell.strip() for cell in record.cells if cell.strip()) for record in records]
    what = f"{counted(len(records), noun)} above the header"
    return [f"{what} skipped, not rows of the table: {few([repr(cut(text)) for text in texts if text])}"]


def _is_padded(record: Record, width: int) -> bool:
    """Whether delimiters without values behind them make a record as wide as the table, as spreadsheets write it."""
    return len(record.cells) >= width > max(1, filled(record))


def _without_blank(records: list[Record], notes: list[str], noun: Noun) -> list[Record]:
    """The records without those that have no value at all: in a text whose lines are padded these are blank lines."""
    blank = [record.line for record in records if not filled(record)]
    if not blank:
        return records
    notes.append(f"blank {noun}s padded with delimiters skipped, not rows of the table: {where(blank, noun)}")
    return [record for record in records if filled(record)]


def _without_repeats(records: list[Record], header: Record | None, notes: list[str], noun: Noun) -> list[Record]:
    if header is None:
        return records
    again = [record.line for record in records if record.cells == header.cells]
    # A table may say its own name now and then; only whole header lines among other rows are dropped.
    if not again or 2 * len(again) > len(records) or len(header.cells) < 2:
        return records
    notes.append(header_again(again, noun))
    return [record for record in records if record.cells != header.cells]


def header_again(lines: Sequence[int], noun: Noun) -> str:
    """The note about header lines further down."""
    return f"the header stands again in {where(lines, noun)}: not counted as a row"


def _even(
    records: Sequence[Record], names: tuple[str, ...], delimiter: str, notes: list[str], noun: Noun
) -> tuple[tuple[str, ...], list[list[str]]]:
    """Names and rows of one width. Short rows are filled with nothing; what long ones have too many goes into a last
    column of free text, or else into columns of its own."""
    width = len(names)
    short = [record.line for record in records if len(record.cells) < width]
    long = [record for record in records if len(_cells(record, width)) > width]
    if len(records) > 2 and 2 * (len(short) + len(long)) > len(records):
        other = second_table(records, width)
        second = f"; a second table may begin in {noun} {other.line} ({names_of(other)})" if other else ""
        odd = len(short) + len(long)
        raise Irregular(f"ragged rows: {odd:,} of {len(records):,} rows have another number of values{second}")
    if short:
        notes.append(f"ragged rows: {where(short, noun)} short of values, filled with missing ones at the end")
    if not long:
        return names, [_padded(_cells(record, width), width) for record in records]
    lines = where([record.line for record in long], noun)
    last = [record.cells[width - 1].strip() for record in records if len(record.cells) == width]
    if any(last) and not all(is_value(cell) or not cell for cell in last):
        notes.append(f"ragged rows: {lines} with extra values, joined into the last column {names[-1]} (unquoted text)")
        return names, [_soaked(_cells(record, width), width, delimiter) for record in records]
    extra = max(len(record.cells) for record in long) - width
    notes.append(f"ragged rows: {lines} with extra values, put into {counted(extra, 'added column')} (extra_1, …)")
    names, _ = column_names([*names, *(f"extra_{place}" for place in range(1, extra + 1))])
    return names, [_padded(_cells(record, width), width + extra) for record in records]


def _cells(record: Record, width: int) -> list[str]:
    """The cells of a row, without the empty ones that delimiters after the last value make."""
    cells = record.cells
    while len(cells) > width and not cells[-1].strip():
        cells = cells[:-1]
    return cells


def _padded(cells: Sequence[str], width: int) -> list[str]:
    return [*cells, *[""] * (width - len(cells))]


def _soaked(cells: list[str], width: int, delimiter: str) -> list[str]:
    return [*cells[: width - 1], delimiter.join(cells[width - 1 :])] if len(cells) > width else _padded(cells, width)

"""Finds how a delimited text is written: delimiter, quoting, header row and column names, from its first records."""

from __future__ import annotations

import csv
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runtime.ingest.bytescan import ByteScan
from runtime.ingest.composed import composed
from runtime.ingest.lexical import MISSING, NOT_FINITE
from runtime.ingest.loose_records import LONGEST
from runtime.ingest.outcome import IngestRefused, Irregular, Kind

HEAD_BYTES = 1 << 20
_HEAD_RECORDS = 1_000
DELIMITERS = (",", ";", "\t", "|")
DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
EXPECTED = {"csv": ",", "tsv": "\t"}
_LIKE_A_NUMBER = re.compile(r"[-+(]?[$€£¥₹]?\s?[0-9][0-9.,'  ]*\s?[%$€£¥₹]?\)?([eE][-+]?[0-9]+)?")
_LIKE_A_DATE = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([ T][0-9:.]+(Z|[+-][0-9:]+)?)?")
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(_[A-Za-z0-9]+)+|[a-z]+([A-Z][a-z0-9]+)+")
_SIGNS = tuple(map(re.compile, ("[0-9]", "@", r"\s", "^[^a-z]", "^[^A-Z]")))
_BLANKS = "two or more blanks"
_OTHER_DELIMITERS = {_BLANKS: re.compile(r"\s{2,}")} | {
    f"the signs {sign!r}": re.compile(re.escape(sign)) for sign in ("~", "^", ":", "¦", "\x1f", "\x01", "||")
}
NULL_SIGN = r"\N"
NULL_NOTE = rf"{NULL_SIGN} is read as a missing value, as exports of databases write it"
_NULL_CELL = re.compile(rb"(?:^|[,;\t|])\\N(?:[,;\t|]|\r?$)", re.MULTILINE)
_QUOTES = re.compile(rb'.?"', re.DOTALL)  # with the character before
_VALUE_OPENS = (b'"', b',"', b';"', b'\t"', b'|"')
_WHOLE_BYTES = 8 << 20
_SEVERAL, _SHOWN, _SHOWN_CHARS = 4, 4, 40
_YEAR = re.compile(r"(1[89]|20|21)[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text is written. `quote` is empty when quote marks are ordinary characters; `names` are the columns;
    `comma_likely` says that commas may well be decimal marks. `skip` lines stand over the first row, the header among
    them, which are `skipped` records."""

    delimiter: str
    quote: str
    header: bool
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    comma_likely: bool = False
    skip: int = 0
    skipped: int = 0
    null_sign: str = ""


def find_dialect(descriptor: int, found: ByteScan, kind: Kind, columns: int) -> Dialect:
    """The dialect of an open UTF-8 text. Raises IngestRefused when no delimiter gives rows of one width (the line is
    named), when a quote is never closed, or when there are more than `columns` columns."""
    quote = strict_quote(descriptor, found)
    head = _head(descriptor, whole=found.size <= HEAD_BYTES)
    delimiter, rows = _choose(head, quote, EXPECTED[kind])
    notes = [] if delimiter == EXPECTED[kind] else [f"delimiter: {DELIMITER_NAMES[delimiter]}"]
    if len(rows[0]) > columns:
        raise IngestRefused(f"{len(rows[0]):,} columns; at most {columns:,} are read")
    header = has_header(rows)
    if header:
        names, said = column_names(rows[0])
        notes += [*said, *header_doubt(rows)]
    else:
        names = tuple(f"column_{place}" for place in range(1, len(rows[0]) + 1))
        notes.append("no header row found: the first line is data, columns are named column_1, column_2, …")
    notes += lone_column(rows)
    null_sign = null_sign_of(descriptor, found.size, notes)
    return Dialect(delimiter, quote, header, names, tuple(notes), comma_likely=delimiter == ";", null_sign=null_sign)


def null_sign_of(descriptor: int, size: int, notes: list[str]) -> str:
    """What exports of databases write for a missing value, if a cell of an open text, or of the first MiB of a large
    one, is that; empty otherwise."""
    content = os.pread(descriptor, size if size <= _WHOLE_BYTES else HEAD_BYTES, 0)
    # The pattern alone takes fifteen times as long, and hardly any text has the sign.
    if NULL_SIGN.encode() not in content or not _NULL_CELL.search(content):
        return ""
    notes.append(NULL_NOTE)
    return NULL_SIGN


def strict_quote(descriptor: int, found: ByteScan) -> str:
    """The quote mark by the strict rules, empty when quote marks stand only inside of values. Raises Irregular when one
    is never closed."""
    quote = '"' if found.fields_quoted or not found.has_quotes else ""
    if quote and found.quote_open:
        raise Irregular(_unclosed(descriptor))
    return quote


@dataclass(frozen=True, slots=True)
class _Head:
    text: str
    whole: bool


def _head(descriptor: int, *, whole: bool) -> _Head:
    return _Head(os.pread(descriptor, HEAD_BYTES, 0).decode("utf-8-sig", "ignore"), whole)


def _records(head: _Head, delimiter: str, quote: str) -> Iterator[tuple[int, list[str]]]:
    """(number of its last line, cells) of each record that is not empty."""
    lines = _one_end(head.text).split("\n")
    quoting = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    csv.field_size_limit(HEAD_BYTES)
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, quotechar=quote or None, quoting=quoting)
    held: tuple[int, list[str]] | None = None
    try:
        for cells in reader:
            if cells:
                if held:
                    yield held
                held = (reader.line_num, cells)
    except csv.Error as error:
        raise Irregular(f"line {reader.line_num}: {error}") from error
    # The last record of a head that is cut somewhere must not look like a short row.
    if held and (head.whole or held[0] < 2):
        yield held


def _one_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _choose(head: _Head, quote: str, expected: str) -> tuple[str, list[list[str]]]:
    """The delimiter that cuts the head into rows of one width: the one with most columns, the expected one on a tie
    with one that gives a single column. One column is what is left when no delimiter occurs at all."""
    first = next((cells for _, cells in _records(head, "\x1f", quote)), [""])[0]
    candidates = [delimiter for delimiter in DELIMITERS if delimiter in first] or [expected]
    even: dict[str, list[list[str]]] = {}
    for delimiter in candidates:
        rows = [cells for _, cells in itertools.islice(_records(head, delimiter, quote), _HEAD_RECORDS)]
        if rows and len({_width(row, rows[0]) for row in rows}) == 1:
            even[delimiter] = rows
    if not even:
        raise Irregular(_uneven(head, quote, expected if expected in candidates else candidates[0]))
    widest = max(len(rows[0]) for rows in even.values())
    best = [delimiter for delimiter, rows in even.items() if len(rows[0]) == widest]
    if widest > 1 and len(best) > 1:
        raise IngestRefused(
            f"the delimiter is not clear: {' and '.join(DELIMITER_NAMES[each] for each in best)} both fit"
        )
    return best[0], even[best[0]]


def _width(row: Sequence[str], first: Sequence[str]) -> int:
    # A delimiter after the last value is common and loses nothing.
    return len(row) - 1 if len(row) == len(first) + 1 and not row[-1] else len(row)


def _uneven(head: _Head, quote: str, delimiter: str) -> str:
    records = _records(head, delimiter, quote)
    _, first = next(records)
    line, row = next((line, row) for line, row in records if _width(row, first) != len(first))
    return (
        f"ragged rows: line {line} has {len(row)} values where the first row has {len(first)} "
        f"(delimiter: {DELIMITER_NAMES[delimiter]})"
    )


def _unclosed(descriptor: int) -> str:
    """Names the line on which a quote opens that isn't closed before another opens, or within the lines that a value
    may span."""
    opened = 0
    for number, opens in _with_odd_quotes(descriptor):
        if opened and (opens or number - opened >= LONGEST):
            break
        opened = 0 if opened else number
    return f"line {opened}: a quote is opened and never closed"


def _with_odd_quotes(descriptor: int) -> Iterator[tuple[int, bool]]:
    """The numbers of all lines of an open text that have an odd number of quotes, and whether the first of these stands
    where a value begins."""
    offset, number, line, last = 0, 1, b"", b""
    while chunk := os.pread(descriptor, HEAD_BYTES, offset):
        offset += len(chunk)
        # A line end of two bytes may be cut in half.
        for piece in chunk[last == b"\r" and chunk[:1] == b"\n" :].splitlines(keepends=True):
            line += b"".join(_QUOTES.findall(piece))
            if piece.endswith((b"\n", b"\r")):
                if line.count(b'"') % 2:
                    yield number, line.startswith(_VALUE_OPENS)
                number, line = number + 1, b""
        last = chunk[-1:]
    if line.count(b'"') % 2:
        yield number, line.startswith(_VALUE_OPENS)


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """The first row names the columns unless it looks like the rows below: a number or date over numbers or dates, or
    a word that comes again in its own column. Years and ranks among words are names (a column for each year)."""
    first = [cell.strip() for cell in rows[0]]
    below = [[row[place].strip() for row in rows[1:] if place < len(row)] for place in range(len(first))]
    values = [place for place, cell in enumerate(first) if is_value(cell)]
    if not any(first) or len(values) == len(first):
        return False
    if values and _arecolumn_names([first[place] for place in values], [below[place] for place in values]):
        return True
    if any(_all_values(below[place]) for place in values):
        return False
    if values == [1] and len(first) == 2 and len(rows) > 1:
        return False  # a form with a name and a value on each line
    # A column that holds its own name in every row (a mark of the end of a record) says nothing.
    again = [cell in below[place] for place, cell in enumerate(first) if cell and set(below[place]) != {cell}]
    return not any(again) or all(again)


def header_doubt(rows: Sequence[Sequence[str]]) -> list[str]:
    """A note when nothing sets the first of `rows` apart from the others: all are words alike."""
    columns = {place: name for place, cell in enumerate(rows[0]) if (name := cell.strip())}
    below = {place: _present(rows[1:], place) for place in columns}
    filled = [place for place in columns if below[place]]
    if not filled or any(_sets_apart(columns[place], below[place]) for place in filled):
        return []
    shown = ", ".join(_cut(columns[place]) for place in filled[:_SHOWN])
    return [f"the header ({shown}) may be a row: nothing sets it apart from the rows below"]


def lone_column(rows: Sequence[Sequence[str]]) -> list[str]:
    """A note about a table of one column whose lines another sign parts that is no delimiter here."""
    cells = [text for row in rows if row and (text := row[0].strip())]
    if len(cells) < 2 or any(len(row) > 1 for row in rows):
        return []
    for sign, form in _OTHER_DELIMITERS.items():
        parts = {len(form.split(cell)) for cell in cells}
        if min(parts) > 1 and (len(parts) == 1 or sign == _BLANKS):
            return [f"one column only: {sign} part each line, too, but are not read as delimiters"]
    return []


def _present(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    cells = [row[place].strip() for row in rows if place < len(row)]
    return [cell for cell in cells if cell and cell.lower() not in MISSING | NOT_FINITE]


def _cut(name: str) -> str:
    return name if len(name) <= _SHOWN_CHARS else name[: _SHOWN_CHARS - 1] + "…"


def _sets_apart(name: str, below: Sequence[str]) -> bool:
    """Whether a header's cell differs from what stands below it: values, labels that come again, other signs."""
    if _IDENTIFIER.fullmatch(name) or 10 * sum(map(is_value, below)) >= 9 * len(below):
        return True
    if len(below) >= _SEVERAL and 2 * len(set(below)) <= len(below):
        return True
    return any(all(map(sign.search, below)) and not sign.search(name) for sign in _SIGNS)


def _arecolumn_names(values: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Dates or years over figures that are none themselves, or ranks that count up by one from 0 or 1."""
    if len(set(values)) < len(values):
        return False
    if len(values) > 1 and all(map(_LIKE_A_DATE.fullmatch, values)):
        return not any(_LIKE_A_DATE.fullmatch(cell) for column in below for cell in column)
    if all(map(is_year, values)):
        return not all(is_year(cell) for column in below for cell in column if cell)
    ranks = [int(value) for value in values if value.isdecimal()]
    return len(values) >= 3 and ranks in (list(range(len(values))), list(range(1, len(values) + 1)))


def _all_values(column: Sequence[str]) -> bool:
    cells = [cell for cell in column if cell]
    return bool(cells) and all(is_value(cell) for cell in cells)


def is_value(cell: str) -> bool:
    """True for a trimmed cell that looks like a number, a date or a truth value rather than a name."""
    return bool(_LIKE_A_NUMBER.fullmatch(cell) or _LIKE_A_DATE.fullmatch(cell) or cell.lower() in ("true", "false"))


def is_date(cell: str) -> bool:
    """True for a trimmed cell that looks like a date in digits, with or without a time."""
    return bool(_LIKE_A_DATE.fullmatch(cell))


def is_year(cell: str) -> bool:
    """True for a trimmed cell that is a year of the last three centuries."""
    return bool(_YEAR.fullmatch(cell))


def column_names(cells: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Names for the columns under a header of `cells`, each its own, and what has to be said about them."""
    names: list[str] = []
    cells = [composed(cell) for cell in cells]
    taken = {cell.strip().casefold() for cell in cells}
    seen: set[str] = set()
    twice: dict[str, str] = {}
    unnamed: list[str] = []
    for place, cell in enumerate(cells, start=1):
        name = " ".join(cell.split())
        if not name:
            name = f"column_{place}"
            unnamed.append(name)
        if name.casefold() in seen:
            number = 2
            while f"{name}_{number}".casefold() in taken | seen:
                number += 1
            given = f"{name}_{number}"
            twice.setdefault(name, given)
            name = given
        seen.add(name.casefold())
        names.append(name)
    notes = [f"duplicate column name {name!r}: the later one is called {given}" for name, given in twice.items()]
    if unnamed:
        notes.append(f"columns without a name are called {', '.join(unnamed[:5])}" + (", …" if unnamed[5:] else ""))
    return tuple(names), notes

"""The text of a Word document: paragraphs in order, headings marked, tables as rows; bombs are refused unread."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from docx import Document
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from runtime.ingest.document_store import ExtractedText
from runtime.ingest.outcome import IngestRefused, ReadingLimits

_PARTS = 5_000
_HEAD_BYTES = 4_096
_HEADING = re.compile(r"heading (\d)$", re.I)
_XML = (".xml", ".rels")
_DOCTYPE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.I)
# What a package that breaks its own rules makes the libraries raise.
_BROKEN = (
    OpcError,
    SyntaxError,  # of its XML
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    RuntimeError,
    TypeError,
    ValueError,
)


def docx_text(descriptor: int, limits: ReadingLimits) -> ExtractedText:
    """The document's body as one text. Raises IngestRefused with the reason."""
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        try:
            _check(stream, limits)
            stream.seek(0)
            lines = list(_lines(stream))
        except _BROKEN as error:
            raise IngestRefused("a Word document that is damaged") from error
    text = "\n".join(lines)
    most = limits.document_text_bytes
    if len(text) > most:
        return ExtractedText((text[:most],), notes=(f"only the first {most:,} characters are read",), whole=False)
    notes = () if text.strip() else ("no text in it; pictures are not read",)
    return ExtractedText((text + "\n",), notes=notes)


def _check(stream: IO[bytes], limits: ReadingLimits) -> None:
    """Refuses packages that unpack to too much, and XML that declares entities: Word writes none."""
    with zipfile.ZipFile(stream) as package:
        parts = package.infolist()
        if len(parts) > _PARTS:
            raise IngestRefused(f"a Word document of {len(parts):,} parts; at most {_PARTS:,} are read")
        # A part never unpacks to more than it declares: reading it ends there with an error.
        size = sum(part.file_size for part in parts)
        if size > limits.document_file_bytes:
            mib = limits.document_file_bytes >> 20
            raise IngestRefused(f"it unpacks to {size:,} bytes; at most {mib:,} MiB are read")
        if any(part.flag_bits & 1 for part in parts):
            raise IngestRefused("a Word document that is protected by a password")
        for part in parts:
            if part.filename.casefold().endswith(_XML):
                with package.open(part) as body:
                    if _DOCTYPE.search(body.read(_HEAD_BYTES).replace(b"\0", b"")):
                        raise IngestRefused("its XML declares entities, which no Word document needs")


def _lines(stream: IO[bytes]) -> Iterator[str]:
    for block in Document(stream).iter_inner_content():
        if isinstance(block, Paragraph):
            yield _paragraph(block)
        else:
            yield from _rows(block)


def _paragraph(paragraph: Paragraph) -> str:
    style = paragraph.style
    name = (style.name if style is not None else None) or ""
    found = _HEADING.match(name)
    mark = "#" * int(found[1]) + " " if found else "# " if name == "Title" else "- " if name.startswith("List") else ""
    return mark + paragraph.text if paragraph.text.strip() else ""


def _rows(table: Table) -> Iterator[str]:
    """Each row on one line with bars between its cells; a table inside a cell gives its words there."""
    yield ""
    # The public way looks up every cell by its place, in a time that grows with the square of the table.
    for row in table._tbl.tr_lst:  # pyright: ignore[reportPrivateUsage]
        yield " | ".join(" ".join(_cell_words(cell)) for cell in row.tc_lst)
    yield ""


def _cell_words(cell: object) -> Iterator[str]:
    for paragraph in cell.iter(qn("w:p")):  # type: ignore[attr-defined]
        words = " ".join(str(paragraph.text).split())  # type: ignore[reportUnknownMemberType]
        if words:
            yield words

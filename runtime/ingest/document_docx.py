"""The text of a Word document: paragraphs in order, headings marked, tables as rows; bombs are refused unread."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from runtime.ingest.document_store import ExtractedText
from runtime.ingest.outcome import IngestRefused, ReadingLimits
from runtime.ingest.word_runs import words_of

_PARTS = 5_000
_SPAN = 200  # columns of a table: more than Word makes
_NOT_READ = {"text boxes": "w:txbxContent", "footnotes": "w:footnoteReference", "endnotes": "w:endnoteReference"}
_MARGINS = ("/header", "/footer")
_SHOWN, _SHOWN_CHARS = 4, 80
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
            document = Document(stream)
            body: Any = document.element.body  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            lines = list(_lines(body, document))
            notes = (*_not_read(body), *_around(document))
        except _BROKEN as error:
            raise IngestRefused("a Word document that is damaged") from error
    text = "\n".join(lines)
    most = limits.document_text_bytes
    if len(text) > most:
        return ExtractedText(
            (text[:most],),
            notes=(
                *notes,
                f"only the first {most:,} characters are read",
            ),
            whole=False,
        )
    if not text.strip():
        notes += ("no text in it; pictures are not read",)
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


def _lines(parent: Any, document: WordDocument) -> Iterator[str]:
    for block in parent:
        if block.tag == qn("w:p"):
            yield _paragraph(Paragraph(block, document))
        elif block.tag == qn("w:tbl"):
            yield from _rows(Table(block, document))
        elif block.tag == qn("w:sdt"):  # a form's field or a table of contents around whole blocks
            yield from _lines(block.find(qn("w:sdtContent")), document)


def _not_read(body: Any) -> tuple[str, ...]:
    counted = {what: sum(1 for _ in body.iter(qn(tag))) for what, tag in _NOT_READ.items()}
    return tuple(f"{what} are not read ({count:,})" for what, count in counted.items() if count)


def _around(document: WordDocument) -> tuple[str, ...]:
    """A note with the words in the headers and footers of its pages, which are not part of the text."""
    related: Any = document.part.rels.values()
    parts = [each.target_part for each in related if each.reltype.endswith(_MARGINS) and not each.is_external]
    texts = [
        " ".join(words for each in part.element.iter(qn("w:p")) if (words := words_of(each).strip())) for part in parts
    ]
    shown = [repr(text[:_SHOWN_CHARS]) for text in dict.fromkeys(texts) if text]
    return (f"headers and footers of its pages are not read: {'; '.join(shown[:_SHOWN])}",) if shown else ()


def _paragraph(paragraph: Paragraph) -> str:
    style = paragraph.style
    name = (style.name if style is not None else None) or ""
    found = _HEADING.match(name)
    mark = "#" * int(found[1]) + " " if found else "# " if name == "Title" else "- " if name.startswith("List") else ""
    text = words_of(paragraph._p)  # pyright: ignore[reportPrivateUsage]
    return mark + text if text.strip() else ""


def _rows(table: Table) -> Iterator[str]:
    """Each row on one line with bars between its cells, each under its column; a cell merged over several rows stands
    in all of them, a table inside a cell gives its words there."""
    yield ""
    above: dict[int, str] = {}
    # The public way looks up every cell by its place, in a time that grows with the square of the table.
    for row in table._tbl.tr_lst:  # pyright: ignore[reportPrivateUsage]
        place = min(row.grid_before, _SPAN)
        cells = [""] * place
        for cell in row.tc_lst:
            if cell.vMerge != "continue":
                above[place] = " ".join(_cell_words(cell))
            wide = max(1, min(cell.grid_span, _SPAN))
            cells += [above.get(place, ""), *[""] * (wide - 1)]
            place += wide
        yield " | ".join(cells)
    yield ""


def _cell_words(cell: Any) -> Iterator[str]:
    for paragraph in cell.iter(qn("w:p")):
        if words := " ".join(words_of(paragraph).split()):
            yield words

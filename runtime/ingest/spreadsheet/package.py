"""Opens the package of an XLSX file safely: bounded in size, proved whole, its XML without declarations."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import BinaryIO
from xml.parsers import expat

from runtime.ingest.outcome import IngestRefused, ReadingLimits

Attributes = Mapping[str, str]
_CHUNK = 1 << 18
_PARTS = 20_000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Package:
    """The parts of a package by name. Raises IngestRefused, wherever a part is damaged or out of bounds."""

    def __init__(self, file: BinaryIO, limits: ReadingLimits) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise IngestRefused("damaged or cut off: its package cannot be opened") from error
        parts = self._zip.infolist()
        self.names = [part.filename for part in parts]
        if len(parts) > _PARTS or len(set(self.names)) < len(parts):
            raise IngestRefused("its package holds too many parts, or one of them twice")
        if any(part.flag_bits & 1 for part in parts):
            raise IngestRefused("it is protected by a password")
        text = [part for part in parts if part.filename.endswith((".xml", ".rels", ".bin"))]
        size = sum(part.file_size for part in text)
        if size > limits.workbook_bytes:
            bound = limits.workbook_bytes >> 20
            raise IngestRefused(f"unpacked it is {size >> 20:,} MiB; workbooks are read up to {bound:,} MiB")
        if any(part.compress_type not in _METHODS for part in text):
            raise IngestRefused("its package is packed in a way that spreadsheets don't use")

    def parse(
        self,
        name: str,
        start: Callable[[str, Attributes], None] | None = None,
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        """Streams the XML part `name` through handlers; names come as written, with their prefix. What is read is the
        declared size exactly, and its checksum is right."""
        parser = xml_parser(start, end, text)
        try:
            with self._zip.open(name) as part:
                while chunk := part.read(_CHUNK):
                    parser.Parse(chunk)
            parser.Parse(b"", True)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise IngestRefused(f"damaged or cut off: {name} cannot be unpacked") from error
        except KeyError as error:
            raise IngestRefused(f"damaged: {name} is missing") from error
        except expat.ExpatError as error:
            raise IngestRefused(f"damaged: {name} is not valid XML (line {error.lineno})") from error
        except ValueError as error:
            raise IngestRefused(f"damaged: {name} holds something else where a number belongs") from error

    def prove(self, name: str) -> None:
        """Reads a part to its end, for nothing but the checks."""
        if name.endswith(".bin"):
            try:
                with self._zip.open(name) as part:
                    while part.read(_CHUNK):
                        pass
            except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
                raise IngestRefused(f"damaged or cut off: {name} cannot be unpacked") from error
        else:
            self.parse(name)


def xml_parser(
    start: Callable[[str, Attributes], None] | None = None,
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> expat.XMLParserType:
    """A parser that gives what it meets to the handlers, and refuses declarations: without them there are no entities,
    and nothing can grow or reach outside."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    if start:
        parser.StartElementHandler = start
    if end:
        parser.EndElementHandler = end
    if text:
        parser.CharacterDataHandler = text
    return parser


def _refuse(*_: object) -> None:
    raise IngestRefused("its XML declares entities or types of its own, which spreadsheets don't need")


def local(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(":")[2]


def attribute(attributes: Attributes, name: str) -> str:
    """The attribute of this local name, whatever its prefix, else nothing."""
    return attributes.get(name) or next((value for key, value in attributes.items() if local(key) == name), "")

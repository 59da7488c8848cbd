"""What a workbook says about itself in its XML: sheets and where they are kept, number formats, recalculation."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field

from runtime.ingest.spreadsheet.cells import Format
from runtime.ingest.spreadsheet.formats import formats_of
from runtime.ingest.spreadsheet.package import Attributes, Package, attribute, local

_WORKBOOK = "xl/workbook.xml"


@dataclass(slots=True)
class BookParts:
    """The part of each sheet by the sheet's name, formats by style index as `formats_of` gives them, the styles whose
    text is struck out, whether dates count from 1904, whether the workbook asks to be calculated anew when it is
    opened, and whether it holds macros."""

    sheets: dict[str, str] = field(default_factory=dict[str, str])
    formats: dict[str, Format] = field(default_factory=dict[str, Format])
    struck: frozenset[str] = frozenset()
    from_1904: bool = False
    recalculate: bool = False
    macros: bool = False


def book_parts(package: Package) -> BookParts:
    """Reads them. Raises IngestRefused for a damaged package."""
    found = BookParts(macros=any(name.endswith("vbaProject.bin") for name in package.names))
    ids: dict[str, str] = {}

    def workbook(name: str, attributes: Attributes) -> None:
        match local(name):
            case "sheet":
                ids[attribute(attributes, "name")] = attribute(attributes, "id")
            case "workbookPr":
                found.from_1904 = attributes.get("date1904") in ("1", "true")
            case "calcPr":
                found.recalculate = attributes.get("fullCalcOnLoad") in ("1", "true")
            case _:
                pass

    package.parse(_WORKBOOK, workbook)
    targets = _targets(package)
    found.sheets = {name: targets[number] for name, number in ids.items() if number in targets}
    if "xl/styles.xml" in package.names:
        found.formats, found.struck = _styles(package)
    if "xl/sharedStrings.xml" in package.names:
        package.prove("xl/sharedStrings.xml")
    return found


def _targets(package: Package) -> dict[str, str]:
    targets: dict[str, str] = {}

    def relation(name: str, attributes: Attributes) -> None:
        if local(name) == "Relationship" and attributes.get("TargetMode") != "External":
            path = attributes.get("Target", "")
            whole = path.lstrip("/") if path.startswith("/") else posixpath.normpath(posixpath.join("xl", path))
            targets[attributes.get("Id", "")] = whole

    package.parse("xl/_rels/workbook.xml.rels", relation)
    return targets


def _styles(package: Package) -> tuple[dict[str, Format], frozenset[str]]:
    """The formats that add something and the styles that strike out, by the style index as cells write it."""
    codes: dict[int, str] = {}
    styles: list[int] = []
    fonts: list[bool] = []
    struck: set[str] = set()
    inside: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        inside.append(local(name))
        if inside[-1] == "numFmt":
            codes[_int(attributes.get("numFmtId"))] = attributes.get("formatCode", "")
        elif inside[-2:] == ["fonts", "font"]:
            fonts.append(False)
        elif inside[-3:] == ["fonts", "font", "strike"]:
            fonts[-1] = attributes.get("val", "1") not in ("0", "false")
        elif inside[-2:] == ["cellXfs", "xf"]:
            font = _int(attributes.get("fontId"))
            if font < len(fonts) and fonts[font]:
                struck.add(str(len(styles)))
            styles.append(_int(attributes.get("numFmtId")))

    def end(_: str) -> None:
        inside.pop()

    package.parse("xl/styles.xml", start, end)
    return formats_of(codes, styles), frozenset(struck)


def _int(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0

"""Hostile, damaged and locked workbooks end in a reason, within the bounds."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from runtime.ingest import IngestRefused
from runtime.ingest.outcome import ReadingLimits
from tests.unit.ingest.spreadsheets.conftest import repacked, saved, written

Read = Callable[..., Any]
PLAIN = saved(["item", "net"], ["a", 1], ["b", 2])
SHEET = "xl/worksheets/sheet1.xml"


def in_part(name: str, old: bytes, new: bytes) -> bytes:
    def change(part: str, body: bytes) -> bytes:
        assert part != name or old in body
        return body.replace(old, new, 1) if part == name else body

    return repacked(PLAIN, change)


def refusal(read_book: Read, content: bytes, limits: ReadingLimits | None = None) -> str:
    with pytest.raises(IngestRefused) as caught:
        read_book(content, limits) if limits else read_book(content)
    return caught.value.reason


def test_a_bomb_is_known_by_its_declared_size(read_book: Read, limits: ReadingLimits) -> None:
    bomb = in_part("xl/styles.xml", b"<styleSheet", b"<!--" + b" " * (3 << 20) + b"--><styleSheet")
    assert len(bomb) < 20_000
    small = replace(limits, workbook_bytes=1 << 20)
    assert refusal(read_book, bomb, small) == "unpacked it is 3 MiB; workbooks are read up to 1 MiB"


def test_a_part_that_lies_about_its_size_is_damage(read_book: Read) -> None:
    lie = bytearray(in_part(SHEET, b"<sheetData>", b"<sheetData>" + b"<!-- more and more -->" * 5_000))
    size = next(p.file_size for p in zipfile.ZipFile(io.BytesIO(bytes(lie))).infolist() if p.filename == SHEET)
    whole, told = size.to_bytes(4, "little"), (2_000).to_bytes(4, "little")
    assert bytes(lie).count(whole) == 2
    assert refusal(read_book, bytes(lie).replace(whole, told)).startswith(("damaged", "damaged or cut off"))


@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "xl/styles.xml", "xl/sharedStrings.xml"])
def test_entities_are_refused_in_every_part_that_is_read(read_book: Read, part: str) -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'

    def change(name: str, body: bytes) -> bytes:
        if name != part:
            return body
        begin = body.index(b"?>") + 2 if body.startswith(b"<?xml") else 0
        return body[:begin] + bomb + body[begin:]

    def fill(book: Any) -> None:
        book.add_worksheet().write_row(0, 0, ["item", "net"])

    assert "declares entities" in refusal(read_book, repacked(written(fill), change))


def test_an_external_entity_reaches_nothing(read_book: Read) -> None:
    outside = b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><worksheet'
    assert "declares entities" in refusal(read_book, in_part(SHEET, b"<worksheet", outside))


def test_cells_far_apart_make_no_huge_area(read_book: Read) -> None:
    far = in_part(SHEET, b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')
    assert refusal(read_book, far) == (
        "a sheet spreads over 1,048,576 rows and 16,384 columns; at most 6,000,000 cells are read"
    )


def test_formats_far_below_the_table_cost_nothing(read_book: Read) -> None:
    far = in_part(SHEET, b"</sheetData>", b'<row r="1048576"><c r="XFD1048576" s="0"/></row></sheetData>')
    (table,) = read_book(far)
    assert table.rows == [("a", 1), ("b", 2)]


def test_more_columns_than_are_read(read_book: Read, limits: ReadingLimits) -> None:
    book = saved([f"c{place}" for place in range(40)], list(range(40)))
    assert refusal(read_book, book, replace(limits, columns=30)) == "40 columns; at most 30 are read"


@pytest.mark.parametrize("left", [10, 100, 0.5, 0.9, 0.999])
def test_a_file_cut_off_anywhere_says_so(read_book: Read, left: float) -> None:
    size = int(left if left > 1 else len(PLAIN) * left)
    assert refusal(read_book, PLAIN[:size]).startswith("damaged or cut off")


def test_a_flipped_bit_is_found_by_the_checksum(read_book: Read) -> None:
    book = bytearray(repacked(PLAIN, lambda _, body: body))
    with zipfile.ZipFile(io.BytesIO(bytes(book))) as package:
        info = package.getinfo(SHEET)
    book[info.header_offset + 30 + len(SHEET) + info.compress_size // 2] ^= 0x10
    assert refusal(read_book, bytes(book)).startswith("damaged")


def test_xml_that_never_ends(read_book: Read) -> None:
    assert "is not valid XML" in refusal(read_book, in_part(SHEET, b"</worksheet>", b""))


def test_a_missing_part_is_named(read_book: Read) -> None:
    book = repacked(PLAIN, lambda name, body: None if name == SHEET else body)
    assert refusal(read_book, book) == f"damaged: {SHEET} is missing"


def test_one_part_twice_is_refused(read_book: Read) -> None:
    out = io.BytesIO(PLAIN)
    with zipfile.ZipFile(out, "a") as package, pytest.warns(UserWarning, match="Duplicate name"):
        package.writestr(SHEET, b"<worksheet/>")
    assert "one of them twice" in refusal(read_book, out.getvalue())


def test_a_password_is_named(read_book: Read) -> None:
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 1_016 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 512
    assert refusal(read_book, locked) == "it is protected by a password"


def test_another_kind_of_file_under_a_spreadsheet_name(read_book: Read) -> None:
    assert refusal(read_book, b"<html><table><tr><td>1</td></tr></table></html>").startswith("a web page without")
    assert refusal(read_book, b"\x89PNG\x0d\x0a\x1a\x00") == "not a spreadsheet: it begins like another kind of file"
    assert refusal(read_book, b"\xd0\xcf\x11\xe0" + b"\1" * 2_000).startswith("damaged")
    assert refusal(read_book, b"") == "empty: the file has no bytes"


def test_macros_are_said_and_never_run(read_book: Read) -> None:
    out = io.BytesIO(PLAIN)
    with zipfile.ZipFile(out, "a") as package:
        package.writestr("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0 not looked at")
    (table,) = read_book(out.getvalue())
    assert "macros in the file are never run" in table.notes
    assert table.rows == [("a", 1), ("b", 2)]


def test_cells_and_rows_without_addresses_stand_one_after_another(read_book: Read) -> None:
    def change(name: str, body: bytes) -> bytes:
        if name != SHEET:
            return body
        for old in (
            b' r="1"',
            b' r="2"',
            b' r="3"',
            b' r="A1"',
            b' r="B1"',
            b' r="A2"',
            b' r="B2"',
            b' r="A3"',
            b' r="B3"',
        ):
            body = body.replace(old, b"")
        return body

    (table,) = read_book(repacked(PLAIN, change))
    assert table.rows == [("a", 1), ("b", 2)]


def test_names_with_a_prefix_are_read_alike(read_book: Read) -> None:
    """Some writers put a prefix before every name of the sheet's XML."""

    def change(name: str, body: bytes) -> bytes:
        if name != SHEET:
            return body
        for word in (b"worksheet", b"sheetData", b"row", b"c", b"v", b"f", b"is", b"t"):
            body = body.replace(b"<" + word + b" ", b"<x:" + word + b" ").replace(
                b"<" + word + b">", b"<x:" + word + b">"
            )
            body = body.replace(b"</" + word + b">", b"</x:" + word + b">")
        return (
            body.replace(b"xmlns=", b"xmlns:x=")
            .replace(b"<sheetPr>", b"<!--")
            .replace(b"<x:sheetData>", b"--><x:sheetData>")
            .replace(b"<pageMargins", b"<x:pageMargins")
        )

    book = saved(["item", "rate"], ["a", "=1/0"], ["b", 2], adapt=lambda _, sheet: None)
    (table,) = read_book(repacked(book, change))
    assert table.column("rate") == [None, 2]
    assert "1 formula has no stored result" in table.notes


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'<row r="3"', b'<row r="x"', "holds something else where a number belongs"),
        (b'<row r="3"', b'<row r="1"', "the rows of a sheet are not in order"),
        (b'r="A3"', b'r="A900000"', "says that it stands in another row"),
        (b'r="A1"', b'r="ZZZZZZ1"', "at most 6,000,000 cells are read"),
        (b"<v>1</v>", b"<v>abc</v>", "a part of it cannot be read"),
        (b"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="?"/></mergeCells>', "a part of it cannot be read"),
        (b"<sheetData>", b'<cols><col min="x" max="3" hidden="1"/></cols><sheetData>', "where a number belongs"),
    ],
)
def test_sheets_that_no_program_writes(read_book: Read, old: bytes, new: bytes, reason: str) -> None:
    assert reason in refusal(read_book, in_part(SHEET, old, new))


def test_a_merged_cell_over_everything_hides_nothing(read_book: Read) -> None:
    everything = b'</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    (table,) = read_book(in_part(SHEET, b"</sheetData>", everything))
    assert table.rows == [("a", 1), ("b", 2)]


def test_two_sheets_of_one_name_are_damage(read_book: Read) -> None:
    again = b'<sheet xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" name="Sheet" '
    book = in_part("xl/workbook.xml", b"</sheets>", again + b'sheetId="2" r:id="rId1"/></sheets>')
    assert refusal(read_book, book) == "damaged: two of its sheets have one name"


def test_elements_nested_deeply_are_passed_over(read_book: Read) -> None:
    (table,) = read_book(in_part(SHEET, b"<sheetData>", b"<x>" * 100_000 + b"</x>" * 100_000 + b"<sheetData>"))
    assert table.rows == [("a", 1), ("b", 2)]


def test_values_that_are_no_numbers_are_missing(read_book: Read) -> None:
    (table,) = read_book(in_part(SHEET, b"<v>1</v>", b"<v>NaN</v>"))
    assert table.column("net") == [None, 2]
    assert "net: 1 not a number or not finite ('nan'): read as missing" in table.notes


def open_document(*rows: str) -> bytes:
    """An ODS file of one sheet with these rows."""
    spaces = " ".join(f'xmlns:{each}="urn:oasis:names:tc:opendocument:xmlns:{each}:1.0"' for each in _SPACES)
    table = f'<table:table table:name="S">{"".join(rows)}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("META-INF/manifest.xml", f"<manifest:manifest {spaces}/>")
        package.writestr("content.xml", f"<office:document-content {spaces}>{body}</office:document-content>")
    return out.getvalue()


def ods_row(*texts: str, times: int = 1, columns: int = 1, empty: int = 0) -> str:
    """A row, given `times`, of `empty` cells and of these texts, each in so many columns."""
    cell = '<table:table-cell office:value-type="string" table:number-columns-repeated="{}"><text:p>{}</text:p>'
    cells = "".join(f"{cell.format(columns, text)}</table:table-cell>" for text in texts)
    before = f'<table:table-cell table:number-columns-repeated="{empty}"/>' if empty else ""
    return f'<table:table-row table:number-rows-repeated="{times}">{before}{cells}</table:table-row>'


_SPACES = ("office", "table", "text", "manifest")


def test_empty_rows_to_the_end_of_an_open_document_cost_nothing(read_book: Read) -> None:
    rest = ods_row(times=1_048_570, empty=16_384)
    (table,) = read_book(open_document(ods_row("k", "v"), ods_row("a", "1"), ods_row("b", "2"), rest))
    assert table.rows == [("a", 1), ("b", 2)]


@pytest.mark.parametrize(
    ("rows", "spans"),
    [
        ([ods_row("k", columns=16_384, times=1_048_576)], "17,179,869,184"),
        ([ods_row("k", columns=16_384, times=10**12)], "16,384,000,000,000,000"),
        ([ods_row("k", "v"), ods_row(times=10**6, empty=9), ods_row("x", empty=16_000)], "16,001,032,002"),
    ],
)
def test_an_open_document_of_few_bytes_and_endless_cells(read_book: Read, rows: list[str], spans: str) -> None:
    assert refusal(read_book, open_document(*rows)) == f"the sheet 'S' spans {spans} cells; at most 6,000,000 are read"

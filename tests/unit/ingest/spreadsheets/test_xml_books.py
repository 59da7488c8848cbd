"""An XML Spreadsheet 2003, as many programs export it under the name of an XLS, is read as the workbook that it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from xml.sax.saxutils import escape

import pytest

from runtime.ingest import IngestRefused
from tests.unit.ingest.conftest import LIMITS, Table

Read = Callable[..., list[Table]]

NAMES = (
    'xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" '
    'xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns:html="http://www.w3.org/TR/REC-html40"'
)
STYLES = {
    "percent": "Percent",
    "euro": '#,##0.00\\ "€"',
    "day": "Short Date",
    "hours": "[h]:mm",
    "clock": "hh:mm",
    "code": "00000",
}


def text(value: str, more: str = "") -> str:
    return f'<Cell {more}><Data ss:Type="String">{escape(value)}</Data></Cell>'


def number(value: str, more: str = "") -> str:
    return f'<Cell {more}><Data ss:Type="Number">{value}</Data></Cell>'


def moment(value: str, style: str = "day") -> str:
    return f'<Cell ss:StyleID="{style}"><Data ss:Type="DateTime">{value}</Data></Cell>'


def row(*cells: str, more: str = "") -> str:
    return f"<Row {more}>{''.join(cells)}</Row>"


def sheet(name: str, *rows: str, before: str = "", after: str = "") -> str:
    return f'<Worksheet ss:Name="{name}"><Table>{before}{"".join(rows)}</Table>{after}</Worksheet>'


def book(*sheets: str, before: str = "") -> bytes:
    styles = "".join(
        f"<Style ss:ID={name!r}><NumberFormat ss:Format='{escape(code)}'/></Style>" for name, code in STYLES.items()
    )
    struck = '<Style ss:ID="gone"><Font ss:StrikeThrough="1"/></Style><Style ss:ID="kid" ss:Parent="code"/>'
    head = '<?xml version="1.0" encoding="utf-8"?>\n<?mso-application progid="Excel.Sheet"?>\n'
    return f"{head}<Workbook {NAMES}>{before}<Styles>{styles}{struck}</Styles>{''.join(sheets)}</Workbook>".encode()


HEADER = row(text("who"), text("n"))


def test_values_have_the_types_and_formats_of_their_cells(read_book: Read) -> None:
    (table,) = read_book(
        book(
            sheet(
                "Sales",
                row(*map(text, ("day", "zip", "share", "amount", "paid", "worked", "at", "when"))),
                row(
                    moment("2024-01-31T00:00:00.000"),
                    number("1234", 'ss:StyleID="kid"'),
                    number("0.125", 'ss:StyleID="percent"'),
                    number("10.5", 'ss:StyleID="euro"'),
                    '<Cell><Data ss:Type="Boolean">1</Data></Cell>',
                    moment("1900-01-01T06:30:00.000", "hours"),
                    moment("1899-12-31T08:30:00.000", "clock"),
                    moment("2024-01-31T08:30:00.000"),
                ),
                row(
                    number("45323", 'ss:StyleID="day"'),
                    text("00012"),
                    number("5E-1", 'ss:StyleID="percent"'),
                    number("-3", 'ss:StyleID="euro"'),
                    '<Cell><Data ss:Type="Boolean">0</Data></Cell>',
                    number("0.25", 'ss:StyleID="hours"'),
                    number("0.5", 'ss:StyleID="clock"'),
                    moment("2024-02-01T00:00:00.000"),
                ),
            )
        )
    )
    assert table.rows == [
        (
            date(2024, 1, 31),
            "01234",
            Decimal("0.125"),
            Decimal("10.5"),
            True,
            30.5,
            "08:30:00",
            datetime.fromisoformat("2024-01-31T08:30"),
        ),
        (
            date(2024, 2, 1),
            "00012",
            Decimal("0.5"),
            Decimal("-3"),
            False,
            6,
            "12:00:00",
            datetime.fromisoformat("2024-02-01"),
        ),
    ]
    for said in (
        "its content is an XML Spreadsheet 2003: read as such",
        "share: percent format: 2 values as fractions",
        "currency EUR by the number format",
        "zip: 2 of 2 values begin with a zero that matters",
        "worked: 2 lengths of time read as hours",
    ):
        assert said in table.notes, said


def test_places_that_cells_and_rows_give_themselves(read_book: Read) -> None:
    (table,) = read_book(
        book(
            sheet(
                "A",
                row(text("who", 'ss:Index="2"'), text("of"), text("n"), more='ss:Index="3"'),
                row(text("a", 'ss:Index="2"'), number("2", 'ss:Index="4"')),
                row(text("x", 'ss:Index="3"'), number("3"), more='ss:Index="5" ss:Span="1"'),
                row(text("b", 'ss:Index="2"'), text("y"), number("4")),
            )
        )
    )
    assert table.rows == [("a", None, 2), (None, "x", 3), ("b", "y", 4)]
    assert table.reading.part == "sheet A, B3:D7"


def test_merged_cells_totals_and_formulas(read_book: Read) -> None:
    (table,) = read_book(
        book(
            sheet(
                "A",
                row(text("Sales 2024", 'ss:MergeAcross="2"')),
                row(text("team"), text("item"), text("n")),
                row(text("red", 'ss:MergeDown="1"'), text("p"), number("1")),
                row(text("q", 'ss:Index="2"'), number("2")),
                row(text("blue"), text("p"), '<Cell ss:Formula="=RC[-1]*2"/>'),
                row(text("grey"), text("p"), '<Cell ss:Formula="=1/0"><Data ss:Type="Error">#DIV/0!</Data></Cell>'),
                row(number("3", 'ss:Index="3" ss:Formula="=SUM(R[-4]C:R[-1]C)"')),
            )
        )
    )
    assert table.rows == [("red", "p", 1), ("red", "q", 2), ("blue", "p", None), ("grey", "p", None)]
    for said in (
        "title row above the header: 'Sales 2024'",
        "merged cells: the value stands for each of their rows (A3:A4)",
        "1 total row kept apart",
        "1 formula has no stored result (never calculated): read as missing",
        "1 error cell (#DIV/0! 1) read as missing",
    ):
        assert said in table.notes, said


def test_sums_that_were_never_calculated_are_no_row(read_book: Read) -> None:
    sums = row(text("Total"), '<Cell ss:Formula="=SUM(R[-2]C:R[-1]C)"/>')
    (table,) = read_book(book(sheet("A", HEADER, row(text("a"), number("1")), row(text("b"), number("2")), sums)))
    assert table.rows == [("a", 1), ("b", 2)]
    assert "row 4 with sums that were never calculated kept apart" in table.notes


def test_what_is_hidden_struck_out_or_commented_is_read_and_said(read_book: Read) -> None:
    options = "<x:WorksheetOptions><x:Visible>SheetHidden</x:Visible></x:WorksheetOptions>"
    comment = '<Comment ss:Author="Ann"><ss:Data><html:B>Ann:</html:B> not final</ss:Data></Comment>'
    shown, hidden = read_book(
        book(
            sheet(
                "Open",
                HEADER,
                row(text("a"), number("1"), more='ss:Hidden="1"'),
                row(text("b", 'ss:StyleID="gone"'), f'<Cell><Data ss:Type="Number">2</Data>{comment}</Cell>'),
                before='<Column ss:Index="2" ss:Hidden="1"/>',
            ),
            sheet("Shut", HEADER, row(text("c"), number("3")), after=options),
            sheet("Blank"),
        )
    )
    assert (shown.rows, hidden.rows) == ([("a", 1), ("b", 2)], [("c", 3)])
    for said in (
        "1 hidden row (2) read like the others",
        "1 row with struck-out text (3) read like the others",
        "hidden column B read like the others",
        "1 cell has a comment, not part of any value: B3 'Ann: not final'",
        "hidden sheet 'Shut' of the workbook read too, as tables apart",
        "no table on sheet 'Blank'",
    ):
        assert said in shown.notes, said
    assert "the sheet 'Shut' is hidden in the workbook" in hidden.notes
    assert (shown.reading.label, hidden.reading.label) == ("", "Shut")


def test_digits_beyond_those_of_a_float_and_signs_within_texts(read_book: Read) -> None:
    rich = '<Cell><ss:Data ss:Type="String"><html:S>100</html:S> 900<html:Sup>1</html:Sup></ss:Data></Cell>'
    (table,) = read_book(
        book(sheet("A", HEADER, row(rich, number("12345678901234567890")), row(text("x"), number("1"))))
    )
    assert table.rows == [("~~100~~ 900^1", 12345678901234567890), ("x", 1)]
    assert "1 number of more than 15 digits read exactly as stored" in table.notes


def test_days_that_count_from_1904(read_book: Read) -> None:
    early = "<x:ExcelWorkbook><x:Date1904/></x:ExcelWorkbook>"
    rows = [row(text("day"), text("n")), row(number("1", 'ss:StyleID="day"'), number("1"))]
    (table,) = read_book(book(sheet("A", *rows), before=early))
    assert table.rows == [(date(1904, 1, 2), 1)]
    assert "its dates count from 1904" in table.notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
def test_encodings_that_the_file_names(read_book: Read, encoding: str) -> None:
    content = book(sheet("A", HEADER, row(text("Müß"), number("1")), row(text("é"), number("2"))))
    (table,) = read_book(content.decode().replace('encoding="utf-8"', f'encoding="{encoding}"').encode(encoding))
    assert table.rows == [("Müß", 1), ("é", 2)]


def cells(*inner: str) -> bytes:
    return book(sheet("A", *inner))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<?xml version='1.0'?><rows><row/></rows>", "of another kind (it begins with <rows>)"),
        (
            b'<?xml version="1.0"?><!DOCTYPE Workbook [<!ENTITY a SYSTEM "file:///etc/hostname">]><Workbook>&a;</Workbook>',
            "declares entities or types of its own",
        ),
        (book(sheet("A", HEADER))[:-20], "damaged or cut off: its XML is not valid (line 3)"),
        (book(sheet("A", HEADER), sheet("A", HEADER)), "two of its sheets have one name"),
        (book(), "empty: no sheet holds a table"),
        (cells(row(number("12x"))), "a cell of the type Number holds '12x'"),
        (cells(row(number("NaN"))), "a cell of the type Number holds 'NaN'"),
        (cells(row(moment("31.01.2024"))), "a cell of the type DateTime holds '31.01.2024'"),
        (cells(row(text("a"), more='ss:Index="3"'), row(text("b"), more='ss:Index="2"')), "not in order"),
        (cells(row(text("a"), more='ss:Index="1048577"')), "more than 1,048,576 rows or columns"),
        (
            cells(row(text("a")), row(text("b", 'ss:Index="16384"'), more='ss:Index="1048576"')),
            "spans 17,179,869,184 cells; at most 6,000,000 are read",
        ),
        (cells(*[row(text("a", 'ss:MergeDown="900"'), number("1"))] * 900), "merged cells of a sheet overlap"),
        (cells(row(text("x" * (1 << 20)), text("y" * 2_000_000))), "a cell holds more than"),
    ],
)
def test_what_is_damaged_hostile_or_too_large_is_refused_with_the_reason(
    read_book: Read, content: bytes, reason: str
) -> None:
    with pytest.raises(IngestRefused) as refused:
        read_book(content)
    assert reason in str(refused.value)


def test_too_large_a_file_is_said(read_book: Read) -> None:
    with pytest.raises(IngestRefused, match="2 MiB of XML; workbooks are read up to 1 MiB"):
        read_book(cells(row(text("x" * (2 << 20)))), replace(LIMITS, workbook_bytes=1 << 20))

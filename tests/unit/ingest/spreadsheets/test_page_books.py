"""A web page under the name of a spreadsheet, as banks and ERPs export it, is read as the tables that it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from runtime.ingest import IngestRefused
from tests.unit.ingest.conftest import LIMITS, Table

Read = Callable[..., list[Table]]

STATEMENT = """<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="utf-8">
<style><!--table {border:1} .text{mso-number-format:"\\@";} .day,
 td.day2 {mso-number-format:"dd\\/mm\\/yyyy"}--></style>
</head><body><h2>Umsätze im April</h2>
<table border=1><tr><td colspan=9>Konto DE12 3456</td></tr>
<tr><th>Datum<th>Kunde<th>PLZ<th>Betrag</tr>
<tr><td class=day>03/04/2024</td><td rowspan=2>Müller &amp; Söhne</td><td>01234</td><td>1.234,50&nbsp;€</td></tr>
<tr><td class=day>13/04/2024<td class=text>00123<td>-17,00 €</tr>
<tr><td class="x day2">14/04/2024<td>Meier<br>Bonn<td>99999<td>5,00 €</tr>
<tr><td colspan=3>Summe<td>1.222,50 €</tr>
</table></body></html>"""


def page(*rows: str, after: str = "</table>") -> bytes:
    return f"<html><table>{''.join(f'<tr>{row}</tr>' for row in rows)}{after}".encode()


def test_types_codes_dates_merged_cells_and_totals_as_on_other_sheets(read_book: Read) -> None:
    (table,) = read_book(STATEMENT.encode())
    assert table.rows == [
        (date(2024, 4, 3), "Müller & Söhne", "01234", Decimal("1234.50")),
        (date(2024, 4, 13), "Müller & Söhne", "00123", Decimal("-17.00")),
        (date(2024, 4, 14), "Meier\nBonn", "99999", Decimal("5.00")),
    ]
    for said in (
        "its content is a web page (HTML)",
        "above the table the page says: 'Umsätze im April'",
        "title row above the header: 'Konto DE12 3456'",
        "1 total row kept apart, not counted as rows: row 6 'Summe' (equal to the sum of the rows in Betrag)",
        "merged cells: the value stands for each of their rows (B3:B4)",
        "3 dates read in the order of day and month that the number format gives",
        "begin with a zero that matters",
        "currency EUR (€) taken off 3 values; decimal comma; thousands marked by points",
    ):
        assert said in table.notes, said


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_letters_come_through_in_every_encoding(read_book: Read, encoding: str) -> None:
    (table,) = read_book("<table><tr><td>n<td>v<tr><td>Müß<td>1<tr><td>é<td>2</table>".encode(encoding))
    assert table.rows == [("Müß", 1), ("é", 2)]
    assert ("encoding: " in table.notes) == (encoding in ("utf-16", "cp1252"))


def test_an_encoding_that_the_page_names_goes_before_the_usual_guess(read_book: Read) -> None:
    head = '<html><meta http-equiv=Content-Type content="text/html; charset=windows-1250">'
    (table,) = read_book(f"{head}<table><tr><td>n<td>v<tr><td>Łódź<td>1<tr><td>x<td>2</table>".encode("cp1250"))
    assert table.rows == [("Łódź", 1), ("x", 2)]
    assert "encoding: cp1250, as it says itself" in table.notes


def test_two_header_rows_with_spans_become_one_name_for_each_column(read_book: Read) -> None:
    (table,) = read_book(
        page(
            "<th rowspan=2>Region<th colspan=2>2023<th colspan=2>2024",
            "<th>Q1<th>Q2<th>Q1<th>Q2",
            "<td>North<td>1<td>2<td>3<td>4",
            "<td>South<td>5<td>6<td>7<td>8",
        )
    )
    assert [name for name, _ in table.reading.columns] == ["Region", "2023 Q1", "2023 Q2", "2024 Q1", "2024 Q2"]
    assert table.rows == [("North", 1, 2, 3, 4), ("South", 5, 6, 7, 8)]


def test_header_cells_say_for_certain_what_words_alone_do_not(read_book: Read) -> None:
    (table,) = read_book(page("<th>Ort<th>Leiter", "<td>Köln<td>Anna", "<td>Bonn<td>Olaf"))
    assert table.rows == [("Köln", "Anna"), ("Bonn", "Olaf")]
    assert "may be a row" not in table.notes


def test_a_header_without_rows_is_a_table_without_rows(read_book: Read) -> None:
    (table,) = read_book(page("<th>Ort<th>Leiter"))
    assert (table.rows, [name for name, _ in table.reading.columns]) == ([], ["Ort", "Leiter"])


def test_each_table_of_the_page_is_one_with_its_own_name_and_the_words_around_are_told(read_book: Read) -> None:
    first, second, third = read_book(
        b"<html><table width='100%'><tr><td>ACME<td>Report</tr><tr><td colspan=2><h3>Sales</h3>"
        b"<table><tr><td>item<td>n<tr><td>a<td>1<tr><td>b<td>2</table></td></tr></table>"
        b"<table><caption>Costs</caption><tr><td>item<td>n<tr><td>c<td>3<tr><td>d<td>4</table>"
        b"<table><tr><td>x<td>n<tr><td>e<td>5<tr><td>f<td>6</table><p>Printed by Ann</p></html>"
    )
    assert [(each.reading.label, each.reading.part) for each in (first, second, third)] == [
        ("Sales", "table 1 of the page"),
        ("Costs", "table 2 of the page"),
        ("3", "table 3 of the page"),
    ]
    assert [each.rows for each in (first, second, third)] == [
        [("a", 1), ("b", 2)],
        [("c", 3), ("d", 4)],
        [("e", 5), ("f", 6)],
    ]
    for each in (first, second, third):
        assert "around its tables the page says: 'Printed by Ann'; 'ACME Report" in each.notes


def test_names_of_sheets_that_the_page_was_saved_from(read_book: Read) -> None:
    sheets = "".join(f"<x:ExcelWorksheet><x:Name>{name}</x:Name></x:ExcelWorksheet>" for name in ("Jan", "Feb"))
    table = "<table><tr><td>item<td>n<tr><td>a<td>1<tr><td>b<td>2</table>"
    content = f"<html><head><!--[if gte mso 9]><xml>{sheets}</xml><![endif]--></head><body>{table}{table}</body></html>"
    assert [each.reading.label for each in read_book(content.encode())] == ["Jan", "Feb"]


def test_numbers_that_the_program_stored_go_before_what_is_shown(read_book: Read) -> None:
    (table,) = read_book(
        page(
            "<td>day<td>exact<td>code<td>share<td>flag<td>bad",
            '<td x:num="45292">1/1/2024<td x:num="1234.5678">1,235<td x:str>007'
            "<td style='mso-number-format:0%' x:num=\"0.125\">13%<td>TRUE<td x:err>#N/A",
            '<td x:num="45323">2/1/2024<td x:num>7<td x:str>008'
            '<td style=\'mso-number-format:Percent\' x:num="0.5">50%<td>FALSE<td x:num="3">3',
        )
    )
    assert table.rows == [
        (date(2024, 1, 1), Decimal("1234.5678"), "007", Decimal("0.125"), True, None),
        (date(2024, 2, 1), Decimal("7"), "008", Decimal("0.5"), False, 3),
    ]
    assert "share: percent format: 2 values as fractions" in table.notes
    assert "bad: 1 error cell (#N/A 1) read as missing" in table.notes


def test_a_stored_number_that_is_another_day_than_the_shown_one_is_not_believed(read_book: Read) -> None:
    (table,) = read_book(page("<td>day<td>n", '<td x:num="5">2024-01-31<td>1', "<td>2024-02-01<td>2"))
    assert table.column("day") == [date(2024, 1, 31), date(2024, 2, 1)]


def test_signs_within_a_cell_never_make_another_number_of_it(read_book: Read) -> None:
    """Struck-out text, footnote marks, several lines and hidden texts beside a number."""
    (table,) = read_book(
        page(
            "<td>case<td>value",
            "<td>struck<td><del>100</del> 900",
            "<td>mark<td>5<sup>1</sup>",
            "<td>lines<td><div>100</div><div>900</div>",
            "<td>hidden<td>7<span style='display:none'>00</span>",
            "<td>all struck<td><s>8</s>",
        )
    )
    assert dict(table.rows) == {
        "struck": "~~100~~ 900",
        "mark": "5^1",
        "lines": "100\n900",
        "hidden": "7",
        "all struck": "8",
    }
    assert "1 text in cells that the page doesn't show left out" in table.notes
    assert "1 row with struck-out text (6) read like the others" in table.notes


def test_hidden_rows_columns_and_tables_are_read_and_said(read_book: Read) -> None:
    shown, hidden = read_book(
        page("<td>name<td style='display: none'>id<td>n", "<td>a<td style='display: none'>7<td>1", after="<tr hidden>")
        + b"<td>b<td style='visibility:hidden'>8<td>2</table>"
        b"<div style='display:none'><table><tr><td>x<td>y<tr><td>1<td>2</table></div>"
    )
    assert shown.rows == [("a", 7, 1), ("b", 8, 2)]
    assert "1 hidden row (3) read like the others" in shown.notes
    assert "hidden column B read like the others" in shown.notes
    assert hidden.rows == [(1, 2)]
    assert "the page shows nothing of this table" in hidden.notes


def test_a_number_over_several_rows_counts_once(read_book: Read) -> None:
    (table,) = read_book(
        page("<td>who<td>what<td>n", "<td rowspan=2>A<td>p<td rowspan=2>10", "<td>q", "<td>B<td>p<td>5")
    )
    assert table.rows == [("A", "p", 10), ("A", "q", None), ("B", "p", 5)]
    assert "merged cells with a number: it counts in the first of their rows only (C2:C3)" in table.notes


def test_spans_end_with_their_group_of_rows(read_book: Read) -> None:
    (table,) = read_book(
        b"<table><thead><tr><th>who<th>n</tr></thead><tbody><tr><td rowspan=50>A<td>1</tr></tbody>"
        b"<tbody><tr><td>B<td>2</tr></tbody></table>"
    )
    assert table.rows == [("A", 1), ("B", 2)]


def test_tags_without_their_ends_and_several_blocks_in_one_table(read_book: Read) -> None:
    first, second = read_book(
        page(*("<td>n<td>v<td>w", "<td>x<td>1<td>2", "", ""), *("<td>Costs", "<td>k<td>l<td>m", "<td>y<td>3<td>4"))
    )
    assert (first.rows, second.rows) == ([("x", 1, 2)], [("y", 3, 4)])
    assert second.reading.label == "Costs" and second.reading.part == "table 1 of the page, A5:C7"
    assert "2 tables within one table of the page: A1:C2, A5:C7" in first.notes


def test_a_page_that_stops_in_a_table_says_that_rows_may_be_missing(read_book: Read) -> None:
    (table,) = read_book(page("<td>n<td>v", "<td>x<td>1", "<td>y<td>2", after="<tr><td>z<td>1234"))
    assert "it may be cut off, so rows may be missing" in table.notes
    assert "cut off" not in read_book(page("<td>n<td>v", "<td>x<td>1", "<td>y<td>2"))[0].notes


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<html><body><h1>503</h1>try later</body></html>", "a web page without a table"),
        (b"<!DOCTYPE html><html><table><tr><td>User<td><input></table>", "an error or login page"),
        (page("<td>User<td>a", "<td>Password<td><input type=PASSWORD>"), "an error or login page"),
        (page("<td>only one column", "<td>of words"), "without a table of several rows and columns"),
        (b"<html><frameset><frame src='a_files/sheet001.htm'></frameset></html>", "kept in other files beside it"),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n<html><table>", "a web archive"),
        (page(*["<td>1<td colspan=1000 rowspan=60000>1" * 20] * 3), "more than 16,384 columns"),
        (page(*["<td colspan=900 rowspan=2>"] * 7_000), "more than 6,000,000 cells"),
        (page(*["<td colspan=900 rowspan=2>1"] * 7_000), "spans 6,000,660 cells; at most 6,000,000"),
        (b"<table><tr><td>a<td>b" + b"<table>" * 60, "one in another more than 50 deep"),
        (b"<table><tr><td>a<td>b<tr><td>1<td>2</table>" * 201, "more than 200 tables stand in it"),
        (page("<td>" + "x" * (1 << 20) + "xx<td>b"), "a cell holds more than"),
        (b"<table><tr><td title='" + b"x" * (5 << 20), "a tag of the page never ends"),
        (page(*["<td>1" * 5_001] * 2), "5,001 columns; at most 5,000 are read"),
    ],
)
def test_what_is_no_table_or_too_large_is_refused_with_the_reason(read_book: Read, content: bytes, reason: str) -> None:
    with pytest.raises(IngestRefused, match=reason):
        read_book(content)


def test_too_large_a_page_is_said(read_book: Read) -> None:
    with pytest.raises(IngestRefused, match="pages are read up to 1 MiB: save it as XLSX"):
        read_book(page("<td>a<td>b", "<td>1<td>" + "2" * (1 << 20)), replace(LIMITS, page_bytes=1 << 20))


@pytest.mark.parametrize("piece", [b"<!--", b"<![if", b"<", b"&", b"<div>", b"</table>", b"<td a=b c='"])
def test_endless_repetition_ends_soon(read_book: Read, piece: bytes) -> None:
    with pytest.raises(IngestRefused, match="without a table"):
        read_book(b"<table>" + piece * 20_000)

"""How CSV and TSV are read: names, delimiters, line ends, encodings, and what is refused with which reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from runtime.ingest import IngestRefused
from runtime.ingest.outcome import ReadingLimits

Read = Callable[..., Any]


def refused(read: Read, content: str | bytes, kind: str = "csv", **more: Any) -> str:
    with pytest.raises(IngestRefused) as caught:
        read(content, kind, **more)
    return caught.value.reason


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_every_line_end_reads_the_same_rows(read: Read, end: str, last: bool) -> None:
    table = read(end.join(["a,b", "1,x", "2,y"]) + (end if last else ""))
    assert table.rows == [(1, "x"), (2, "y")]


@pytest.mark.parametrize(("delimiter", "said"), [(",", ""), (";", "semicolon"), ("\t", "tab"), ("|", "pipe")])
def test_delimiters(read: Read, delimiter: str, said: str) -> None:
    table = read("\n".join(delimiter.join(row) for row in [("a", "b"), ("1", "x"), ("2", "y")]))
    assert table.rows == [(1, "x"), (2, "y")]
    assert said in table.notes


def test_quoted_values_keep_delimiters_line_ends_and_quotes(read: Read) -> None:
    table = read('a,b\r\n"x, y","line one\nline two"\r\n"say ""hi""",z\r\n')
    assert table.rows == [("x, y", "line one\nline two"), ('say "hi"', "z")]


def test_quotes_that_open_no_value_are_ordinary_characters(read: Read) -> None:
    assert read('part,size\nrack,19" wide\nrail,7"\n').rows == [("rack", '19" wide'), ("rail", '7"')]


def test_mixed_line_ends_are_read_as_one_kind_and_said(read: Read) -> None:
    table = read("a,b\r\n1,x\n2,y\r\n")
    assert table.rows == [(1, "x"), (2, "y")]
    assert "line ends" in table.notes


def test_a_carriage_return_alone_among_others_is_refused(read: Read) -> None:
    assert "line 3" in refused(read, "a,b\n1,x\n2,y\rz\n3,w\n")


def test_blank_lines_are_no_rows(read: Read) -> None:
    assert read("a,b\n\n1,x\n\n\n2,y\n\n").rows == [(1, "x"), (2, "y")]


def test_rows_of_nothing_are_said(read: Read) -> None:
    table = read("a,b\n1,x\n,\n,\n2,y\n")
    assert len(table.rows) == 4
    assert "2 rows are empty" in table.notes


def test_short_rows_are_filled_and_said_with_their_line(read: Read) -> None:
    table = read("a,b,c\n1,2,3\n4,5\n")
    assert table.rows == [(1, 2, 3), (4, 5, None)]
    assert "ragged rows: line 3 short of values" in table.notes


def test_a_late_row_with_too_many_values_gets_columns_of_its_own(read: Read) -> None:
    rows = "".join(f"{number},x,9\n" for number in range(5_000))
    table = read(f"a,b,c\n{rows}1,2,3,4\n")
    assert (len(table.rows), table.rows[-1]) == (5_001, (1, "2", 3, 4))
    assert "ragged rows: line 5002 with extra values, put into 1 added column" in table.notes


def test_rows_that_are_mostly_uneven_are_refused(read: Read) -> None:
    assert "ragged rows" in refused(read, "a,b,c\n1,2,3\n4,5\n6\n7,8,9,1\n2\n")


def test_an_unclosed_quote_is_an_ordinary_character_and_said_with_its_line(read: Read) -> None:
    table = read('a,b\n1,x\n2,"y\n3,z\n')
    assert table.rows == [(1, "x"), (2, '"y'), (3, "z")]
    assert "a quote is opened and never closed in line 3" in table.notes


def test_text_after_a_closing_quote_keeps_its_row(read: Read) -> None:
    table = read('a,b\n1,"19" rack"\n2,"y"\n')
    assert table.rows == [(1, '"19" rack"'), (2, "y")]
    assert "line 2" in table.notes


def test_two_delimiters_that_fit_equally_are_refused(read: Read) -> None:
    assert "not clear" in refused(read, '"Price, EUR";Qty\n1,50;3\n2,75;4\n'.replace('"', ""))


def test_header_only_is_a_table_without_rows(read: Read) -> None:
    table = read("id,reason\n")
    assert (table.rows, list(table.types)) == ([], ["id", "reason"])
    assert "no rows" in table.notes


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_nothing_in_it(read: Read, content: str) -> None:
    assert refused(read, content).startswith("empty")


def test_duplicate_and_missing_names(read: Read) -> None:
    table = read("a,A,,a_2,a\n1,2,3,4,5\n")
    assert list(table.types) == ["a", "A_3", "column_3", "a_2", "a_4"]
    assert "duplicate" in table.notes
    assert "column_3" in table.notes


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("1,Ann\n2,Bob\n", ["column_1", "column_2"]),
        ("Ann,1999\nBob,2001\n", ["column_1", "column_2"]),
        ("Ann,North\nBob,North\nCem,South\n", ["column_1", "column_2"]),
        ("site,2019,2020\nA,5,6\n", ["site", "2019", "2020"]),
        ("team,1,2,3\nA,5,6,7\n", ["team", "1", "2", "3"]),
        ("name,city\nAnn,Oslo\n", ["name", "city"]),
        ("Invoice number,4711\nCustomer,ACME\nDate,2024-05-01\n", ["column_1", "column_2"]),
        (",x,y\n0,1,2\n1,3,4\n", ["column_1", "x", "y"]),
    ],
)
def test_header_or_data(read: Read, content: str, names: list[str]) -> None:
    table = read(content)
    assert list(table.types) == names
    if "column_2" in names:
        assert "no header row found" in table.notes


def test_utf8_with_mark(read: Read) -> None:
    assert read("\ufeffname,n\nČeněk,1\n").rows == [("Čeněk", 1)]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_with_mark(read: Read, encoding: str) -> None:
    table = read("\ufeffname,n\r\nŁucja,1\r\n".encode(encoding))
    assert table.rows == [("Łucja", 1)]
    assert "UTF-16" in table.notes


def test_cp1252_is_transcoded_and_said(read: Read) -> None:
    table = read("name,n\n“Café”,1\n".encode("cp1252"))
    assert table.rows == [("“Café”", 1)]
    assert "cp1252" in table.notes


def test_broken_utf8_is_not_taken_for_cp1252(read: Read) -> None:
    assert "line 3 is not valid UTF-8" in refused(read, "n\nČeněk Žák žluťoučký\n".encode() + b"caf\xe9\n")


@pytest.mark.parametrize("quoted", [False, True])
def test_bytes_that_are_not_utf8_beyond_the_first_mebibyte(read: Read, quoted: bool) -> None:
    mark = b'"' if quoted else b""
    lines = b"name,n\n" + b"an ordinary line,1\n" * 70_000
    table = read(lines + mark + "“Café”".encode("cp1252") + mark + b",2\n")
    assert table.rows[-1] == ("“Café”", 2)
    assert "cp1252" in table.notes
    broken = lines + mark + b"caf\xe9" + mark + b",2\n" + "Čeněk Žák žluťoučký,3\n".encode()
    assert "line 70002 is not valid UTF-8" in refused(read, broken)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a,b\n1,\x00\x00\x00\x00\x00\x00\n", "line 2: NUL bytes"),
        (b"\xff\xfe\x00\x00" + "a\n".encode("utf-32-le"), "UTF-32"),
        (b"a\n\x81\n", "neither UTF-8 nor cp1252"),
    ],
)
def test_other_bytes_are_refused(read: Read, content: bytes, reason: str) -> None:
    assert reason in refused(read, content)


def test_bounds(read: Read, limits: ReadingLimits) -> None:
    assert "at most 3 are read" in refused(read, "a,b,c,d\n1,2,3,4\n", limits=replace(limits, columns=3))
    assert "only as Parquet" in refused(read, "a,b\n1,2\n", limits=replace(limits, file_bytes=4))


def test_total_rows_are_kept_apart_and_checked(read: Read) -> None:
    table = read("region,person,pay\nN,Ann,5\nS,Bob,6\nE,Cem,7\nTotal,,18\n")
    assert table.column("pay") == [5, 6, 7]
    assert "line 5 'Total' (equal to the sum of the rows in pay)" in table.notes
    table = read("region,person,pay\nN,Ann,5\nS,Bob,6\nE,Cem,7\nTotal,,19\n")
    assert "pay says 19 where the rows add up to 18" in table.notes


def test_utf16_without_a_mark_is_known_by_its_zero_bytes(read: Read) -> None:
    table = read("name,n\nBob,1\n".encode("utf-16-le"))
    assert table.rows == [("Bob", 1)]
    assert "UTF-16 without a mark" in table.notes


def test_rare_zero_bytes_are_removed_and_said(read: Read) -> None:
    table = read(b"a,b\n1,tw\x00o\n2,three\n")
    assert table.rows == [(1, "two"), (2, "three")]
    assert "1 NUL byte removed" in table.notes


def test_a_product_called_total_is_no_total_row(read: Read) -> None:
    assert "total" not in read("product,price\nTotal Cereal,5\nOats,6\n").notes


@pytest.mark.parametrize("value", ["Total 7", "x"])
def test_any_column_name_is_possible_beside_the_last_look(read: Read, value: str) -> None:
    """The last look numbers rows; a column of the name it uses for that keeps its values."""
    table = read("file_row_number,label,note\n" + "".join(f"n{row},{value},\n" for row in range(25_000)))
    assert table.rows[24_999] == ("n24999", value, None)


def test_totals_far_down_in_a_large_file_are_said(read: Read, limits: ReadingLimits) -> None:
    body = "".join(f"shop {row % 977},{row},x\n" for row in range(30_000))
    table = read(
        f"shop,sold,note\n{body}gRAND tOTAL,449985000,\nSubtotal,1,\n", limits=replace(limits, repair_bytes=1_000)
    )
    assert "2 rows look like totals or subtotals, e.g. 'gRAND tOTAL'" in table.notes


def test_a_large_file_of_zeros_is_refused_by_its_first_bytes(
    read: Read, limits: ReadingLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.ingest.reading.scan", None)
    large = replace(limits, repair_bytes=100)
    assert "line 2: NUL bytes stand in it; it is not a text" in refused(read, b"a,b\n" + bytes(5_000), limits=large)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_a_large_text_in_utf16_is_no_file_of_zeros(read: Read, limits: ReadingLimits, encoding: str) -> None:
    large = replace(limits, repair_bytes=100)
    assert read(("a,b\n" + "1,x\n" * 500).encode(encoding), limits=large).rows == [(1, "x")] * 500


def test_three_thousand_columns(read: Read) -> None:
    names = [f"c{number}" for number in range(3_000)]
    rows = [[str(number + row) for number in range(3_000)] for row in range(20)]
    table = read("\n".join(",".join(row) for row in [names, *rows]))
    assert len(table.types) == 3_000
    assert set(table.types.values()) == {"BIGINT"}
    assert [list(map(str, row)) for row in table.rows] == rows

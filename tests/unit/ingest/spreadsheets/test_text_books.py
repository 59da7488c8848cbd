"""Text under the name of a spreadsheet, as many programs export it, is read as the table that it is."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from runtime.ingest import IngestRefused

Read = Callable[..., Any]

TABS = "name\tamount\nMüller\t1.234,50\nx\t7,00\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_delimited_text_is_a_table_by_itself(read_book: Read, encoding: str) -> None:
    (table,) = read_book(TABS.encode(encoding))
    assert table.rows == [("Müller", Decimal("1234.50")), ("x", Decimal("7.00"))]
    assert table.notes.startswith("its content is delimited text, not a spreadsheet as its name says: read as such")


def test_other_delimiters_too(read_book: Read) -> None:
    (table,) = read_book(b"name;amount\na;1,5\nb;2,5\n")
    assert table.rows == [("a", Decimal("1.5")), ("b", Decimal("2.5"))]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<html><p>a,b</p></html>", "a web page without a table"),
        (b'\xef\xbb\xbf<?xml version="1.0"?><a,b/>', "damaged or cut off"),
        (b"a letter\nto nobody\n", "not a spreadsheet"),
        (b"\x01\x02\x03,\x04\n", "not a spreadsheet"),
        (b"PK,a\n1,2\n", "damaged or cut off"),
        (b"", "empty"),
    ],
)
def test_what_is_neither_is_refused(read_book: Read, content: bytes, reason: str) -> None:
    with pytest.raises(IngestRefused, match=reason):
        read_book(content)

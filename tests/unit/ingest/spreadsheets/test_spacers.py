"""Tables whose columns stand apart for the eye, and whose keys are written once for several rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.unit.ingest.spreadsheets.conftest import saved

Read = Callable[..., Any]


def test_empty_columns_inside_a_table_tear_nothing_off(read_book: Read) -> None:
    book = saved(["region", None, "q1", None, "q2"], ["North", None, 5, None, 6], ["South", None, 7, None, 8])
    (table,) = read_book(book)
    assert list(table.types) == ["region", "q1", "q2"]
    assert table.rows == [("North", 5, 6), ("South", 7, 8)]


def test_a_remark_beside_a_table_is_no_column(read_book: Read) -> None:
    book = saved(["note", None, "k", "v"], ["draft", None, "a", 1], [None, None, "b", 2], [None, None, "c", 3])
    (table,) = read_book(book)
    assert table.rows == [("a", 1), ("b", 2), ("c", 3)]
    assert "'draft'" in table.notes


def test_keys_written_once_for_several_rows_are_said(read_book: Read) -> None:
    book = saved(["Order", "Item", "Qty"], [1001, "A", 5], [None, "B", 6], [1002, "C", 7], [None, "D", 8])
    (table,) = read_book(book)
    assert "Order: 2 rows have no label; the one above may stand for them" in table.notes

"""Delimited texts of blanks, where nothing else stands in a file or a cell, and words for a value that is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from runtime.ingest import IngestRefused
from runtime.ingest.outcome import ReadingLimits

Read = Callable[..., Any]

NUMBERS = {
    "thousands": ("1,005", "7,000", 1005, 7000),
    "a decimal comma": ("1,5", "7,25", Decimal("1.5"), Decimal("7.25")),
    "currency": ("€5", "€7", 5, 7),
    "percent": ("5%", "7%", Decimal("0.05"), Decimal("0.07")),
    "a minus behind": ("5-", "7", -5, 7),
    "parentheses": ("(5)", "7", -5, 7),
    "plain": ("5", "7", 5, 7),
}


@pytest.mark.parametrize("content", [" \n", "   ", "\t\t\n\t\t\n", "\r\r \r", " \n" * 5_000])
def test_a_file_of_blanks_only_is_empty_whatever_its_size(read: Read, limits: ReadingLimits, content: str) -> None:
    for bounds in (limits, replace(limits, whole_types_bytes=0)):
        with pytest.raises(IngestRefused, match="empty: there is no data in it"):
            read(content, limits=bounds)


@pytest.mark.parametrize("content", [",,,\n,,,\n", ";\n"])
def test_a_file_of_delimiters_only_is_empty(read: Read, content: str) -> None:
    with pytest.raises(IngestRefused, match="empty: there is no data in it"):
        read(content)


def test_a_table_below_many_lines_of_blanks(read: Read) -> None:
    table = read("  \n" * 60 + "a,b\n1,2\n3,4\n")
    assert list(table.types) == ["a", "b"] and table.rows == [(1, 2), (3, 4)]


def test_the_beginning_of_a_large_text_of_blanks_is_said_to_hold_no_table(read: Read, limits: ReadingLimits) -> None:
    with pytest.raises(IngestRefused, match="the first 1,000 lines hold no row of a table"):
        read("  \n" * 2_000 + "a,b\n1,2\n", limits=replace(limits, whole_types_bytes=0, repair_bytes=0))


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u2009 "])
@pytest.mark.parametrize("written", NUMBERS, ids=str)
def test_a_cell_of_blanks_is_missing_among_numbers_however_they_are_written(
    read: Read, limits: ReadingLimits, written: str, blank: str
) -> None:
    first, last, *values = NUMBERS[written]
    content = f'id,v\n1,"{first}"\n2,{blank}\n3,"{last}"\n'
    for bounds in (limits, replace(limits, whole_types_bytes=0)):
        assert read(content, limits=bounds).column("v") == [values[0], None, values[1]]


@pytest.mark.parametrize("word", ["n/a", "#N/A", "(null)", "<NA>", "NULL", "-", "?", "unknown", "NaN"])
def test_a_word_for_a_missing_value_among_words_is_kept_and_said(read: Read, word: str) -> None:
    table = read(f"id,city\n1,Oslo\n2,{word}\n3,{word}\n4,\n")
    assert table.column("city") == ["Oslo", word, word, None]
    assert f"city: 2 values are words for a missing one ('{word}'), kept as text" in table.notes.replace("\\\\", "\\")


def test_plain_words_are_not_said_to_be_missing(read: Read) -> None:
    assert "missing" not in read("id,city\n1,Oslo\n2,Nantes\n3,Nilsia\n").notes

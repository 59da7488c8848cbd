"""What a pass over the bytes finds is right for any cut of the file into chunks: the count of records, which agrees
with Python's own CSV reader, and whether a total may be named anywhere."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.ingest import bytescan
from runtime.ingest.totals import WORDS

_CELLS = st.text(st.sampled_from('ab,"\n\r '), max_size=6)
_ROWS = st.lists(st.lists(_CELLS, min_size=2, max_size=3), min_size=1, max_size=6)


def scanned(content: bytes, chunk: int) -> bytescan.ByteScan:
    with TemporaryFile() as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(bytescan, "CHUNK", chunk)
        file.write(content)
        file.flush()
        return bytescan.scan(file.fileno())


@settings(max_examples=150, deadline=None, derandomize=True)
@given(rows=_ROWS, chunk=st.sampled_from([1, 2, 3, 7, 1 << 20]), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_records_agree_with_the_csv_module(rows: list[list[str]], chunk: int, end: str) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    found = scanned(out.getvalue().encode(), chunk)
    assert found.fields_quoted
    assert not found.quote_open
    assert found.quoted.records(keep_blank=False) == len(rows)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=st.text(st.sampled_from("ab\n\r"), max_size=30), chunk=st.sampled_from([1, 2, 3, 5, 1 << 20]))
def test_lines_agree_with_universal_newlines(text: str, chunk: int) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = scanned(text.encode(), chunk)
    assert found.plain.records(keep_blank=False) == sum(bool(line) for line in lines)
    assert found.plain.crlf == text.count("\r\n")


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 20])
def test_a_nul_byte_is_found_with_its_line(chunk: int) -> None:
    assert scanned("á\nž漢\n".encode(), chunk).nul_line == 0
    assert scanned(b"ab\nc\x00", chunk).nul_line == 2


def test_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    descriptor = os.open(path, os.O_RDONLY)
    try:
        wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        assert bytescan.scan(descriptor).sha256 == bytescan.digest_of(descriptor) == wanted
    finally:
        os.close(descriptor)


_LABELS = re.compile(rf"(?i)^ *({WORDS})\b|\b(sub)?total:?\s*$")
_PIECES = (
    *("total", "Total", "SUBTOTAL", "sub-", "sub ", "grand ", "overall ", "Summe", "Zwischensumme", "Gesamt", "somme"),
    *("gesamtsumme", "insgesamt", "sum", "suma", "totaal", "summer", "North ", ":", " ", "é", "tot", "so", "x", "12"),
)
_VALUES = st.lists(st.sampled_from(_PIECES), max_size=3).map("".join) | st.from_regex(
    re.compile(rf"(North )?({WORDS}):?", re.ASCII), fullmatch=True
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    rows=st.lists(st.lists(_VALUES, min_size=1, max_size=3), min_size=1, max_size=4),
    delimiter=st.sampled_from(",;\t|"),
    quote=st.sampled_from(["", '"']),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    chunk=st.sampled_from([1, 7, 16, 63, 64, 65, 1 << 20]),
)
def test_no_label_of_a_total_is_overlooked(
    rows: list[list[str]], delimiter: str, quote: str, end: str, chunk: int
) -> None:
    lines = [delimiter.join(f"{quote}{value}{quote}" for value in row) for row in rows]
    found = scanned(end.join(lines).encode(), chunk)
    assert found.labels or not any(_LABELS.search(value) for row in rows for value in row)


@pytest.mark.parametrize(
    "line", ["summer,so", "12,the total of it", "North totals,gesamtpreis", "totem,sumatra", "in total is,sub", ""]
)
def test_other_words_are_no_labels(line: str) -> None:
    assert not scanned(f"id,name\n1,{line}\n2,x".encode(), 1 << 20).labels

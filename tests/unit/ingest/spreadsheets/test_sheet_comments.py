"""Comments on cells are no values; they are said beside the table."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl.comments import Comment

from tests.unit.ingest.spreadsheets.conftest import saved

Read = Callable[..., Any]


def test_comments_on_cells_are_said(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        for number in range(2, 7):
            sheet[f"B{number}"].comment = Comment(f"checked {number},\n  not final", "Ann")

    (table,) = read_book(saved(["item", "cost"], *(["a", number] for number in range(2, 7)), adapt=adapt))
    assert table.column("cost") == [2, 3, 4, 5, 6]
    said = "5 cells have comments, not part of any value: B2 'checked 2, not final'; B3 'checked 3, not final'; "
    assert said + "B4 'checked 4, not final'; and 2 more" in table.notes


def _with_threads(content: bytes, threads: bytes) -> bytes:
    """The book with a part of comments that can be answered, which its first sheet leads to."""
    out = io.BytesIO()
    lead = b'<Relationship Id="rIdT" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"'
    lead += b' Target="../threadedComments/threadedComment1.xml"/></Relationships>'
    with zipfile.ZipFile(io.BytesIO(content)) as book, zipfile.ZipFile(out, "w") as made:
        for name in book.namelist():
            body = book.read(name)
            if name.endswith("worksheets/_rels/sheet1.xml.rels"):
                body = body.replace(b"</Relationships>", lead)
            made.writestr(name, body)
        made.writestr("xl/threadedComments/threadedComment1.xml", threads)
    return out.getvalue()


THREADS = (
    b'<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">'
    b'<threadedComment ref="B2" id="{1}"><text>net or gross?</text></threadedComment>'
    b'<threadedComment ref="B2" id="{2}" parentId="{1}"><text>gross &amp; final</text></threadedComment>'
    b"</ThreadedComments>"
)


@pytest.mark.parametrize(
    ("threads", "said"),
    [
        (THREADS, "1 cell has a comment, not part of any value: B2 'net or gross? / gross & final'"),
        (THREADS[:-40], "its cell comments cannot be read (damaged"),
    ],
)
def test_comments_with_answers_are_said_and_damaged_ones_keep_no_value_away(
    read_book: Read, threads: bytes, said: str
) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet["B2"].comment = Comment("[Threaded comment] This program is too old for it.", "tc={1}")

    (table,) = read_book(_with_threads(saved(["item", "cost"], ["a", 2], adapt=adapt), threads))
    assert table.column("cost") == [2]
    assert said in table.notes and "too old" not in table.notes

"""Documents are read as a person reads them, page by page and in order, or refused with the reason."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.ingest import DocumentStore, ExtractedText, FileJob, IngestRefused, Kind, ReadDocument
from runtime.ingest.reading import read_file

from .conftest import LIMITS
from .documents import looping_pdf, packed, pdf, word

ENTITIES = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><a>&b;</a>'


@pytest.fixture
def read(session_connection, tmp_path: Path):
    def read_bytes(content: str | bytes, kind: Kind = "document", limits=LIMITS) -> tuple[ReadDocument, ExtractedText]:
        path = tmp_path / "files" / "it"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(path, (1_700_000_000, 1_700_000_000))
        job = FileJob(str(path.parent), path.name, kind, str(tmp_path / "store"))
        reading, _ = read_file(session_connection, job, limits)
        assert isinstance(reading, ReadDocument)
        text = DocumentStore(tmp_path / "store").find(reading.key)
        assert text is not None
        return reading, text

    return read_bytes


def test_a_pdf_has_the_text_of_each_page(read) -> None:
    reading, text = read(pdf([["Lease", "Deposit: 1890"], ["Page two, rent 1260"]]), "pdf")
    assert text.paged
    assert text.whole
    assert [page.split("\n") for page in text.pages] == [["Lease", "Deposit: 1890"], ["Page two, rent 1260"]]
    assert reading.first_line == "Lease"
    assert reading.notes == ()


def test_pages_without_text_are_said(read) -> None:
    reading, text = read(pdf([["Words"], [], []]), "pdf")
    assert reading.notes == ("no text on pages 2, 3: likely scanned or empty; pictures are not read",)
    assert len(text.pages) == 3
    reading, _ = read(pdf([[], []]), "pdf")
    assert "likely a scan" in reading.notes[0]


def test_only_so_many_pages_are_read_and_that_is_said(read) -> None:
    reading, text = read(pdf([["one"], ["two"], ["three"]]), "pdf", replace(LIMITS, document_pages=2))
    assert text.pages == ("one", "two")
    assert not text.whole
    assert reading.notes == ("only the first 2 of 3 pages are read",)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"%PDF-1.4\nnothing", "damaged"),
        (b"", "damaged"),
        (looping_pdf(), "PDF"),
    ],
)
def test_a_broken_pdf_is_refused_and_its_content_remembered(read, content, reason) -> None:
    for _ in range(2):
        with pytest.raises(IngestRefused, match=reason) as caught:
            read(content, "pdf")
        assert caught.value.revision.startswith("sha256:")


def test_a_word_document_keeps_its_order_headings_and_tables(read) -> None:
    reading, text = read(word(), "docx")
    lines = [line for line in text.pages[0].splitlines() if line]
    assert lines == [
        "# Travel policy",
        "Everybody may travel.",
        "## Allowances",
        "Country | Per day",
        "Germany | 28.00 EUR",
        "Japan | 66.00 EUR",
        "- Receipts are kept for 10 years.",
    ]
    assert reading.first_line == "# Travel policy"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 no zip", "damaged"),
        (packed({"a.txt": b"no document"}), "damaged"),
        (packed({"word/media/big.bin": bytes(3 << 20)}, word()), "unpacks to"),
        (packed({"word/document.xml": ENTITIES}, word()), "declares entities"),
        (packed({f"x{at}": b"" for at in range(5_001)}), "5,001 parts"),
        (packed({"word/document.xml": b"<a>" * 100_000}, word()), "damaged"),
    ],
    ids=["no zip", "another zip", "zip bomb", "entity bomb", "many parts", "deep nesting"],
)
def test_a_hostile_word_document_is_refused_with_the_reason(read, content, reason) -> None:
    with pytest.raises(IngestRefused, match=reason):
        read(content, "docx", replace(LIMITS, document_file_bytes=2 << 20))


def test_a_page_of_html_is_its_words(read) -> None:
    page = (
        "<html><head><title>House &amp; rules</title><style>p{color:red}</style><script>alert(1)</script></head>"
        "<body><h2>Prices</h2><p>All   in\n<b>EUR</b>.</p><ul><li>one<li>two</ul>"
        "<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Pro</td><td>12.50</td></tr></table></body></html>"
    )
    reading, text = read(page, "html")
    lines = [line for line in text.pages[0].splitlines() if line.strip()]
    assert lines == ["House & rules", "## Prices", "All in EUR.", "- one", "- two", "Plan | Price", "Pro | 12.50"]
    assert reading.first_line == "House & rules"


def test_deep_html_costs_nothing(read) -> None:
    _, text = read("<div>" * 200_000 + "deep" + "</div>" * 200_000, "html")
    assert text.pages[0].strip() == "deep"


@pytest.mark.parametrize(
    ("content", "text", "said"),
    [
        ("Grüße\r\nzwei\rdrei\n", "Grüße\nzwei\ndrei\n", ""),
        ("\ufeffMarked\n".encode(), "Marked\n", ""),
        ("Größe\n".encode("cp1252"), "Größe\n", "Windows-1252"),
        ("Größe\n".encode("utf-16"), "Größe\n", "UTF-16"),
        ("bell\a and\x1b[31m red\n", "bell and[31m red\n", ""),
    ],
)
def test_plain_text_in_its_encodings(read, content, text, said) -> None:
    reading, found = read(content)
    assert found.pages == (text,)
    assert said in " ".join(reading.notes)
    assert bool(said) == bool(reading.notes)


def test_bytes_that_are_no_text_are_refused(read) -> None:
    with pytest.raises(IngestRefused, match="NUL bytes"):
        read(b"\x7fELF\0\0\0")


def test_the_head_of_a_long_log_is_read_and_that_is_said(read) -> None:
    reading, text = read("äöü\n" * 100, limits=replace(LIMITS, document_text_bytes=50))
    assert text.pages[0].startswith("äöü\n")
    assert "\ufffd" not in text.pages[0]
    assert not text.whole
    assert reading.notes == ("only the first 50 of 700 bytes are read",)


def test_a_text_is_extracted_once_for_each_content(read, monkeypatch) -> None:
    content = word()
    first, _ = read(content, "docx")
    monkeypatch.setattr("runtime.ingest.document_docx.Document", None)
    again, _ = read(content, "docx")
    assert again == first

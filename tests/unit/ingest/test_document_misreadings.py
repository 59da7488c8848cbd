"""Documents that are easily misread: each another kind, with the right words and what has to be said about them."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pypdf import PdfReader, PdfWriter

from runtime.ingest import IngestRefused

from .documents import drawn_pdf, pdf, placed
from .test_documents import read

__all__ = ["read"]

Read = Callable[..., Any]


def lines(text: Any) -> list[str]:
    return [line for line in text.pages[0].splitlines() if line.strip()]


def locked(password: str) -> bytes:
    """A PDF that opens with this password, and is encrypted even when there is none."""
    writer = PdfWriter(PdfReader(io.BytesIO(pdf([["Rent 1260"]]))))
    writer.encrypt(password, "owner", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def saved(fill: Callable[[Any], Any]) -> bytes:
    document = Document()
    fill(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        pytest.param('<p>a</p><p style="Display : none">b</p><div hidden><p>c</p></div><p>d', ["a", "d"], id="hidden"),
        pytest.param(
            "<details><summary>Fees</summary>10 EUR</details><textarea>note</textarea><button>Send</button>now",
            ["Fees", "10 EUR", "note", "Send", "now"],
            id="words-of-a-form-stay-apart",
        ),
        pytest.param("<p hidden>secret<p>shown", ["shown"], id="a-hidden-paragraph-without-its-end"),
        pytest.param('<div hidden>x<img src="y"><br>z</div>shown', ["shown"], id="tags-without-an-end-in-hidden-ones"),
        pytest.param("a<script>if (1 < 2) document.write('<p>b')</script>c", ["ac"], id="script"),
        pytest.param("<p>Price <del>90</del><s>80</s> 70", ["Price ~~90~~~~80~~ 70"], id="struck-out-prices"),
        pytest.param("<p>Paid 100<sup>1</sup> for 5 m<sup>2</sup>", ["Paid 100^1 for 5 m^2"], id="raised-digits"),
        pytest.param(
            "<table><tr><td>Plan<td>May<td>June</tr><tr><td>Pro<td><td>9</tr></table>",
            ["Plan | May | June", "Pro |  | 9"],
            id="an-empty-cell-keeps-its-column",
        ),
        pytest.param(
            "<table><tr><td><p>Plan</p><td><div>Per<br>year</div></tr></table>after",
            ["Plan | Per year", "after"],
            id="paragraphs-in-cells",
        ),
        pytest.param(
            "<table><tr><td rowspan=2>Pro<td>May<td>1</tr><tr><td>June<td>2</tr>"
            "<tr><td colspan=2>Sum<td>3</tr></table>",
            ["Pro | May | 1", " | June | 2", "Sum |  | 3"],
            id="merged-cells",
        ),
        pytest.param("<p>10&nbsp;000 &euro; &lt;5&gt;", ["10 000 € <5>"], id="entities"),
    ],
)
def test_html_is_read_as_it_is_shown(read: Read, page: str, wanted: list[str]) -> None:
    _, text = read(page, "html")
    assert lines(text) == wanted


def test_a_page_is_decoded_as_it_says_itself(read: Read) -> None:
    page = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"></head>Отчёт'
    reading, text = read(page.encode("cp1251"), "html")
    assert lines(text) == ["Отчёт"]
    assert reading.notes == ("encoding: cp1251, as it says itself",)


@pytest.mark.parametrize("named", ["base64", "no-such-thing", "é"])
def test_a_page_that_names_no_encoding_of_texts_is_read_as_another(read: Read, named: str) -> None:
    reading, text = read(f'<meta charset="{named}">Größe'.encode("cp1252"), "html")
    assert lines(text) == ["Größe"]
    assert "Windows-1252" in reading.notes[0]


def test_letters_of_another_encoding_are_said(read: Read) -> None:
    reading, _ = read("Отчёт за май\n".encode("cp1251"))
    assert "likely another encoding, its words are wrong" in reading.notes[1]
    reading, _ = read("日本語の報告\n".encode("shift_jis"))
    assert "likely another encoding" in reading.notes[1]
    reading, _ = read("Die Größe der Häuser in Köln\n".encode("cp1252"))
    assert len(reading.notes) == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_log_in_utf_16_is_read_with_its_mark_or_without(read: Read, encoding: str) -> None:
    for mark in ("\ufeff", ""):
        reading, text = read(f"{mark}started\r\nstopped\r\n".encode(encoding))
        assert text.pages == ("started\nstopped\n",)
        assert "UTF-16" in reading.notes[0]


def test_words_are_found_in_spite_of_signs_nobody_sees(read: Read) -> None:
    _, text = read("The ﬁnal ﬂow of\u200b the com\u00adpany and its part\u00ad\nners")
    assert text.pages == ("The final flow of the company and its partners",)


def test_words_divided_at_line_ends_of_a_pdf_are_said(read: Read) -> None:
    reading, text = read(pdf([["The com-", "pany paid 1200-", "1300 EUR"]]), "pdf")
    assert text.pages[0].split("\n") == ["The com-", "pany paid 1200-", "1300 EUR"]
    assert reading.notes == ("words divided by a hyphen at 1 line ends stay divided: search for their halves",)


LEFT = (
    *("The tenant pays the rent", "on the first day of each", "month to the account of", "the landlord without any"),
    *("deduction. Late payments", "cost a fee of ten euros", "for each week."),
)
RIGHT = (
    *("Pets need the consent of", "the landlord in writing.", "The deposit is three times", "the monthly rent and is"),
    *("paid back in full within", "six months after the end", "of the tenancy."),
)
Texts = list[tuple[int, int, str]]


def set_at(x: int, lines: Sequence[str]) -> Texts:
    """Lines one below the other."""
    return [(x, 700 - 14 * at, line) for at, line in enumerate(lines)]


def beside(left: Texts, right: Texts) -> Texts:
    """Each line of the right column drawn behind its neighbour on the left."""
    return [text for pair in zip(left, right, strict=True) for text in pair]


def words_apart(texts: Texts) -> Texts:
    """Each word at its own place."""
    words = [(x, y, word) for x, y, line in texts for word in re.finditer(r"\S+", line)]
    return [(x + 6 * word.start(), y, word[0]) for x, y, word in words]


COLUMNS = beside(set_at(72, LEFT), set_at(320, RIGHT))
TABLE = beside(set_at(72, [f"item {at}" for at in range(9)]), set_at(320, [f"{7 * at}.50" for at in range(9)]))


@pytest.mark.parametrize(
    ("texts", "mixed"),
    [
        pytest.param(COLUMNS, True, id="line-by-line"),
        pytest.param(words_apart(COLUMNS), True, id="word-by-word"),
        pytest.param([*set_at(72, LEFT), *set_at(320, RIGHT)], False, id="one-after-the-other"),
        pytest.param(words_apart(set_at(72, LEFT + RIGHT)), False, id="one-column"),
        pytest.param(TABLE, False, id="a-table"),
    ],
)
def test_two_columns_of_a_pdf_that_come_out_mixed_are_said(read: Read, texts: Texts, mixed: bool) -> None:
    reading, _ = read(drawn_pdf([placed(texts)]), "pdf")
    said = ("two columns side by side come out mixed on page 1: a line may hold half of each",)
    assert reading.notes == (said if mixed else ())


def test_a_page_of_pictures_among_others_is_said_by_its_number(read: Read) -> None:
    reading, text = read(pdf([["One"], [], ["Three"]]), "pdf")
    assert text.pages[1] == ""
    assert reading.notes == ("no text on page 2: likely scanned or empty; pictures are not read",)


def test_an_encrypted_pdf_is_read_when_it_asks_for_no_password(read: Read) -> None:
    _, text = read(locked(""), "pdf")
    assert text.pages == ("Rent 1260",)
    with pytest.raises(IngestRefused, match="protected by a password"):
        read(locked("secret"), "pdf")


def test_merged_cells_of_a_word_table_keep_their_columns(read: Read) -> None:
    def fill(document: Any) -> None:
        table = document.add_table(rows=3, cols=3)
        for row, cells in enumerate((("Pro", "May", "1"), ("", "June", "2"), ("Sum", "", "3"))):
            for column, words in enumerate(cells):
                table.cell(row, column).text = words
        table.cell(0, 0).merge(table.cell(1, 0)).text = "Pro"
        table.cell(2, 0).merge(table.cell(2, 1)).text = "Sum"

    _, text = read(saved(fill), "docx")
    assert lines(text) == ["Pro | May | 1", "Pro | June | 2", "Sum |  | 3"]


def test_raised_digits_hidden_words_and_changes_of_a_word_document(read: Read) -> None:
    def fill(document: Any) -> None:
        paragraph = document.add_paragraph("Paid 100")
        paragraph.add_run("1").font.superscript = True
        paragraph.add_run(" secret").font.hidden = True
        for tag, words in (("w:ins", " new"), ("w:del", " old")):
            change, run = OxmlElement(tag), paragraph.add_run(words)._r
            paragraph._p.append(change)
            change.append(run)

    _, text = read(saved(fill), "docx")
    assert lines(text) == ["Paid 100^1 new"]


def test_words_in_the_margins_of_a_word_document_are_said(read: Read) -> None:
    def fill(document: Any) -> None:
        document.add_paragraph("Rent is due monthly.")
        section = document.sections[0]
        section.header.paragraphs[0].text = "DRAFT of May"
        section.footer.paragraphs[0].text = "Valid until 2023"

    reading, text = read(saved(fill), "docx")
    assert lines(text) == ["Rent is due monthly."]
    assert reading.notes == ("headers and footers of its pages are not read: 'DRAFT of May'; 'Valid until 2023'",)


def test_fields_of_a_form_are_read_and_what_is_not_is_said(read: Read) -> None:
    def fill(document: Any) -> None:
        field, content = OxmlElement("w:sdt"), OxmlElement("w:sdtContent")
        inner = document.add_paragraph("Name: Ann")
        content.append(inner._p)
        field.append(content)
        document.element.body.insert(0, field)
        document.add_paragraph("Rent")._p.append(OxmlElement("w:footnoteReference"))
        box = OxmlElement("w:txbxContent")
        box.append(OxmlElement("w:p"))
        document.add_paragraph("Side")._p.append(box)
        assert box.getparent().tag == qn("w:p")

    reading, text = read(saved(fill), "docx")
    assert lines(text) == ["Name: Ann", "Rent", "Side"]
    assert reading.notes == ("text boxes are not read (1)", "footnotes are not read (1)")

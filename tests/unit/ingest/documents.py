"""Documents made for tests: PDFs written by hand, Word files, and packages that are no documents at all."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence

from docx import Document


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF with one page for each list of lines."""
    return drawn_pdf(["72 720 Td " + "".join(f"({line}) Tj 0 -20 Td " for line in lines) for lines in pages])


def placed(texts: Iterable[tuple[int, int, str]]) -> str:
    """What draws these texts, each at its place (x, y), in this order."""
    return "".join(f"1 0 0 1 {x} {y} Tm ({text}) Tj " for x, y, text in texts)


def drawn_pdf(pages: Sequence[str]) -> bytes:
    """A PDF with one page for each run of text operators."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, drawn in enumerate(pages):
        stream = f"BT /F1 12 Tf {drawn}ET"
        page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents "
        objects += [f"{page}{5 + 2 * at} 0 R >>", f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, 2)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    table = out.tell()
    entries = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n{entries}trailer << /Size {size} /Root 1 0 R >>\n".encode())
    out.write(f"startxref\n{table}\n%%EOF\n".encode())
    return out.getvalue()


def looping_pdf() -> bytes:
    """A PDF whose page tree holds itself."""
    return pdf([["x"]]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")


def word() -> bytes:
    """A Word document with headings, a list and a table, in this order."""
    document = Document()
    document.add_heading("Travel policy", level=1)
    document.add_paragraph("Everybody may travel.")
    document.add_heading("Allowances", level=2)
    table = document.add_table(rows=0, cols=2)
    for cells in (("Country", "Per day"), ("Germany", "28.00 EUR"), ("Japan", "66.00 EUR")):
        row = table.add_row()
        row.cells[0].text, row.cells[1].text = cells
    document.add_paragraph("Receipts are kept for 10 years.", style="List Bullet")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def packed(parts: dict[str, bytes], base: bytes | None = None) -> bytes:
    """A zip of these parts, on top of those of `base`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        if base is not None:
            with zipfile.ZipFile(io.BytesIO(base)) as old:
                for name in old.namelist():
                    if name not in parts:
                        package.writestr(name, old.read(name))
        for name, body in parts.items():
            package.writestr(name, body)
    return out.getvalue()

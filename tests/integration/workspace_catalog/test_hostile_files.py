"""Files made to hurt: each ends in a reason, the process lives, and the files beside them are read."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

import pytest

from runtime.limits import MIB

HUGE = 10 << 30
KINDS = ("csv", "tsv", "json", "ndjson", "parquet", "txt", "log", "html", "pdf", "docx")


def pdf(*bodies: bytes) -> bytes:
    """A PDF of these objects, numbered from 1, the first its catalog."""
    out, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(out), len(bodies) + 1
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Root 1 0 R /Size %d >>\n" % (size, table, size)
    return out + b"startxref\n%d\n%%%%EOF" % start


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
BOMB = zlib.compress(b"BT (a) Tj ET\n" * 8_000_000, 9)
FORMS = (
    b"<< /Length 6 /Type /XObject /Subtype /Form /Resources << /XObject << /X 4 0 R >> >> >>\nstream\n/X Do \nendstream"
)
HOSTILE = {
    "pages-in-a-loop.pdf": pdf(CATALOG, b"<< /Type /Pages /Kids [2 0 R] /Count 9 >>"),
    "tables-in-a-loop.pdf": b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \n"
    b"trailer << /Root 1 0 R /Size 2 /Prev 9 >>\nstartxref\n9\n%%EOF",
    "inflates.pdf": pdf(
        CATALOG,
        PAGES,
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(BOMB), BOMB),
    ),
    "forms-in-a-loop.pdf": pdf(
        CATALOG,
        PAGES,
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X 4 0 R >> >> >>",
        FORMS,
    ),
    "deep.json": b"[" * 2_000_000,
    "deep-objects.json": b'{"a":' * 300_000 + b"1" + b"}" * 300_000,
    "deep.ndjson": b"[" * 500_000 + b"\n",
    "quotes.csv": b"a,b\n" + b'"' * 3_000_000,
    "delimiters.csv": b"a\n" + b"," * 3_000_000,
    "one-line.csv": b"a,b\n1," + b"x" * 3_000_000 + b"\n",
    "wide.csv": b",".join(b"c%d" % place for place in range(6_000)) + b"\n" + b"1," * 5_999 + b"1\n",
}
"""Refused, or read without a table that isn't there."""


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_ends_in_a_reason_and_the_one_beside_it_is_read(desk: Any, name: str) -> None:
    desk.write(name, HOSTILE[name])
    desk.write("zz.csv", "n\n1\n")
    catalog = await desk.files().refresh()
    found = {file.path: file for file in catalog.files}
    assert found[name].reason or found[name].notes
    assert found[name].kind != "table"
    assert [table.name for table in catalog.tables] == ["zz"]


def stored(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


@pytest.mark.parametrize("kind", KINDS)
async def test_ten_gigabytes_of_nothing_are_refused_unread(desk: Any, kind: str) -> None:
    path = desk.write(f"huge.{kind}", "")
    os.truncate(path, HUGE)
    os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    files = desk.files()
    (file,) = (await files.refresh()).files
    assert file.kind == "skipped"
    assert "read only as Parquet" in file.reason or "does not begin and end like one" in file.reason
    assert files.reader.peak_bytes() < 512 * MIB
    assert stored(desk.cache_dir) < MIB


async def test_pipes_devices_and_links_are_listed_and_never_opened(desk: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("password\nhunter2\n")
    os.mkfifo(desk.root / "pipe.csv")
    links = {"out.csv": tmp_path / "secret.csv", "zero.csv": "/dev/zero", "self.csv": "self.csv", "up": ".."}
    for name, target in links.items():
        (desk.root / name).symlink_to(target)
    catalog = await desk.files().refresh()
    reasons = {file.path: file.reason for file in catalog.files}
    assert reasons.pop("pipe.csv") == "not an ordinary file (a pipe, socket or device)"
    assert reasons == dict.fromkeys(sorted(links), "a symbolic link; links are not followed")


async def test_a_reader_that_hangs_is_ended_with_a_reason(desk: Any) -> None:
    """The time for a file ends a reader that works on without end; here it has none at all."""
    desk.write("a.csv", "n\n1\n")
    files = desk.files()
    files.reader._bounds = _NoTime(files.reader._bounds)
    (file,) = (await files.refresh()).files
    assert file.reason.startswith("reading it took more than")


class _NoTime:
    """Limits whose times for a file are over at once, so that no machine is fast enough."""

    def __init__(self, limits: Any) -> None:
        self._limits = limits
        self.read_table_seconds = self.read_document_seconds = -1e9

    def __getattr__(self, name: str) -> Any:
        return getattr(self._limits, name)

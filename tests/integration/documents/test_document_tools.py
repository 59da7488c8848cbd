"""The document tools over real folders: places, parts, refusals and coverage as the model meets them."""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runtime.errors import CallError
from runtime.evidence import Truncation
from runtime.toolboxes.files import (
    file_query,
    file_read,
    file_search,
    grep_files,
    inspect_table,
    list_files,
    read_file,
)

from .parts import Desk, made, written

OLD = 1_700_000_000


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator:
    desk = Desk(tmp_path)
    root = tmp_path / "files"
    (root / "policies").mkdir(parents=True)
    contents = {
        "lease.pdf": made.pdf([["Lease summary"], ["Monthly rent: $1260", "Security deposit: $1890"]]),
        "scan.pdf": made.pdf([[]]),
        "policies/travel.docx": made.word(),
        "policies/leave.md": b"# Leave\n\nParental leave is 14 weeks.\nAsk early.\nAnother leave rule.\n",
        "orders.csv": b"id,note\n1,leave at door\n",
        "old.txt": "Größe: 5 Stück\n".encode("cp1252"),
        "credentials.txt": b"password leave\n",
        ".hidden.md": b"leave\n",
        "fake.txt": b"\x7fELF\0\0leave",
    }
    for name, content in contents.items():
        (root / name).write_bytes(content)
    (root / "link.md").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe.txt")
    for name in contents:
        os.utime(root / name, (OLD, OLD))
    await desk.open({})
    yield desk
    await desk.close()


async def test_listing_shows_documents_with_their_notes(desk) -> None:
    output = await desk.call(list_files.CAPABILITY, kind="documents")
    entries = {entry["name"]: entry for entry in output.data["entries"]}
    assert set(entries) == {"lease.pdf", "scan.pdf", "policies/travel.docx", "policies/leave.md", "old.txt"}
    assert entries["lease.pdf"]["first_line"] == "Lease summary"
    assert "likely a scan" in entries["scan.pdf"]["notes"][0]


async def test_grep_gives_file_and_line_or_page(desk) -> None:
    output = await desk.call(grep_files.CAPABILITY, pattern="DEPOSIT|parental leave")
    assert [(hit["at"], hit["text"]) for hit in output.data["hits"]] == [
        ("lease.pdf p.2", "Security deposit: $1890"),
        ("policies/leave.md:3", "Parental leave is 14 weeks."),
    ]
    assert output.text == "lease.pdf p.2: Security deposit: $1890\npolicies/leave.md:3: Parental leave is 14 weeks."
    assert [source.file for source in output.sources] == ["lease.pdf", "policies/leave.md"]
    assert not output.data["searched"]["complete"]  # a scan has no text
    assert any("likely a scan" in note for note in output.notes)
    assert "1 tables were not searched: query them with run_sql" in output.notes


async def test_grep_shows_context_and_cuts_at_the_bound(desk) -> None:
    output = await desk.call(grep_files.CAPABILITY, pattern="leave", names=["leave.md"], max_hits=2, context=1)
    assert (output.data["total"], len(output.data["hits"])) == (3, 2)
    assert output.truncated == Truncation("hits_shown", 2, 3)
    assert output.data["hits"][1]["before"] == [""]
    assert output.data["hits"][1]["after"] == ["Ask early."]
    assert output.data["searched"]["complete"]


async def test_one_bad_name_does_not_fail_the_others(desk) -> None:
    names = ["policies/leave.md", "leafe.md", "orders.csv", "credentials.txt", "link.md"]
    output = await desk.call(grep_files.CAPABILITY, pattern="leave", names=names)
    assert output.data["total"] == 3
    notes = "\n".join(output.notes)
    assert "Near names: policies/leave.md" in notes
    assert "orders.csv: a table: query it with run_sql" in notes
    assert "credentials.txt: its name looks like that of a secret" in notes
    assert "link.md: a symbolic link" in notes
    with pytest.raises(CallError) as caught:
        await desk.call(grep_files.CAPABILITY, pattern="leave", names=["../../etc/passwd"])
    assert caught.value.code == "not_found"


@pytest.mark.parametrize(
    ("pattern", "taught"),
    [("(?=leave)x", "look-ahead"), (r"(a)\1", "back references"), ("(", "RE2"), ("a{5000}", "repeats")],
)
async def test_a_pattern_that_re2_cannot_take_is_explained(desk, pattern, taught) -> None:
    with pytest.raises(CallError) as caught:
        await desk.call(grep_files.CAPABILITY, pattern=pattern)
    assert caught.value.code == "pattern_refused"
    assert taught in caught.value.hint
    assert "(?m)" not in caught.value.message


async def test_a_catastrophic_pattern_is_as_quick_as_any(desk) -> None:
    path = desk.folder / "files" / "long.txt"
    path.write_text(("a" * 5_000 + "!\n") * 400)
    os.utime(path, (OLD, OLD))
    output = await desk.call(grep_files.CAPABILITY, pattern="^(a+)+$|(a|aa)+b|([a-z]+)*x", names=["long.txt"])
    assert output.data["total"] == 0
    assert output.data["searched"]["complete"]


async def test_read_gives_pages_headings_and_tables(desk) -> None:
    output = await desk.call(read_file.CAPABILITY, names=["lease.pdf", "travel.docx", "nothing.md"], pages=None)
    lease, travel, nothing = output.data["documents"]
    assert lease["text"] == "[page 1]\nLease summary\n\n[page 2]\nMonthly rent: $1260\nSecurity deposit: $1890"
    assert lease["pages"] == 2
    assert "## Allowances" in travel["text"]
    assert "Germany | 28.00 EUR" in travel["text"]
    assert nothing["error"]["code"] == "not_found"
    assert output.text is not None
    assert "66.00 EUR" in output.text
    assert [source.file for source in output.sources] == ["lease.pdf", "policies/travel.docx"]
    output = await desk.call(read_file.CAPABILITY, name="lease.pdf", pages="2")
    assert output.data["documents"][0]["text"].startswith("[page 2]\nMonthly rent")
    for arguments in ({"name": "lease.pdf", "pages": "7"}, {"name": "policies/leave.md", "pages": "1"}, {}):
        with pytest.raises(CallError) as caught:
            await desk.call(read_file.CAPABILITY, **arguments)
        assert caught.value.code == "invalid_arguments"


async def test_a_long_document_is_read_part_by_part_without_loss(desk) -> None:
    text = "".join(f"line {number} of a long log\n" for number in range(1, 2_001))
    path = desk.folder / "files" / "long.log"
    path.write_text(text)
    os.utime(path, (OLD, OLD))
    parts, offset = [], 0
    while offset is not None:
        output = await desk.call(read_file.CAPABILITY, name="long.log", offset=offset)
        (part,) = output.data["documents"]
        assert len(part["text"]) <= 12_000
        parts.append(part["text"])
        offset = part["next_offset"]
    assert "".join(parts) == text
    assert all(part.endswith("\n") for part in parts)
    output = await desk.call(read_file.CAPABILITY, names=["long.log", "leave.md", "old.txt"])
    assert sum(len(part["text"]) for part in output.data["documents"]) <= 16_000


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("credentials.txt", "file_refused", "secret"),
        (".hidden.md", "file_refused", "hidden"),
        ("link.md", "file_refused", "symbolic link"),
        ("pipe.txt", "file_refused", "not an ordinary file"),
        ("fake.txt", "file_refused", "NUL"),
        ("/etc/passwd", "not_found", "passwd"),
        ("policies/../orders.csv", "not_found", ""),
    ],
)
@pytest.mark.parametrize("tool", [read_file, file_read], ids=["read_file", "file_read"])
async def test_what_must_not_be_read_is_refused(desk, tool, name, code, said) -> None:
    with pytest.raises(CallError) as caught:
        await desk.call(tool.CAPABILITY, **{"name" if tool is read_file else "path": name})
    assert caught.value.code == code
    assert said in caught.value.message


async def test_file_read_gives_the_bytes_with_digest_and_binding(desk) -> None:
    body = (desk.folder / "files" / "policies/leave.md").read_bytes()
    output = await desk.call(file_read.CAPABILITY, path="policies/leave.md")
    digest = "sha256:" + hashlib.sha256(body).hexdigest()
    assert output.data["text"].encode() == body
    assert output.data["content_sha256"] == output.data["revision"] == digest
    assert output.data["binding"] == f"{digest}:policies/leave.md"
    assert output.data["next_cursor"] is None
    table = await desk.call(file_read.CAPABILITY, path="orders.csv")
    assert table.data["text"] == "id,note\n1,leave at door\n"
    other = await desk.call(file_read.CAPABILITY, path="old.txt")
    assert other.data["text"] == "Größe: 5 Stück\n"
    assert "Windows-1252" in other.notes[0]
    assert "rewrite it as UTF-8" in other.notes[1]
    with pytest.raises(CallError) as caught:
        await desk.call(file_read.CAPABILITY, path="lease.pdf")
    assert "read_file" in caught.value.hint


async def test_file_read_goes_on_by_cursor_while_the_content_is_the_same(desk) -> None:
    path = desk.folder / "files" / "big.txt"
    text = "".join(f"Zeile {number} größer\n" for number in range(9_000))
    path.write_text(text)
    os.utime(path, (OLD, OLD))
    parts, cursor = [], None
    while True:
        output = await desk.call(file_read.CAPABILITY, path="big.txt", **({"cursor": cursor} if cursor else {}))
        assert len(output.data["text"].encode()) <= 48 * 1024
        parts.append(output.data["text"])
        last, cursor = cursor, output.data["next_cursor"]
        if cursor is None:
            break
    assert "".join(parts) == text
    end = await desk.call(file_read.CAPABILITY, path="big.txt", position="end")
    assert text.endswith(end.data["text"])
    path.write_text(text + "more\n")
    with pytest.raises(CallError) as caught:
        await desk.call(file_read.CAPABILITY, path="big.txt", cursor=last)
    assert caught.value.code == "cursor_invalid"


async def test_a_file_swapped_or_gone_after_the_listing_is_not_read(desk, monkeypatch) -> None:
    documents = desk.opened[0].documents
    catalog = await documents.catalog()
    path = desk.folder / "files" / "policies/leave.md"
    for swap in (lambda: path.symlink_to("/etc/passwd"), lambda: path.write_text("other"), lambda: None):
        path.unlink(missing_ok=True)
        swap()
        file = next(file for file in catalog.files if file.path == "policies/leave.md")
        for read in (documents.text_now, documents.raw_now):
            with pytest.raises(CallError) as caught:
                read(file)
            assert caught.value.code in ("file_refused", "file_changed")


async def test_a_document_that_changed_is_read_as_it_is_now(desk) -> None:
    first = await desk.call(read_file.CAPABILITY, name="leave.md")
    path = desk.folder / "files" / "policies/leave.md"
    path.write_text("# Leave\n\nParental leave is 20 weeks.\n")
    again = await desk.call(read_file.CAPABILITY, name="leave.md")
    assert "14 weeks" in json.dumps(dict(first.data))
    assert "20 weeks" in json.dumps(dict(again.data))
    assert first.sources[0].revision != again.sources[0].revision


async def test_file_search_finds_paths_and_texts_and_says_its_coverage(desk) -> None:
    output = await desk.call(file_search.CAPABILITY, query="leave")
    assert [(match["path"], match.get("line")) for match in output.data["matches"]] == [
        ("orders.csv", 2),
        ("policies/leave.md", None),
        ("policies/leave.md", 1),
        ("policies/leave.md", 3),
        ("policies/leave.md", 5),
    ]
    assert output.data["coverage"]["complete"]
    assert output.data["coverage"]["files_scanned"] == 6
    by_glob = await desk.call(file_search.CAPABILITY, glob="policies/*.docx")
    assert [match["path"] for match in by_glob.data["matches"]] == ["policies/travel.docx"]
    within = await desk.call(file_search.CAPABILITY, query="28.00", paths=["policies"], mode="content")
    assert [match["at"] for match in within.data["matches"]] == ["policies/travel.docx:6"]
    literal = await desk.call(file_search.CAPABILITY, query="l.ave", mode="content")
    assert literal.data["total"] == 0
    for arguments in ({}, {"query": "x", "glob": "*"}):
        with pytest.raises(CallError) as caught:
            await desk.call(file_search.CAPABILITY, **arguments)
        assert caught.value.code == "invalid_arguments"
    with pytest.raises(CallError) as caught:
        await desk.call(file_search.CAPABILITY, glob="../*")
    assert caught.value.code == "pattern_refused"


async def test_the_places_of_a_search_are_found_like_names_and_a_wrong_one_is_said(desk) -> None:
    for place in ("policies", "Policies/", "./policies", ".", "/"):
        output = await desk.call(file_search.CAPABILITY, query="14 weeks", paths=[place])
        assert [match["path"] for match in output.data["matches"]] == ["policies/leave.md"]
    for place in ("policy", "../files", "policies/leav"):
        with pytest.raises(CallError) as caught:
            await desk.call(file_search.CAPABILITY, query="14 weeks", paths=["policies", place])
        assert caught.value.code == "not_found"
    assert "policies" in caught.value.hint


async def test_letters_are_found_however_their_marks_are_written(tmp_path: Path) -> None:
    """Names and texts that come from a Mac have a letter and its marks apart; questions have them in one."""
    apart, together = (unicodedata.normalize(form, "Übermaß-Größe") for form in ("NFD", "NFC"))
    desk = Desk(tmp_path)
    await desk.open({f"{apart}.md": f"Die {apart} ist 5.\n", f"{apart}.csv": f"was,n\n{apart},5\n"})
    try:
        for word in (together, apart):
            assert (await desk.call(grep_files.CAPABILITY, pattern=word)).data["total"] == 1
            assert (await desk.call(file_search.CAPABILITY, query=word)).data["total"] == 4
            assert (await desk.call(list_files.CAPABILITY, search=word)).data["entries"]
            read = await desk.call(read_file.CAPABILITY, name=f"{word}.md")
            assert read.data["documents"][0]["text"] == f"Die {apart} ist 5.\n"
            assert (await desk.call(file_read.CAPABILITY, path=f"{word}.csv")).data["text"].endswith(",5\n")
            assert (await desk.call(inspect_table.CAPABILITY, name=f"{word}.csv")).data["rows"] == 1
            result = await desk.call(file_query.CAPABILITY, path_pattern=f"{word}.csv", sql="SELECT n FROM data")
            assert result.data["rows"] == [[5]]
    finally:
        await desk.close()


async def test_lines_are_counted_to_the_last_whether_it_ends_or_not(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    await desk.open({"a.txt": "one\r\ntwo\n", "b.txt": "one\rtwo"})
    try:
        for name in ("a.txt", "b.txt"):
            assert (await desk.call(file_read.CAPABILITY, path=name, line=2)).data["text"].startswith("two")
            with pytest.raises(CallError) as caught:
                await desk.call(file_read.CAPABILITY, path=name, line=3)
            assert caught.value.hint == "The file has 2 lines."
    finally:
        await desk.close()


async def test_the_raw_cells_behind_a_note_are_looked_up_by_their_line(tmp_path: Path) -> None:
    rows = "".join(f"{number},{'n/a' if number == 700 else f'{number}.5%'}\r\n" for number in range(1, 1_001))
    desk = Desk(tmp_path)
    await desk.open({"shares.csv": "id,share\r\n" + rows})
    listed = await desk.call(list_files.CAPABILITY)
    assert "'n/a'" in " ".join(listed.data["entries"][0]["notes"])
    found = await desk.call(file_search.CAPABILITY, query="n/a", mode="content")
    (match,) = found.data["matches"]
    assert match["line"] == 701
    raw = await desk.call(file_read.CAPABILITY, path="shares.csv", line=match["line"])
    assert raw.data["text"].startswith("700,n/a\r\n701,701.5%\r\n")
    with pytest.raises(CallError) as missing:
        await desk.call(file_read.CAPABILITY, path="shares.csv", line=1_002)
    assert (missing.value.code, missing.value.hint) == ("not_found", "The file has 1,001 lines.")
    await desk.close()


PAGE = b"<table><tr><th>n<th>v<tr><td>1<td>2</table>"


async def test_what_lies_behind_an_end_is_said(desk) -> None:
    read = await desk.call(read_file.CAPABILITY, name="leave.md", offset=5_000)
    assert read.data["documents"][0]["text"] == ""
    assert any("nothing stands at the offset 5,000; it ends at" in note for note in read.notes)
    pages = await desk.call(read_file.CAPABILITY, name="lease.pdf", pages="2-9")
    assert pages.data["documents"][0]["text"].startswith("[page 2]")
    assert "lease.pdf: it has 2 pages, so not all of 2-9" in pages.notes
    assert not (await desk.call(read_file.CAPABILITY, name="lease.pdf", pages="1-2")).notes
    listed = await desk.call(list_files.CAPABILITY, offset=100)
    assert listed.data["entries"] == []
    assert "nothing stands at the offset 100" in listed.notes[0]
    assert not (await desk.call(list_files.CAPABILITY, search="nowhere")).notes


async def test_the_hits_that_are_kept_are_those_of_the_order_that_is_asked_for(desk) -> None:
    root = desk.folder / "files"
    for name, text, when in (("a.md", "needle\n" * 150, OLD), ("z.md", "needle\n", OLD + 60)):
        (root / name).write_text(text)
        os.utime(root / name, (when, when))
    first = {}
    for order in ("path", "modified"):
        output = await desk.call(file_search.CAPABILITY, query="needle", mode="content", order=order)
        first[order] = output.data["matches"][0]["path"]
        assert (output.data["total"], len(output.data["matches"])) == (151, 100)
    assert first == {"path": "a.md", "modified": "z.md"}


async def test_tables_that_hold_no_text_are_said_not_to_be_searched(desk) -> None:
    for name in ("book.xls", "page.xls"):
        path = desk.folder / "files" / name
        path.write_bytes(PAGE)
        os.utime(path, (OLD, OLD))
    searched = await desk.call(file_search.CAPABILITY, query="v", mode="content", paths=["book.xls"])
    assert "1 spreadsheet or Parquet file was not searched within: query them with run_sql" in searched.notes
    both = await desk.call(file_search.CAPABILITY, query="leave")
    assert "2 spreadsheets and Parquet files were not searched within: query them with run_sql" in both.notes
    assert not (await desk.call(file_search.CAPABILITY, query="book", mode="paths")).notes


async def test_a_spreadsheet_that_is_text_is_read_as_it_stands_and_a_packed_one_is_none(desk) -> None:
    """So that the raw cells behind a note can be looked up."""
    books = (("page.xls", PAGE), ("book.xlsx", written(lambda book: book.add_worksheet().write_row(0, 0, ["a", "b"]))))
    for name, content in books:
        path = desk.folder / "files" / name
        path.write_bytes(content)
        os.utime(path, (OLD, OLD))
    assert (await desk.call(file_read.CAPABILITY, path="page.xls")).data["text"] == PAGE.decode()
    with pytest.raises(CallError, match="it is not a text file") as caught:
        await desk.call(file_read.CAPABILITY, path="book.xlsx")
    assert caught.value.code == "file_refused"

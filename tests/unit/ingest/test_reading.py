"""A file is read as it was at one moment, from inside the root only, and once for each content."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.ingest import IngestRefused, open_inside, reading
from runtime.ingest.outcome import SourceChanged

ReadPath = Callable[..., Any]


@pytest.fixture
def edits(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, list[str]], None]:
    """Writes one of the texts into the file in the middle of each reading."""

    def plan(path: Path, texts: list[str]) -> None:
        real = reading.read_delimited

        def edited(*arguments: Any) -> Any:
            result = real(*arguments)
            if texts:
                path.write_text(texts.pop(0))
            return result

        monkeypatch.setattr(reading, "read_delimited", edited)

    return plan


def test_a_file_edited_once_while_it_is_read_is_read_again(tmp_path: Path, read_path: ReadPath, edits: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n\n1\n")
    edits(path, ["n\n2\n"])
    assert read_path(path).rows == [(2,)]


def test_a_file_that_keeps_changing_is_refused(tmp_path: Path, read_path: ReadPath, edits: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n\n1\n")
    edits(path, ["n\n2\n", "n\n3\n"])
    with pytest.raises(IngestRefused, match="changed while it was read"):
        read_path(path)


def test_an_edit_that_keeps_size_and_times_is_seen(tmp_path: Path, read_path: ReadPath, edits: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n\n1\n")
    edits(path, ["n\n7\n"])
    assert read_path(path).rows == [(7,)]


def test_the_same_content_is_read_once(tmp_path: Path, read_path: ReadPath, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.csv", "b.csv", "bad.csv", "bad2.csv"):
        (tmp_path / name).write_text("\n" if "bad" in name else "n\n1\n")
    first = read_path(tmp_path / "a.csv")
    with pytest.raises(IngestRefused):
        read_path(tmp_path / "bad.csv")
    monkeypatch.delattr(reading, "read_delimited")
    assert read_path(tmp_path / "b.csv").reading == first.reading
    with pytest.raises(IngestRefused, match="empty"):
        read_path(tmp_path / "bad2.csv")


def test_nothing_outside_the_root_is_opened(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "a.csv").write_text("secret")
    (root / "link").symlink_to(outside)
    (root / "file.csv").symlink_to(outside / "a.csv")
    os.mkfifo(root / "pipe.csv")
    for path in (
        "link/a.csv",
        "file.csv",
        "../outside/a.csv",
        "sub/../../outside/a.csv",
        "/etc/passwd",
        "pipe.csv",
        "sub",
    ):
        with pytest.raises(IngestRefused):
            open_inside(str(root), path)
    with pytest.raises(SourceChanged):
        open_inside(str(root), "gone.csv")

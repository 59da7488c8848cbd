"""The command line as a shell uses it: whatever is typed, wherever the output goes, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import write_workspace

ROOT = Path(__file__).parents[2]


@pytest.fixture
def footnote(tmp_path: Path):
    """Runs `footnote` over a workspace with one table."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ours = {"FOOTNOTE_MANIFEST": str(write_workspace(tmp_path)), "FOOTNOTE_DATA_DIR": str(tmp_path / "cache")}

    def run(*arguments: str | bytes, stdout: Any = subprocess.PIPE, **environment: str):
        return subprocess.run(
            [sys.executable, "-m", "bot", *arguments],
            cwd=ROOT,
            env={**keep, **ours, **environment},
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
            timeout=180,
        )

    return run


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_no_query_at_all_is_told_what_one_is(footnote, query) -> None:
    done = footnote("sql", query)
    assert done.returncode == 2
    assert b"[SOURCE]" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("limit", ["0", "-1", "9" * 23, "ten", "²"])
def test_a_number_of_receipts_that_is_none_is_wrong_use(footnote, limit) -> None:
    done = footnote("receipts", f"--limit={limit}")
    assert done.returncode == 2
    assert "is no number from 1 to" in done.stderr.decode()


def test_letters_that_the_terminal_does_not_know_are_escaped(footnote) -> None:
    done = footnote("ask", "weather in Köln tomorrow?", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\xf6" in done.stdout


def test_a_reader_that_has_enough_is_no_fault(footnote) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody_reads:
        done = footnote("version", stdout=nobody_reads)
    assert (done.returncode, done.stderr) == (1, b"")


def test_an_output_that_cannot_be_written_is_said(footnote) -> None:
    with Path("/dev/full").open("wb") as full:
        done = footnote("version", stdout=full)
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "footnote: the output cannot be written: No space left on device\n",
    )

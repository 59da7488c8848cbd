"""Builds of one checkout at the same time, in processes of their own: one builds, the others find what it made.

The component is a small one, so that it is made at once; lock, files and processes are the real ones.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from guest.artifact import checked
from guest.host.compiled import compiled_name, is_sound

BUILDER = """
import sys
from pathlib import Path
import wasmtime
import guest.build as builder

def componentize(target):
    print("building", flush=True)
    assert sys.stdin.readline() == "go on\\n"
    target.write_bytes(wasmtime.wat2wasm('(component (import "sql" (func)) (import "emit" (func)))'))

builder.componentize = componentize
builder.build(Path(sys.argv[1]))
print("done", flush=True)
"""
Start = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a build of one folder, which waits in its middle until it is told to go on."""
    begun: list[subprocess.Popen[str]] = []

    def started() -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", BUILDER, str(tmp_path)]
        begun.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return begun[-1]

    yield started
    for process in begun:
        process.kill()
        process.communicate()


def said(process: "subprocess.Popen[str]", mark: str) -> None:
    """Reads until the process has said it."""
    assert process.stdout is not None, "opened with a pipe"
    assert any(mark in line for line in process.stdout), f"it never said {mark!r}"


def test_the_second_of_two_builds_waits_and_builds_nothing(tmp_path: Path, start: Start) -> None:
    first = start()
    said(first, "building the sealed Python")
    second = start()
    said(second, "another build is under way")
    assert first.communicate("go on\n", timeout=240)[0].endswith("done\n")
    assert second.communicate(timeout=240)[0] == "done\n"
    _, manifest = checked(tmp_path)
    assert is_sound(tmp_path / compiled_name(manifest.wasm_sha256))
    assert not list(tmp_path.glob("*.part"))


def test_a_build_that_was_killed_leaves_no_lock_and_no_half_artifact(tmp_path: Path, start: Start) -> None:
    first = start()
    said(first, "building the sealed Python")
    second = start()
    said(second, "another build is under way")
    os.kill(first.pid, signal.SIGKILL)
    said(second, "building the sealed Python")
    assert second.communicate("go on\n", timeout=240)[0].endswith("done\n")
    checked(tmp_path)


def test_a_new_build_takes_the_place_of_the_old_one(tmp_path: Path, start: Start) -> None:
    (tmp_path / "guest-0123.cwasm").write_bytes(b"of older sources")
    assert start().communicate("go on\n", timeout=240)[0].endswith("done\n")
    assert not (tmp_path / "guest-0123.cwasm").exists()
    assert start().communicate(timeout=240)[0] == "done\n"  # current: nothing is built

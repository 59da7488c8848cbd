"""Set-up explains itself: which Python is too old, what is missing, what it does; and does nothing twice."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.house.tree import ROOT

pytestmark = pytest.mark.smoke


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout without an environment: just what set-up reads."""
    folder = tmp_path / "checkout"
    (folder / ".ci").mkdir(parents=True)
    for name in ("Makefile", "requirements.lock", "pyproject.toml", ".ci/setup"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def interpreter(folder: Path, name: str, version: tuple[int, int, int], *, venv: bool = True) -> Path:
    """A stand-in for a Python of some version: answers the questions that set-up asks, makes a folder for a venv."""
    major, minor, patch = version
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"""#!/bin/sh
case "$*" in
*"sys.exit(sys.version_info"*) exit {int(version < (3, 11, 0))} ;;
*"%d.%d.%d"*) echo {major}.{minor}.{patch} ;;
*"%d.%d"*) echo {major}.{minor} ;;
*ensurepip*) exit {int(not venv)} ;;
*"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;;
*"-m pip"*) echo "pip $*" >>"{folder}/pip.log" ;;
esac
"""
    )
    path.chmod(0o755)
    return path


def setup(checkout: Path, python: str = "", path: str | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHON": python, "VENV": ".venv"} | ({"PATH": path} if path else {})
    return subprocess.run(["/bin/sh", ".ci/setup"], cwd=checkout, env=env, capture_output=True, text=True, check=False)


def test_too_old_a_python_is_named_with_what_is_needed(checkout: Path, tmp_path: Path) -> None:
    old = interpreter(tmp_path, "old/python3", (3, 9, 2))
    done = setup(checkout, str(old))
    assert done.returncode != 0
    assert "3.9.2" in done.stderr and "3.11 or newer" in done.stderr and "PYTHON=" in done.stderr
    assert not (checkout / ".venv").exists()


def test_without_any_suitable_python_it_says_how_to_get_one(checkout: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    interpreter(tools, "python3", (3, 9, 2))
    for tool in ("cat", "cksum", "dirname"):
        (tools / tool).symlink_to(shutil.which(tool) or "")
    done = setup(checkout, path=str(tools))
    assert done.returncode != 0
    assert "python3 here is 3.9.2" in done.stderr and "apt install" in done.stderr


def test_a_newer_python_under_another_name_is_found(checkout: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    interpreter(tools, "python3", (3, 9, 2))
    interpreter(tools, "python3.12", (3, 12, 1))
    for tool in ("cat", "cksum", "grep", "mkdir", "cp", "rm"):
        (tools / tool).symlink_to(shutil.which(tool) or "")
    done = setup(checkout, path=str(tools))
    assert done.returncode == 0, done.stderr
    assert "with Python 3.12.1" in done.stdout


def test_a_python_without_venv_is_told_apart(checkout: Path, tmp_path: Path) -> None:
    bare = interpreter(tmp_path, "python3.13", (3, 13, 0), venv=False)
    done = setup(checkout, str(bare))
    assert done.returncode != 0
    assert "ensurepip" in done.stderr and "apt install python3.13-venv" in done.stderr


def test_an_unknown_interpreter_is_named(checkout: Path) -> None:
    done = setup(checkout, "python3.99")
    assert done.returncode != 0 and "python3.99" in done.stderr


def test_it_installs_by_hash_then_the_project_and_only_once(checkout: Path, tmp_path: Path) -> None:
    python = interpreter(tmp_path, "python3", (3, 13, 1))
    first = setup(checkout, str(python))
    assert first.returncode == 0, first.stderr
    assert "making .venv" in first.stdout and "hash" in first.stdout and "done" in first.stdout
    installs = [line for line in (tmp_path / "pip.log").read_text().splitlines() if " install " in line]
    assert "--require-hashes -r requirements.lock" in installs[0]
    assert "--no-deps --no-build-isolation -e ." in installs[1]
    second = setup(checkout, str(python))
    assert second.returncode == 0 and second.stdout == ""


def test_a_changed_lock_installs_anew_in_the_same_environment(checkout: Path, tmp_path: Path) -> None:
    python = interpreter(tmp_path, "python3", (3, 13, 1))
    setup(checkout, str(python))
    with (checkout / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    again = setup(checkout, str(python))
    assert "installing" in again.stdout and "making" not in again.stdout


def test_another_python_makes_the_environment_anew(checkout: Path, tmp_path: Path) -> None:
    setup(checkout, str(interpreter(tmp_path, "python3.13", (3, 13, 1))))
    again = setup(checkout, str(interpreter(tmp_path, "python3.11", (3, 11, 7))))
    assert "making .venv with Python 3.11.7" in again.stdout


def test_an_interrupted_installation_is_not_taken_for_a_finished_one(checkout: Path, tmp_path: Path) -> None:
    python = interpreter(tmp_path, "python3", (3, 13, 1))
    setup(checkout, str(python))
    failing = (
        (checkout / ".venv/bin/python").read_text().replace('"-m pip"*)', '"-m pip install"*) exit 1 ;;\n*"-m pip"*)')
    )
    (checkout / ".venv/bin/python").write_text(failing)
    with (checkout / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert setup(checkout, str(python)).returncode != 0
    assert not (checkout / ".venv/.ready").exists()


def test_every_target_is_explained_by_help() -> None:
    targets = {"install", "demo", "test", "lint", "bench"}
    done = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert targets <= {line.split()[1] for line in done.stdout.splitlines() if line.startswith("  make")}


def test_demo_test_lint_and_bench_do_their_own_set_up() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert all(f"\n{target}: install ##" in makefile for target in ("demo", "test", "lint", "bench"))

"""The import contracts bite: an import up a floor, across the packages, in a circle or of test support is refused."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.house.tree import ROOT

FLOORS = ("errors", "evidence", "boundary", "toolboxes", "registry", "projection", "run", "testing")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small house with one room on each floor, under the project's own contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("bot", "runtime", "guest"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    for lower, upper in zip((None, *FLOORS), FLOORS, strict=False):
        (tmp_path / "runtime" / f"{upper}.py").write_text(f"import runtime.{lower}\n" if lower else "")
    (tmp_path / "bot" / "app.py").write_text("import runtime.run\n")
    return tmp_path


def lint(house: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--no-logo"]
    return subprocess.run(
        command, cwd=house, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(house)}
    )


def test_imports_downwards_are_fine(house: Path) -> None:
    done = lint(house)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "imports"),
    [
        ("runtime/errors.py", "runtime.evidence"),
        ("runtime/boundary.py", "runtime.registry"),
        ("runtime/toolboxes.py", "runtime.run"),
        ("runtime/run.py", "bot.app"),
        ("guest/__init__.py", "runtime.errors"),
        ("bot/app.py", "runtime.testing"),
    ],
)
def test_an_import_that_may_not_be_is_refused(house: Path, file: str, imports: str) -> None:
    with (house / file).open("a") as module:
        module.write(f"\nimport {imports}\n")
    done = lint(house)
    assert done.returncode != 0 and "BROKEN" in done.stdout


def test_siblings_may_meet_but_not_in_a_circle(house: Path) -> None:
    (house / "runtime" / "engines.py").write_text("import runtime.boundary\n")
    assert lint(house).returncode == 0
    with (house / "runtime" / "boundary.py").open("a") as module:
        module.write("\nimport runtime.engines\n")
    assert lint(house).returncode != 0


def test_a_room_on_no_floor_is_refused(house: Path) -> None:
    (house / "runtime" / "attic.py").touch()
    done = lint(house)
    assert done.returncode != 0 and "attic" in done.stdout + done.stderr

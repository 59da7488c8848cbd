"""House style that no linter checks: sizes, names, first lines, the edges where broad excepts may stand."""

import ast
import re

import pytest

from tests.unit.house.tree import PACKAGES, ROOT, broad_handlers, functions, shown, sources

pytestmark = pytest.mark.smoke

BESIDE_THE_PACKAGES = {
    ".ci", ".dockerignore", ".git", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "LICENSE",
    "Makefile", "README.md", "bot", "docs", "guest", "manifests", "pyproject.toml", "requirements.lock",
    "runtime", "tests",
}  # fmt: skip


def test_no_file_is_over_500_lines() -> None:
    long = {shown(p): n for p in sources(*PACKAGES, "tests") if (n := len(p.read_text().splitlines())) > 500}
    assert long == {}


def test_no_function_is_over_60_lines() -> None:
    long = {f"{shown(p)}:{name}": n for p in sources(*PACKAGES) for name, n in functions(p) if n > 60}
    assert long == {}


def test_every_module_says_its_duty_in_its_first_line() -> None:
    silent = []
    for path in sources(*PACKAGES, "tests"):
        text = path.read_text()
        duty = ast.get_docstring(ast.parse(text))
        if text.strip() and not (duty and duty.splitlines()[0].strip()):
            silent.append(shown(path))
    assert silent == []


def test_names_say_what_a_thing_is() -> None:
    vague = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common)(_|$)")
    assert [
        shown(p) for p in sources(*PACKAGES, "tests") if any(vague.search(part) for part in p.with_suffix("").parts)
    ] == []


def test_only_the_agreed_things_stand_in_the_root() -> None:
    ignored = {line.strip("/\n") for line in (ROOT / ".gitignore").read_text().splitlines() if line.startswith("/")}
    made = ignored | {".pytest_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache"}
    assert {path.name for path in ROOT.iterdir()} - made <= BESIDE_THE_PACKAGES


def test_a_broad_except_passes_on_or_logs_or_gives_its_reason() -> None:
    """`except Exception` swallows at the three edges only: there it logs the traceback or says why it needn't."""
    silent = []
    for path in sources(*PACKAGES):
        lines = path.read_text().splitlines()
        for line in broad_handlers(path):
            if not re.search(r"# noqa: BLE001\W+\w+", lines[line - 1]):
                silent.append(f"{shown(path)}:{line}")
    assert silent == []


def test_no_test_is_switched_off() -> None:
    switched_off = re.compile(r"mark\.(skip|xfail)\b|pytest\.(skip|xfail)\(|unittest\.skip")
    here = [p for p in sources("tests") if p.name != "test_style.py" and switched_off.search(p.read_text())]
    assert [shown(p) for p in here] == []


def test_nothing_binds_the_project_to_one_machine() -> None:
    """No registry address and no absolute work folder stands in code, docs or settings."""
    host = r"(pypi\.org|pythonhosted|registry\.npmjs|(deb|security|snapshot)\.debian\.org|files\.python)"
    bound = re.compile(rf"{host}|(?<![\w.])/(work|home|root)/\w")
    texts = [*sources(*PACKAGES, "tests"), *ROOT.glob("*.*"), *ROOT.glob("docs/*"), *ROOT.glob(".ci/*")]
    texts += [ROOT / "Makefile", ROOT / "Dockerfile"]
    found = [shown(p) for p in texts if p.is_file() and p.name != "test_style.py" and bound.search(p.read_text())]
    assert found == []

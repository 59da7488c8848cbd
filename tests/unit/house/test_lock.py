"""The lock installs anywhere: pinned, hashed, without an address, and in parts that an image can take apart."""

import re
import tomllib

import pytest

from tests.unit.house.tree import ROOT

pytestmark = pytest.mark.smoke

LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def canonical(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]).lower()


# Behind a semicolon may stand where the package is needed at all.
PINNED = r"\S+==\S+( ; [^\\\n]+)? \\\n +--hash=sha256:[0-9a-f]{64}"


def parts() -> dict[str, set[str]]:
    """Package names by the part of the lock they stand in."""
    pieces = re.split(r"^# == (.+)$", LOCK, flags=re.MULTILINE)[1:]
    names = [set(re.findall(r"^([A-Za-z0-9._-]+)==", text, flags=re.MULTILINE)) for text in pieces[1::2]]
    return dict(zip(pieces[::2], names, strict=True))


def test_the_lock_has_its_three_parts_in_order() -> None:
    assert list(parts()) == ["runtime", "build back-end", "development"]


def test_no_package_stands_twice() -> None:
    names = [name for part in parts().values() for name in part]
    assert len(names) == len(set(names))


def test_every_package_is_pinned_and_hashed() -> None:
    blocks = re.findall(r"^[A-Za-z0-9].*\n(?:[ \t].*\n)*", LOCK, flags=re.MULTILINE)
    assert blocks
    assert [b.splitlines()[0] for b in blocks if not re.match(PINNED, b)] == []


def test_no_address_and_no_option_stands_in_the_lock() -> None:
    assert re.findall(r"^-.*$|\w+://\S+", LOCK, flags=re.MULTILINE) == []


def test_each_part_holds_what_the_project_declares() -> None:
    declared = PROJECT["project"]
    assert {canonical(r) for r in declared["dependencies"]} <= parts()["runtime"]
    assert {canonical(r) for r in PROJECT["build-system"]["requires"]} <= parts()["build back-end"]
    assert "editables" in parts()["build back-end"], "an editable install without build isolation needs it"
    everything = set().union(*parts().values())
    assert {canonical(r) for r in declared["optional-dependencies"]["dev"]} <= everything


def test_test_tools_stay_out_of_the_runtime_part() -> None:
    assert parts()["runtime"].isdisjoint({"pytest", "ruff", "pyright", "hypothesis", "pip", "hatchling"})

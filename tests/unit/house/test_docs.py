"""The README tells of every setting, and of nothing that isn't one."""

import re

import pytest

from bot.cli import COMMANDS
from bot.settings import Settings
from tests.unit.house.tree import ROOT

pytestmark = pytest.mark.smoke

README = (ROOT / "README.md").read_text()
VARIABLE = r"(?:SLACK|ANTHROPIC|FOOTNOTE)_[A-Z_]+"


def table_rows(heading: str) -> list[list[str]]:
    """Cells of the first table under a heading."""
    section = re.split(r"^## ", README.split(f"\n## {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")
    ]


def documented() -> dict[str, str]:
    """Variable → documented default."""
    return {name: row[1].strip("`") for row in table_rows("Configuration") for name in re.findall(VARIABLE, row[0])}


def test_every_setting_is_documented_and_nothing_else() -> None:
    assert set(documented()) == {field.alias for field in Settings.model_fields.values()}


def test_documented_defaults_are_the_real_ones() -> None:
    fixed = {
        f.alias: str(f.default)
        for f in Settings.model_fields.values()
        if f.alias and f.alias.startswith("FOOTNOTE_") and f.default_factory is None
    }
    fixed.pop("FOOTNOTE_STATE")
    assert {name: documented()[name] for name in fixed} == fixed


def test_variables_named_anywhere_in_the_docs_exist() -> None:
    texts = [README, *(p.read_text() for p in ROOT.glob("docs/*.md")), (ROOT / "Dockerfile").read_text()]
    named = {name for text in texts for name in re.findall(rf"\b{VARIABLE}\b", text)}
    assert named <= set(documented())


def test_every_command_is_documented_and_nothing_else() -> None:
    assert {re.match(r"`footnote (\w+)", row[0])[1] for row in table_rows("Commands")} == set(COMMANDS)


def test_decisions_are_numbered_and_dated() -> None:
    text = (ROOT / "docs/decisions.md").read_text()
    numbers = re.findall(r"^## (\d+)\. .+ \(\d{4}-\d{2}-\d{2}\)$", text, flags=re.MULTILINE)
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    assert len(numbers) == len(re.findall(r"^## ", text, flags=re.MULTILINE))

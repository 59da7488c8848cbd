"""A unit is taken from a column's name, notes or comment where they state one in a usual form, and never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.models.offline.stated_units import stated_unit
from runtime.models.offline.tokens import stems
from tests.unit.offline.duckdb_tools import Folder, converse


@pytest.mark.parametrize(
    ("name", "notes", "comment", "unit"),
    [
        ("distance_km", [], "Miles", "km"),
        ("fee", [], "Euros a month", "EUR"),
        ("fee", [], "EUR", "EUR"),
        ("fee", [], "unit: USD", "USD"),
        ("fee", [], "In € without tax", "EUR"),
        ("weight", [], "in kilograms", "kg"),
        ("fee", [], "What an account pays in euros", None),
        ("fee", [], "Euro-based", None),
        ("fee", [], "In full", None),
        ("fee", ["currency EUR (€) taken off 12 values"], "", "EUR"),
        ("fee", ["currency EUR (€) taken off 12 values; 3 values name none"], "", None),
        ("fee", ["currency EUR taken off 12 values", "currency USD taken off 3 values"], "", None),
        ("fee", ["12 values kept as text"], "", None),
    ],
)
def test_the_unit_that_is_stated(name: str, notes: list[str], comment: str, unit: str | None) -> None:
    assert stated_unit(stems(name), notes, comment) == unit


async def test_a_noted_currency_stands_behind_the_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fees.csv"
    path.write_text("member,fee\nAnn,12.5\nBo,9\nCy,12\n")
    folder = Folder([path])
    profile = folder._profile
    noted = {"fee": ["currency EUR (€) taken off 3 values"]}
    monkeypatch.setattr(folder, "_profile", lambda *of: profile(*of) | {"notes": noted.get(of[1], [])})
    assert "**33.50 EUR**" in await converse(folder, "Total fee")
    assert "9.00 to 12.50 EUR" in await converse(folder, "Describe fees")

"""The last answer "as percent": each group's share of all, or the one condition's in the whole, or a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.grading import declined
from tests.unit.offline.duckdb_tools import Folder, talk

VISITS = """visited_on,guest,amount,status,channel
2024-01-05,Ann,5,paid,web
2024-01-06,Bob,7,open,web
2024-03-01,Ann,9,paid,phone
2024-03-04,Cy,1,lost,web
2024-03-10,Cy,1,paid,phone
"""


@pytest.fixture
def visits(tmp_path: Path) -> Folder:
    (tmp_path / "visits.csv").write_text(VISITS)
    return Folder([tmp_path / "visits.csv"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["visits by status", "as percent"], ["| paid | 60 | 3 | 5 |", "| lost | 20 | 1 | 5 |"]),
        (["visits by status in March 2024", "in %"], ["| paid | 66.67 | 2 | 3 |"]),
        (["paid visits by channel", "as percentages please"], ["| phone | 66.67 | 2 | 3 |"]),
        (["total amount by guest", "and in percent"], ["| Ann | 60.87 | 14.00 | 23.00 |"]),
        (["visits by guest", "as percent", "only paid"], ["| Ann | 66.67 | 2 | 3 |"]),
        (["top 1 guests by amount", "as percent"], ["60.87%", "14.00 of 23.00"]),
        (["How many visits were paid?", "as a percentage"], ["**60%**: 3 of 5"]),
        (["How many visits were paid in March 2024?", "as percent"], ["**66.67%**: 2 of 3"]),
        (["total amount of paid visits", "as percent"], ["**65.22%**: 15.00 of 23.00"]),
        (["What % of visits was paid?"], ["**60%**: 3 of 5"]),
    ],
)
async def test_parts_of_a_whole(visits: Folder, asked: list[str], words: list[str]) -> None:
    text = await talk(visits, *asked)
    assert not declined(text) and all(word in text for word in words), text


@pytest.mark.parametrize(
    "question",
    [
        "average amount by guest",
        "visits by status and channel",
        "How many visits?",
        "How many paid visits by phone?",
        "visits over 4 by channel",
        "visits on Fridays by channel",
        "How many different guests?",
        "Which visit has the highest amount?",
    ],
)
async def test_what_is_no_part_or_of_no_certain_whole_is_declined(visits: Folder, question: str) -> None:
    text = await talk(visits, question, "as percent")
    assert declined(text), text

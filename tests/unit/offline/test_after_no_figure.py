"""What follows a question that had no figure is read by itself; and a bounded time is shown whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.grading import declined
from tests.unit.offline.duckdb_tools import Folder, converse, talk

POLICY = """The hotel limit is 140 EUR per night at home and 180 EUR per night abroad.
The per diem differs by country.
Taxis are paid at night.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root: Path = tmp_path_factory.mktemp("after")
    (root / "travel.md").write_text(POLICY)
    calls = [
        f"{at},{'north' if at % 2 else 'south'},{2024 + at // 48}-{1 + at // 2 % 24 % 12:02d}-05" for at in range(96)
    ]
    (root / "calls.csv").write_text("\n".join(["call_id,desk,opened_on", *calls]) + "\n")
    return Folder([root / "travel.md", root / "calls.csv"])


@pytest.mark.parametrize("before", ["What is the hotel limit abroad?", "Total profit of aunts"])
async def test_a_question_that_looks_like_a_remark_is_one_of_its_own(folder: Folder, before: str) -> None:
    text = await talk(folder, before, "per diem by country")
    assert not declined(text) and "«The per diem differs by country.»" in text, text


@pytest.mark.parametrize(
    ("remark", "said"),
    [
        ("and by month?", "no figure before"),
        ("only 2025", "no figure before"),
        ("only north", "no figure before"),
        ("now by desk", "no figure before"),
        ("only weddings", "“weddings”"),
        ("without pets", "“pets”"),
    ],
)
@pytest.mark.parametrize("before", ["What is the hotel limit abroad?", "Total profit of aunts"])
async def test_what_would_change_a_figure_is_refused_for_its_own_words(
    folder: Folder, before: str, remark: str, said: str
) -> None:
    text = await talk(folder, before, remark)
    assert declined(text) and said in text, text
    assert not any(f"“{word}”" in text for word in ("hotel", "abroad", "aunts", "profit", "only")), text


async def test_a_figure_after_it_can_be_changed_again(folder: Folder) -> None:
    text = await talk(folder, "What is the hotel limit abroad?", "How many calls in 2025?", "and by desk?")
    assert "| north | 24 |" in text, text


@pytest.mark.parametrize(
    ("question", "first", "rows"),
    [
        ("Number of calls by month of 2025", "January 2025", 12),
        ("Number of calls by month in 2024", "January 2024", 12),
        ("Number of calls by month from March 2024 to October 2025", "March 2024", 20),
        ("Number of calls by month", "March 2025", 10),  # a long open time is seen at its new end
        ("Number of calls by month and desk in 2024 and 2025", "", 10),
    ],
)
async def test_every_step_of_a_period_that_is_asked_for_is_shown(
    folder: Folder, question: str, first: str, rows: int
) -> None:
    text = await converse(folder, question)
    shown = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert len(shown) == rows and shown[0].startswith(f"| {first}"), text
    assert ("in the evidence" in text) is (rows == 10)

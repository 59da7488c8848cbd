"""What came first or last, and who is the oldest: the row by its own date, or by its age where it has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.grading import declined
from tests.unit.offline.duckdb_tools import Folder, converse

FILES = {
    "branches.csv": "store,city,opened_on,staff\nA,Oslo,2020-05-01,3\nB,Rome,2019-02-01,4\nC,Rome,2022-01-01,9\n",
    "people.csv": "name,age,team,hired_on\nAnn,30,x,2019-01-01\nBob,50,y,2024-01-01\nCy,20,x,2020-01-01\n",
    "members.csv": "member,born_on,joined_on\nDee,1990-03-01,2020-01-01\nEli,1960-01-01,2024-05-05\n",
    "races.csv": "runner,day,place\nFay,2024-01-01,2\nGus,2024-02-01,1\n",
    "visits.csv": "visited_on,guest,amount\n2024-01-05,Hal,5\n2024-01-06,Ida,7\n2024-03-01,Hal,9\n2024-03-04,Jo,1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return Folder([tmp_path / name for name in FILES])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which store opened first?", ["B", "2019-02-01"]),
        ("Which opened first?", ["B", "2019-02-01"]),
        ("Which store was opened last?", ["C", "2022-01-01"]),
        ("Which store in Rome opened last?", ["C", "2022-01-01"]),
        ("Which city has the oldest store?", ["B", "Rome", "2019-02-01"]),
        ("Which is the oldest store?", ["B", "2019-02-01"]),
        ("When did the first store open?", ["B", "2019-02-01"]),
        ("Which guest visited first?", ["Hal", "2024-01-05"]),
        ("Which visit was last?", ["Jo", "2024-03-04"]),
        ("Which guest visited last in January 2024?", ["Ida", "2024-01-06"]),
        ("Which member joined last?", ["Eli", "2024-05-05"]),
        ("most recent visit", ["Jo", "2024-03-04"]),
        ("When was the most recent visit of Hal?", ["Hal", "2024-03-01"]),
        ("least recent visit", ["Hal", "2024-01-05"]),
        ("Which team has the oldest person in people.csv?", ["Bob", "team: y", "50"]),
        ("Who is the oldest person in people.csv?", ["Bob", "50"]),
        ("Who is the youngest in people.csv?", ["Cy", "20"]),
        ("Who is the oldest member?", ["Eli", "1960-01-01"]),
        ("Who is the youngest member?", ["Dee", "1990-03-01"]),
    ],
)
async def test_the_row_that_did(folder: Folder, question: str, words: list[str]) -> None:
    text = await converse(folder, question)
    said = text.split("_How I read")[0]
    assert not declined(text) and all(word in said for word in words), text
    others = {"A", "B", "C", "Ann", "Bob", "Cy", "Dee", "Eli", "Hal", "Ida", "Jo"} - {*words}
    assert not any(f"that of {name} " in said for name in others), text


@pytest.mark.parametrize(
    "question",
    [
        "Which runner came first?",
        "Who was first?",
        "Which store is the youngest?",
        "Which store opened first by city?",
        "Which store opened first after A?",
        "Which is the oldest team?",
        "youngest team",
        "latest guest",
        "recent visits",
    ],
)
async def test_what_no_date_of_the_row_tells_is_declined(folder: Folder, question: str) -> None:
    text = await converse(folder, question)
    assert declined(text), text

"""Everyday wordings that were once read wrong or only in part, each kind over small tables of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.models.offline.followups import is_follow_up
from runtime.models.offline.tokens import tokenize
from tests.acceptance.grading import declined, has_figure
from tests.unit.offline import duckdb_tools, sqlite_tools
from tests.unit.offline.duckdb_tools import Folder
from tests.unit.offline.sqlite_tools import Database

STOCK = """depot,product,pieces,broken
Lyon,Mug,40,1
Lyon,Kettle,7,0
Oslo,Mug,25,2
Oslo,Desk,3,0
"""
CALLS = """call_id,desk,priority,opened_on,fee,currency
1,north,high,2025-03-09,10,EUR
2,north,low,2025-03-15,20,USD
3,south,high,2025-04-01,30,EUR
4,south,low,2026-04-20,2500,EUR
5,north,high,2026-05-02,4000,USD
"""
CLAIMS = """claim_id,branch,closed_on
1,east,2025-03-12
2,west,
3,east,2025-04-02
"""
CLUB = """
CREATE TABLE members (member_id INTEGER PRIMARY KEY, member TEXT, town TEXT);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (member_id), court TEXT,
 booked_on DATE, hours INTEGER);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root: Path = tmp_path_factory.mktemp("plain")
    for name, text in (("stock", STOCK), ("calls", CALLS), ("claims", CLAIMS)):
        (root / f"{name}.csv").write_text(text)
    return Folder([root / f"{name}.csv" for name in ("stock", "calls", "claims")])


@pytest.fixture
def club() -> Database:
    database = Database(CLUB)
    towns = ("Rome", "Oslo", "Bern", "Cork", "Lima", "Kyiv", "Riga", "Baku", "Doha")
    members = [(at, f"Member {at}", town) for at, town in enumerate(towns * 2, start=1)]
    database.insert("members", members)
    bookings = [
        (at, 1 + at % len(members), "clay" if at % 3 else "grass", f"2025-{1 + at % 12:02d}-1{at % 9}", 1 + at % 4)
        for at in range(120)
    ]
    database.insert("bookings", bookings)
    return database


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        ("How many high priority calls were there in 2025?", [2]),  # a value and its column before the noun
        ("How many priority high calls are there?", [3]),
        ("How many north desk calls had a fee over 15?", [2]),
        ("How many mugs are in Oslo?", [25]),  # of goods the pieces are counted
        ("How many mugs are there?", [65]),
        ("Number of calls by desk and month", [1, 1, 1, 1]),
        ("How many calls were opened in march 2025?", [2]),
        ("How many calls between 10 and 20 March 2025?", [1]),
        ("How many calls between 9 and 20 euros?", [1]),
        ("Calls over €1000", [1]),
        ("Calls over 1000 dollars", [1]),
        ("Total fee in dollars", [4020]),
        ("Calls since April 2026", [2]),
        ("high calls", [3]),
        ("Compare north and south calls", [3, 2]),
        ("When was the first call?", [1]),
        ("The last 2 high calls", [5, 3]),
    ],
)
async def test_plain_wordings(folder: Folder, question: str, figures: list[float]) -> None:
    text = await duckdb_tools.converse(folder, question)
    assert not declined(text), text
    assert all(has_figure(text.split("_How I read")[0], figure, 0.001) for figure in figures), text


@pytest.mark.parametrize(
    "question",
    [
        "How many calls are open?",  # opened_on says nothing of that
        "List the open calls",
        "How many claims are closed?",  # some have no closed_on
        "Which calls were paid in full?",
        "Which claims were closed in full in 2025?",
        "The first call of each desk",
        "Latest call per desk",
        "How many priorities are high?",
        "Convert the total fee to dollars",
        "Total fee converted to EUR",
    ],
)
async def test_what_a_word_says_of_rows_is_never_passed_over(folder: Folder, question: str) -> None:
    text = await duckdb_tools.converse(folder, question)
    assert declined(text), text


@pytest.mark.parametrize(
    "question", ["Compare north and store calls in 2025", "Plot fees against months", "remember that fees exclude tax"]
)
async def test_a_question_is_not_taken_for_an_order_or_another_language(folder: Folder, question: str) -> None:
    text = await duckdb_tools.converse(folder, question)
    assert "nothing was changed" not in text and "English only" not in text, text


@pytest.mark.parametrize("order", ["Email Ann the report", "Export calls to a file", "Find the calls and store them"])
async def test_orders_still_change_nothing(folder: Folder, order: str) -> None:
    assert "nothing was changed" in await duckdb_tools.converse(folder, order)


async def test_a_value_in_several_spellings_is_shown_in_one(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(
        "land,door,n\nSpain,east,1\nSPAIN,east,2\nspain,west,3\nFrance,west,4\nfrance,east,5\nChile,east,6\n"
    )
    text = await duckdb_tools.converse(Folder([path]), "Number of visits by land and door")
    table = [line.split(" | ")[0].strip("| ") for line in text.splitlines() if " | east" in line or " | west" in line]
    assert len(table) == 5 and len({land.casefold() for land in table}) == len({*table}) == 3, text


async def test_those_who_did_it_are_no_groups(club: Database) -> None:
    text = await sqlite_tools.talk(club, "How many bookings were made by members in Rome?")
    figure = club.connection.execute(
        "SELECT count(*) FROM bookings JOIN members USING (member_id) WHERE town = 'Rome'"
    ).fetchone()[0]
    assert f"**{figure}** bookings" in text, text


@pytest.mark.parametrize(
    "after", [("and in May",), ("only Atlantis", "and in May"), ("only clay", "only Rome", "why?")]
)
async def test_what_an_earlier_remark_narrowed_stays(club: Database, after: tuple[str, ...]) -> None:
    assert all(is_follow_up(tokenize(remark)) for remark in after)
    text = await sqlite_tools.talk(club, "Total hours of bookings in March 2025", "only Riga", *after)
    town = "Rome" if "only Rome" in after else "Riga"
    assert f"“{town}”" in text, text
    if after[-1] == "and in May":
        figure = club.connection.execute(
            "SELECT sum(hours) FROM bookings JOIN members USING (member_id) WHERE town = 'Riga' AND"
            " booked_on LIKE '2025-05%'"
        ).fetchone()[0]
        assert "May 2025" in text or "2025-05-01" in text, text
        assert figure is None or has_figure(text.split("_How I read")[0], figure, 0), (figure, text)


async def test_headings_say_the_noun_and_the_plain_column(club: Database, tmp_path: Path) -> None:
    text = await sqlite_tools.talk(club, "Number of bookings by town")
    assert "The number of bookings by `town`:" in text and "| town | number of bookings [" in text, text
    assert "by `club/members.town`, all rows" in text  # how it was worked out is said exactly
    (tmp_path / "bills.csv").write_text("place,total\nRome,3\nOslo,4\n")
    text = await duckdb_tools.converse(Folder([tmp_path / "bills.csv"]), "sum of total by place")
    assert "| place | sum of total [" in text and "total of" not in text, text
    text = await duckdb_tools.converse(Folder([tmp_path / "bills.csv"]), "How many bills are there?")
    assert "**2** bills of `bills.csv`" in text


async def test_a_table_whose_name_is_no_plural_has_rows(folder: Folder) -> None:
    assert "**4** rows of `stock.csv`" in await duckdb_tools.converse(folder, "How many rows does stock.csv have?")


SHELF = "depot,product,pieces\nLyon,Mug,40\nLyon,Kettle,7\nOslo,Mug,25\nOslo,Desk,3\n"
GUESTS = "guest_id,guest,joined_on,status\n1,Ann,2025-01-02,active\n2,Bo,2025-03-04,left\n3,Cy,2026-02-02,active\n"


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("How many mugs do we have in stock?", 65),
        ("How many mugs are in stock in Oslo?", 25),
        ("What is the stock of mugs?", 65),
        ("What is the stock of mugs in Lyon?", 40),
        ("How many mugs in Oslo?", 25),
        ("How many pieces are in stock?", 75),
        ("How many new guests joined in 2025?", 2),
        ("How many new guests in March 2025?", 1),
        ("new active guests by year", 1),
        ("new guests in 2025", 2),
    ],
)
async def test_stock_and_new_rows(tmp_path: Path, question: str, figure: float) -> None:
    for name, text in (("stock_count", SHELF), ("guests", GUESTS)):
        (tmp_path / f"{name}.csv").write_text(text)
    folder = Folder([tmp_path / "stock_count.csv", tmp_path / "guests.csv"])
    text = await duckdb_tools.converse(folder, question)
    assert not declined(text) and has_figure(text.split("_How I read")[0], figure, 0), text


@pytest.mark.parametrize(
    "question", ["How many new guests do we have?", "How many items are in stock?", "new mugs in 2025"]
)
async def test_new_without_a_time_and_what_is_gone_are_declined(tmp_path: Path, question: str) -> None:
    for name, text in (("stock_count", SHELF), ("guests", GUESTS)):
        (tmp_path / f"{name}.csv").write_text(text)
    folder = Folder([tmp_path / "stock_count.csv", tmp_path / "guests.csv"])
    assert declined(await duckdb_tools.converse(folder, question))


@pytest.mark.parametrize("question", ["Who is the guest of guest_id 2?", "What is the status of guest_id 2?"])
async def test_what_one_row_says_is_that_row(tmp_path: Path, question: str) -> None:
    (tmp_path / "guests.csv").write_text(GUESTS)
    text = await duckdb_tools.converse(Folder([tmp_path / "guests.csv"]), question)
    assert "| 2 | Bo | 2025-03-04 | left |" in text and "number of" not in text, text


@pytest.mark.parametrize(
    ("question", "figure"),
    [("How many refunds are there?", 2), ("How many refunds by month?", 1), ("total refunds", 9)],
)
async def test_rows_called_like_their_figure_are_counted(tmp_path: Path, question: str, figure: float) -> None:
    (tmp_path / "refunds.csv").write_text("day,refunds\n2025-01-02,4\n2025-02-03,5\n")
    text = await duckdb_tools.converse(Folder([tmp_path / "refunds.csv"]), question)
    assert not declined(text) and has_figure(text.split("_How I read")[0], figure, 0), text

"""What the offline analyst answers, over small tables, through its tools only."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from runtime.models.offline import OfflineModel
from runtime.models.port import Message, ModelMessage, ModelRequest, ResultsMessage, Stop, ToolResult, UserMessage
from runtime.verification.figures import figures
from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.duckdb_tools import TOOLS, Folder, converse, transcript

SALES = """day,region,product,units,amount,currency
2023-01-05,North,Pen,10,20.50,EUR
2023-02-11,South,Pen,5,10.25,EUR
2023-07-01,North,Ink,2,30.00,USD
2023-11-30,South,Ink,1,15.00,USD
2024-03-08,North,Pad,4,12.00,EUR
2024-03-09,North,Pen,1,2.05,EUR
"""
HIKES = """date,trail,length_km,minutes,done
2024-05-01,Ridge,12.5,240,yes
2024-05-03,Lake,6.0,95,yes
2024-06-02,Ridge,12.5,250,yes
2024-06-20,Gorge,9.5,180,no
"""
FEES = """member,fee
Ann,€ 12.50
Bo,€ 9.00
Cy,12 EUR
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    tmp_path = tmp_path_factory.mktemp("files")
    paths: list[Path] = []
    for name, text in (("sales.csv", SALES), ("hikes.csv", HIKES), ("fees.csv", FEES)):
        paths.append(tmp_path / name)
        paths[-1].write_text(text)
    return Folder(paths)


@pytest.mark.parametrize(
    ("question", "figures", "words"),
    [
        ("How many hikes did I log?", [4], []),
        ("How many units did we sell?", [23], ["units"]),
        ("How many hikes per week on average?", [0.5, 1.33], ["over all 8", "the 3 that have any"]),
        ("How many units are there in total?", [23], []),
        ("What is the average length of a hike?", [10.125], ["km"]),
        ("Median minutes of my hikes?", [210], []),
        ("Total minutes by trail", [490, 180, 95], ["Ridge", "Gorge", "Lake"]),
        ("Minutes of done hikes in May 2024", [335], []),
        ("Ridge minutes", [490], ["Ridge"]),
        ("EUR amount since 2024", [14.05], ["EUR"]),
        ("Show me minutes by trail", [490, 180, 95], ["Ridge", "Gorge", "Lake"]),
        ("Which trail has the most minutes?", [490], ["Ridge"]),
        ("What was my longest hike in km?", [12.5], ["Ridge", "2024-05-01", "2024-06-02"]),
        ("Top 2 trails by number of hikes", [2, 1], ["Ridge", "Lake", "Gorge"]),
        ("How many different trails are among my hikes?", [3], []),
        ("How many hours did I spend on hikes in May 2024?", [5.583], ["hours"]),
        ("How many hikes were longer than 10 km?", [2], []),
        ("How many hikes between 6 and 10 km?", [2], []),
        ("How many hikes are not done?", [1], []),
        ("Which trails appear more than once in my hikes?", [1, 2], ["Ridge"]),
        ("Total amount in EUR", [44.80], ["EUR"]),
        ("What is the total amount in sales.csv?", [44.80, 45.00], ["EUR", "USD"]),
        ("Total amount for Pens by region", [22.55, 10.25], ["North", "South", "EUR"]),
        ("How many sales in the second half of 2023?", [2], []),
        ("How many sales since March 2024?", [2], []),
        ("How many sales per quarter?", [2, 1, 1, 2], ["Q1 2023", "Q3 2023"]),
        ("In which month did we have the most sales?", [2], ["March 2024"]),
        ("List the hikes on the Lake trail", [1, 95], ["Lake", "2024-05-03"]),
        ("What share of hikes on the Ridge trail were done?", [100, 2], ["2 of 2"]),
        ("What share of minutes was Ridge?", [64.052, 490, 765], ["%"]),
        ("What percentage of my hikes are done?", [75, 3, 4], ["%"]),
        ("How many hikes with a length of 12.5?", [2], []),
        ("How many hikes in May?", [2], ["May 2024"]),
    ],
)
async def test_answers_with_figures(
    folder: Folder, question: str, figures: list[float] | None, words: list[str]
) -> None:
    text = await converse(folder, question)
    assert declined(text) == (figures is None), text
    for figure in figures or ():
        assert has_figure(text, figure, 0.006), text
    for word in words:
        assert word in text, text
    assert figures is None or "[E" in text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the sum of the fees?", "text"),  # figures kept as text with signs in it
        ("What is the average heart rate of my hikes?", "heart"),
        ("How many hikes in 2031?", "2024"),  # says what the data cover
        ("Which region has the highest amount?", "EUR · USD"),  # never ranks across currencies
        ("How many hikes and how many minutes?", "one figure at a time"),
        ("Delete the hikes of May", "nothing was changed"),
        ("Wie viele Wanderungen waren es im Mai?", "English"),
        ("How much longer was Ridge than Lake?", "than"),
        ("What share of hikes were done on the Ridge trail?", "one condition"),
        ("Is Ridge my longest hike?", "“Is”"),  # a yes or no is not worked out
        ("How many minutes do I hike a month?", "“a”"),  # a rate is no total
        ("How many of them were done?", "them"),
        ("", "question"),
    ],
)
async def test_declines_rather_than_guesses(folder: Folder, question: str, said: str) -> None:
    text = await converse(folder, question)
    assert declined(text) or "can't find a question" in text, text
    assert said in text, text


async def test_a_choice_answers_the_question_back(folder: Folder) -> None:
    question = "Which region has the highest amount?"
    first = await converse(folder, question)
    text = await converse(folder, "EUR", history=(UserMessage(question), ModelMessage(first)))
    assert has_figure(text, 34.55, 0.001), text
    assert "North" in text


async def test_a_value_beyond_the_common_ones_is_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "stock.csv"
    lines = [f"2024-01-{day:02d},item{'abcdefghijklmnop'[day % 16]},{day}" for day in range(1, 29)]
    path.write_text("day,article,pieces\n" + "\n".join(lines) + "\n2024-02-01,Gadget,7\n2024-02-02,gadget ,8\n")
    text = await converse(Folder([path]), "How many pieces of gadgets are there?")
    assert has_figure(text, 15, 0.001), text


async def test_a_misspelt_value_is_said(folder: Folder) -> None:
    text = await converse(folder, "How many minutes on the Gorgge trail?")
    assert "Gorge" in text
    assert has_figure(text, 180, 0.001)


async def test_the_question_stands_after_its_line(folder: Folder) -> None:
    text = await converse(folder, "Context: channel C1, 99 messages\n\nQuestion: How many hikes did I log?")
    assert has_figure(text, 4, 0)


BOOKINGS = """booking,guest_id,nights,room
1,1,3,single
2,2,1,double
3,1,2,double
4,3,5,single
"""
GUESTS = """guest_id,guest,home
1,Ada,Norway
2,Bo,Peru
3,Cy,Norway
"""


@pytest.fixture(scope="module")
def hotel(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root = tmp_path_factory.mktemp("hotel")
    (root / "bookings.csv").write_text(BOOKINGS)
    (root / "guests.csv").write_text(GUESTS)
    return Folder([root / "bookings.csv", root / "guests.csv"])


@pytest.mark.parametrize(
    ("question", "figures", "words"),
    [
        ("How many bookings came from guests in Norway?", [3], ["guests.home"]),
        ("Total nights by home", [10, 1], ["Norway", "Peru"]),
        ("How many nights did Ada book?", None, ["book"]),
        ("How many bookings did Ada make?", [2], ["Ada"]),
        ("Which home has the most bookings?", [3], ["Norway"]),
    ],
)
async def test_labels_of_a_table_that_rows_point_at(
    hotel: Folder, question: str, figures: list[float] | None, words: list[str]
) -> None:
    text = await converse(hotel, question)
    assert declined(text) == (figures is None), text
    for figure in figures or ():
        assert has_figure(text, figure, 0), text
    for word in words:
        assert word in text, text


async def test_the_last_word_of_a_run_gives_no_figure(folder: Folder) -> None:
    request = ModelRequest("", "", TOOLS, (UserMessage("How many hikes did I log?"),), tools_allowed=False)
    step = await OfflineModel().step(request)
    assert step.stop is Stop.END
    assert declined(step.text)


async def test_a_step_is_a_pure_function_of_the_request(folder: Folder) -> None:
    messages = await transcript(folder, "Total minutes by trail")
    for end in (1, 3, 5):
        request = ModelRequest("", "", TOOLS, tuple(messages[:end]))
        first, second = await OfflineModel().step(request), await OfflineModel().step(request)
        assert first == second
        assert first.calls == messages[end].calls  # type: ignore[union-attr]
    ids = [call.id for message in messages if isinstance(message, ModelMessage) for call in message.calls]
    assert len(ids) == len(set(ids))


async def test_results_that_failed_or_were_cut_end_in_words(folder: Folder) -> None:
    asked = UserMessage("How many hikes did I log?")
    first = await OfflineModel().step(ModelRequest("", "", TOOLS, (asked,)))
    called = ModelMessage("", first.calls)
    for text in ('{"ok": true, "evid', '{"ok": false, "evidence": "E1", "error": {"message": "gone"}}'):
        results = ResultsMessage((ToolResult(first.calls[0].id, text),))
        step = await OfflineModel().step(ModelRequest("", "", TOOLS, (asked, called, results)))
        assert step.stop is Stop.END
        assert declined(step.text), step.text


async def test_without_data_tools_it_says_so() -> None:
    step = await OfflineModel().step(ModelRequest("", "", (), (UserMessage("How many hikes?"),)))
    assert declined(step.text)


async def test_groups_are_a_table_whose_heading_carries_the_mark(folder: Folder) -> None:
    text = await converse(folder, "Total minutes by trail")
    mark = re.search(r"\[E\d+\]", text)
    assert mark is not None
    assert f"| trail | total of minutes {mark[0]} | rows |\n| --- | ---: | ---: |\n| Ridge | 490 | 2 |\n" in text


async def test_of_more_than_ten_rows_the_first_are_shown_and_the_rest_named(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("shop,amount\n" + "".join(f"Shop {n:02d},{n}\n" for n in range(1, 24)))
    text = await converse(Folder([path]), "Total amount by shop")
    rows = [line for line in text.split("\n") if line.startswith("| Shop")]
    assert len(rows) == 10
    assert "These are the first ten of 23 rows; all are in the evidence" in text


async def test_amounts_of_one_currency_say_it(folder: Folder) -> None:
    assert "44.80 EUR" in await converse(folder, "Total amount in EUR")
    assert "total of amount (EUR) [" in await converse(folder, "Total amount in EUR by region")
    assert "EUR**" not in await converse(folder, "How many sales in EUR?")


@pytest.mark.parametrize(("months", "cut"), [(10, False), (11, True)])
async def test_ten_months_stand_whole_and_of_more_the_last_ten(tmp_path: Path, months: int, cut: bool) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("day,amount\n" + "".join(f"2025-{n:02d}-03,{n}\n" for n in range(1, months + 1)))
    text = await converse(Folder([path]), "Total amount by month")
    assert "| October 2025 | 10.00 |" in text and ("January" not in text) == cut
    assert (f"These are the last ten of {months} rows" in text) == cut


async def test_what_would_break_a_cell_is_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text('the|shop,amount\n"a|b",3\n"*c*",4\n')
    text = await converse(Folder([path]), "Total amount by shop")
    lines = [line for line in text.split("\n") if line.startswith("|")]
    assert lines and all(line.count("|") == lines[0].count("|") for line in lines)


async def test_a_share_of_amounts_in_several_currencies_is_taken_of_each(folder: Folder) -> None:
    text = await converse(folder, "What share of the amount came from the North?")
    assert has_figure(text, 77.12, 0.005) and has_figure(text, 66.67, 0.005)
    assert "kept apart by `currency`" in text


@pytest.mark.parametrize(
    ("question", "figures", "words"),
    [
        ("How did the units change from 2023 to 2024?", [18, 5, -13, -72.22], ["December 2024"]),
        ("Compare the number of sales in 2024 with 2023", [4, 2, -2, -50], []),
        ("What is the correlation between length_km and minutes?", [0.9957], ["strong"]),
        ("How are hikes distributed by trail?", [2, 1], ["Ridge", "Gorge"]),
        ("Distribution of minutes of hikes", [1, 2], ["minutes from"]),
        ("What is the trend of units?", [10, 5, 2, 1], ["January 2023"]),
        ("Trend of sales per month", [1, 2], ["From **1** in January 2023 to **2** in March 2024"]),
        (
            "Trend of units by month",
            [10, 5, 1],
            ["the highest was 10 in January 2023", "the lowest 1 in November 2023"],
        ),
        ("How did hikes develop over time?", [2], ["the week of"]),
    ],
)
async def test_changes_distributions_correlations_and_trends(
    folder: Folder, question: str, figures: list[float], words: list[str]
) -> None:
    text = await converse(folder, question)
    assert not declined(text), text
    assert all(has_figure(text, figure, 0.006) for figure in figures), text
    assert all(word in text for word in words), text


@pytest.mark.parametrize(
    ("question", "remarks", "figures", "words"),
    [
        ("How many sales are there?", ["and by region?"], [4, 2], ["North", "South"]),
        ("How many sales are there?", ["and by region?", "only in 2023"], [2, 2], ["January to December 2023"]),
        ("Total units by product", ["only the North"], [11, 2, 4], ["“North”"]),
        ("Total units by product", ["only the North", "what about the South?"], [5, 1], ["“South”"]),
        ("What is the average number of minutes of hikes?", ["and the median?"], [210], ["median"]),
        ("Total minutes by trail", ["only the top 1"], [490], ["Ridge"]),
        ("How many hikes did I log?", ["why?"], [], ["I can't say why", "“and by trail?”", "number of hikes"]),
        ("How many hikes did I log?", ["and by weather?"], [], ["no meaning for “weather”"]),
        ("How many hikes did I log?", ["as a chart"], [], ["Say by what first"]),
    ],
)
async def test_remarks_change_the_last_plan(
    folder: Folder, question: str, remarks: list[str], figures: list[float], words: list[str]
) -> None:
    history: list[Message] = []
    text = ""
    for asked in (question, *remarks):
        text = await converse(folder, asked, history=tuple(history))
        history += [UserMessage(asked), ModelMessage(text)]
    assert all(has_figure(text, figure, 0.005) for figure in figures), text
    assert all(word in text for word in words), text


async def test_a_number_in_an_engines_words_is_no_figure(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(_: object) -> None:
        raise duckdb.Error("it did not stop within 15 s")

    monkeypatch.setattr(folder, "run_sql", slow)
    text = await converse(folder, "How many hikes did I log?")
    assert declined(text) and "`it did not stop within 15 s`" in text
    assert figures(text) == ()


RUNS = "date,sport,minutes,distance_km\n2024-05-01,run,30,6\n2024-05-03,run,50,12\n2024-06-02,bike,60,25\n"
COSTS = "service,monthly_cost,kind\nmusic,10,fun\nvideo,14,fun\npower,60,home\n"
MET = "name,tier,last_seen_days\nAda,close,14\nBo,work,70\n"
BOTH_YEARS = "month,amount\n" + "".join(
    f"{year}-{month:02d}-01,{amount}\n"
    for year, month, amount in ((2023, 1, 5), (2023, 2, 9), (2023, 3, 4), (2024, 1, 7), (2024, 2, 3), (2024, 4, 9))
)


@pytest.mark.parametrize(
    ("text", "question", "figures", "words"),
    [
        (RUNS, "On which date was I fastest on a run?", [14.4], ["2024-05-03", "km/h"]),
        (RUNS, "When did I run at the highest average speed, in km/h?", [14.4], ["2024-05-03"]),
        (COSTS, "What is the average monthly price of the fun kind?", [12], ["monthly_cost"]),
        (COSTS, "Average the monthly cost of what is filed under fun", [12], ["“fun”"]),
        (MET, "How many weeks is it since I last saw Bo?", [10], ["“Bo”"]),
        (
            BOTH_YEARS,
            "In how many months of 2024 was the amount higher than in the same month a year earlier?",
            [1, 2],
            [],
        ),
        (BOTH_YEARS, "In how many months of 2024 was it lower than in the same month a year earlier?", [1, 2], []),
    ],
)
async def test_speeds_monthly_prices_time_since_and_months_of_two_years(
    tmp_path: Path, text: str, question: str, figures: list[float], words: list[str]
) -> None:
    path = tmp_path / "things.csv"
    path.write_text(text)
    told = await converse(Folder([path]), question)
    assert not declined(told), told
    assert all(has_figure(told, figure, 0.006) for figure in figures), told
    assert all(word in told for word in words), told

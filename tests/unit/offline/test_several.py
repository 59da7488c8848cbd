"""Several columns of one table at a time: their totals side by side, added up, or one less the other, equal those
worked out in plain Python, or none is given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.duckdb_tools import Folder, talk
from tests.unit.offline.duckdb_tools import converse as converse_over_files
from tests.unit.offline.sqlite_tools import Database, converse

Row = tuple[str, int | None, int | None, int | None]
COLUMNS = ("Q1", "Q2", "Q3")
cells = st.none() | st.integers(-40, 90)
books = st.lists(st.tuples(st.sampled_from(["North", "South"]), cells, cells, cells), min_size=2, max_size=8).map(
    lambda rows: [("North", 1, 2, 3), ("South", 4, 5, 6), *rows]
)


def plans_of(rows: Sequence[Row]) -> Database:
    database = Database("CREATE TABLE plans (region TEXT NOT NULL, Q1 INTEGER, Q2 INTEGER, Q3 INTEGER);")
    database.insert("plans", [*rows])
    return database


def totals(rows: Sequence[Row], at: int) -> dict[str, int]:
    sums = defaultdict[str, int](int)
    for row in rows:
        sums[row[0]] += row[at] or 0  # type: ignore[operator]
    return sums


def line_of(text: str, group: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"| {group} |"))


ADDED = ("sum of {}, {} and {}", "Total of {}, {}, and {}", "{} plus {} plus {}", "Add {}, {} and {}",
         "What are {}, {} and {} combined")  # fmt: skip


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books, st.sampled_from(ADDED), st.permutations([1, 2, 3]), st.booleans())
async def test_a_sum_of_columns_shows_each_and_all_together(
    rows: list[Row], asked: str, order: list[int], grouped: bool
) -> None:
    question = asked.format(*(COLUMNS[at - 1] for at in order)) + (" by region" if grouped else "") + "?"
    text = await converse(plans_of(rows), question)
    assert not declined(text), text
    sums = [totals(rows, at) for at in order]
    if grouped:
        for group in ("North", "South"):
            figures = [each[group] for each in sums]
            cells = " | ".join(str(figure) for figure in (*figures, sum(figures)))
            assert line_of(text, group).endswith(f"| {cells} |"), (figures, text)
    else:
        assert f"**{sum(sum(each.values()) for each in sums)}**" in text, text
        assert all(has_figure(text, sum(each.values()), 0) for each in sums), text


TAKEN_OFF = ("difference between {0} and {1}", "{0} minus {1}", "subtract {1} from {0}")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books, st.sampled_from(TAKEN_OFF), st.permutations([1, 2, 3]), st.booleans())
async def test_a_difference_of_columns_shows_both_and_the_first_less_the_second(
    rows: list[Row], asked: str, order: list[int], grouped: bool
) -> None:
    question = asked.format(*(COLUMNS[at - 1] for at in order[:2])) + (" by region" if grouped else "")
    text = await converse(plans_of(rows), question)
    assert not declined(text), text
    first, second = (totals(rows, at) for at in order[:2])
    if grouped:
        for group in ("North", "South"):
            cells = f"| {first[group]} | {second[group]} | {first[group] - second[group]} |"
            assert line_of(text, group).endswith(cells), text
    else:
        whole, off = sum(first.values()), sum(second.values())
        assert f"**{whole - off}**: {whole} less {off} [" in text, text


ADS = """day,campaign,clicks,cost,revenue,currency
2026-01-01,mail,10,2.5,10,EUR
2026-02-01,mail,20,3.5,30,USD
2026-02-02,ads,5,1.25,8,EUR
"""


@pytest.fixture
def ads(tmp_path: Path) -> Folder:
    (tmp_path / "ads.csv").write_text(ADS)
    return Folder([tmp_path / "ads.csv"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["revenue and cost by campaign"], ["| ads | EUR | 8.00 | 1.25 |", "| mail | USD | 30.00 | 3.50 |"]),
        (["difference between revenue and cost"], ["| EUR | 18.00 | 3.75 | 14.25 |", "| USD | 30.00 | 3.50 | 26.50 |"]),
        (["revenue minus cost in EUR in January 2026"], ["**7.50 EUR**", "10.00 EUR less 2.50 EUR"]),
        (["average clicks and revenue in EUR"], ["**7.5**", "**9.00 EUR**"]),
        (["revenue and cost by campaign", "only EUR", "and by month?"], ["| January 2026 | mail | 10.00 | 2.50 |"]),
        (["sum of revenue and cost in EUR", "and by campaign?"], ["| ads | 8.00 | 1.25 | 9.25 |"]),
        (["cost per click in EUR"], ["**0.25 EUR**: 3.75 EUR per 15 ["]),
        (["average cost per click by campaign in EUR"], ["| ads | 1.25 | 5 | 0.25 |", "| mail | 2.50 | 10 | 0.25 |"]),
        (["total clicks and cost in EUR"], ["**15**", "**3.75 EUR**"]),
    ],
)
async def test_amounts_stay_apart_by_currency_and_remarks_change_all_columns(
    ads: Folder, asked: list[str], words: list[str]
) -> None:
    text = await talk(ads, *asked)
    assert not declined(text) and all(word in text for word in words), text


async def test_what_is_not_of_one_kind_is_shown_and_not_added_up(ads: Folder) -> None:
    text = await converse_over_files(ads, "sum of clicks and cost in EUR")
    assert has_figure(text, 15, 0) and has_figure(text, 3.75, 0) and not has_figure(text, 18.75, 0), text
    assert "aren't of one kind" in text, text


@pytest.mark.parametrize(
    "question",
    [
        "difference between clicks and cost in EUR",
        "Which campaign has the biggest difference between revenue and cost in EUR?",
        "Which campaign has the highest sum of revenue and cost in EUR?",
        "median revenue and cost in EUR",
        "Sum of revenue and the average of cost in EUR",
        "difference between clicks, cost and revenue in EUR",
        "clicks over 5 and cost",
        "number of rows and clicks by campaign",
        "number of ads and clicks by campaign",
        "clicks and cost over 3",
    ],
)
async def test_what_several_columns_do_not_answer_is_declined(ads: Folder, question: str) -> None:
    text = await converse_over_files(ads, question)
    assert declined(text), text


@pytest.mark.parametrize("remark", ["and the average?", "as a chart", "the top 3"])
async def test_a_remark_for_one_figure_only_is_declined(ads: Folder, remark: str) -> None:
    text = await talk(ads, "revenue and cost by campaign", remark)
    assert declined(text), text

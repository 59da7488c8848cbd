"""Shares group by group, and what sells best: the figures equal those worked out in plain Python, or none is given."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.models.port import Message, ModelMessage, UserMessage
from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.duckdb_tools import Folder
from tests.unit.offline.duckdb_tools import converse as converse_over_files
from tests.unit.offline.sqlite_tools import converse
from tests.unit.offline.test_random_lines import Deal, books, database_of, lines_of


def rows_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")][2:]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.sampled_from(["won", "lost"]), st.sampled_from(["town", "month"]), st.booleans())
async def test_the_share_of_a_condition_within_each_group(book: list[Deal], state: str, group: str, last: bool) -> None:
    part, whole = Counter[str](), Counter[str]()
    for deal in book:
        name = deal.town if group == "town" else f"{deal.day:%B %Y}"
        whole[name] += 1
        part[name] += deal.state == state
    asks = f"Share of deals {state}, by {group}" if last else f"What share of deals was {state} by {group}?"
    text = await converse(database_of(book), asks)
    assert len(rows_of(text)) == len(whole), text
    for name, count in whole.items():
        row = next(row for row in rows_of(text) if row.startswith(f"| {name} |"))
        assert row.endswith(f"| {part[name]} | {count} |"), text
        assert has_figure(row, 100 * part[name] / count, 0.006), text


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.sampled_from(["good", "color", "town", "state"]))
async def test_each_groups_share_of_the_whole(book: list[Deal], group: str) -> None:
    sums = Counter[str]()
    for line in lines_of(book):
        sums[line.facts[group]] += line.pieces
    text = await converse(database_of(book), f"What share of the pieces comes from each {group}?")
    for name, figure in sums.items():
        row = next(row for row in rows_of(text) if row.startswith(f"| {name} |"))
        assert row.endswith(f"| {figure:,} | {sums.total():,} |"), text
        assert has_figure(row, 100 * figure / sums.total(), 0.006), text


async def test_a_share_of_two_possible_wholes_is_not_guessed() -> None:
    book = [Deal(1, date(2025, 1, 1), "won", ((1, 1),))]
    text = await converse(database_of(book), "Share of won deals by town")
    assert declined(text) and "of what whole" in text, text


SALES = "day,product,pieces,amount\n2025-01-01,Pen,3,4.5\n2025-01-02,Ink,5,50\n2025-01-03,Pen,4,6\n"
STOCK = "counted_on,product,pieces,unit_price\n2025-01-01,Pen,900,1.5\n2025-01-01,Ink,10,10\n2025-01-01,Pad,4,2\n"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which product sells best?", ["Pen", "7"]),
        ("Which product sells worst?", ["Ink", "5"]),
        ("What is the best-selling product?", ["Pen", "7"]),
        ("Which product sold the most on 2025-01-02?", ["Ink", "5"]),
        ("What are our 2 best sellers by product?", ["Pen", "Ink", "7", "5"]),
    ],
)
async def test_what_sells_is_told_by_sales_and_never_by_a_stock(
    tmp_path: Path, question: str, words: list[str]
) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    (tmp_path / "stock.csv").write_text(STOCK)
    text = await converse_over_files(Folder([tmp_path / "sales.csv", tmp_path / "stock.csv"]), question)
    assert not declined(text) and "sales.csv" in text and all(word in text for word in words), text
    alone = await converse_over_files(Folder([tmp_path / "stock.csv"]), question)
    assert declined(alone), alone


SLIPS = """slip_id,branch,currency,state,amount
1,north,EUR,paid,10
2,north,USD,paid,990
3,north,EUR,open,30
4,south,EUR,paid,5
5,south,USD,open,700
6,south,EUR,paid,55
"""


@pytest.mark.parametrize(
    ("asked", "figures"),
    [
        (["What share of the EUR amount was paid?"], [70]),
        (["What share of the amount was paid?"], [70, 58.58]),
        (["What share of the EUR amount was paid, by branch?"], [25, 100]),
        (["Which branch has the highest share of the EUR amount?"], [60]),
        (["What share of slips was paid?", "only EUR"], [75]),
        (["What share of slips was paid?", "only EUR", "and by branch?"], [50, 100]),
        (["What share of slips was paid?", "what about open?"], [33.33]),
    ],
)
async def test_what_narrows_the_whole_is_no_part_of_it(tmp_path: Path, asked: list[str], figures: list[float]) -> None:
    (tmp_path / "slips.csv").write_text(SLIPS)
    folder = Folder([tmp_path / "slips.csv"])
    before: list[Message] = []
    text = ""
    for question in asked:
        text = await converse_over_files(folder, question, history=tuple(before))
        before += [UserMessage(question), ModelMessage(text)]
    assert not declined(text) and all(has_figure(text, figure, 0.006) for figure in figures), text


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.sampled_from(["won", "lost"]), st.sampled_from(["Oslo", "Rome"]), st.booleans(), st.booleans())
async def test_what_stands_before_the_verb_narrows_the_whole(
    book: list[Deal], state: str, town: str, town_first: bool, grouped: bool
) -> None:
    asks = f"What share of deals in {town} was {state}" if town_first else f"What share of {state} deals was in {town}"
    text = await converse(database_of(book), asks + (", by month?" if grouped else "?"))
    whole, part = Counter[str](), Counter[str]()
    for deal in book:
        if (deal.town == town) if town_first else (deal.state == state):
            whole[f"{deal.day:%B %Y}"] += 1
            part[f"{deal.day:%B %Y}"] += deal.town == town and deal.state == state
    if not grouped:
        assert f": {part.total()} of {whole.total()} [" in text or not whole, text
    for name, count in whole.items() if grouped else ():
        row = next(row for row in rows_of(text) if row.startswith(f"| {name} |"))
        assert row.endswith(f"| {part[name]} | {count} |"), text


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.sampled_from(["won", "lost"]), st.sampled_from(["Oslo", "Rome"]))
async def test_conditions_joined_behind_the_verb_hold_at_once(book: list[Deal], state: str, town: str) -> None:
    text = await converse(database_of(book), f"What share of deals was {state} and in {town}?")
    part = sum(deal.state == state and deal.town == town for deal in book)
    assert f": {part} of {len(book)} [" in text, text


@pytest.mark.parametrize(
    "question",
    [
        "What share of deals was won in Oslo?",
        "What share of won deals was in January 2025?",
        "What share of deals on Mondays was won in Oslo?",
        "What share of deals was won or in Oslo?",
    ],
)
async def test_a_share_of_an_uncertain_whole_is_declined(question: str) -> None:
    book = [Deal(1, date(2025, 1, 6), "won", ((1, 1),)), Deal(2, date(2025, 2, 1), "lost", ((2, 1),))]
    text = await converse(database_of(book), question)
    assert declined(text), text


@pytest.mark.parametrize("question", ["What share of the amount was in EUR?", "What share of the amount is EUR?"])
async def test_a_share_over_currencies_is_refused(tmp_path: Path, question: str) -> None:
    (tmp_path / "slips.csv").write_text(SLIPS)
    text = await converse_over_files(Folder([tmp_path / "slips.csv"]), question)
    assert declined(text), text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.sampled_from(["highest", "lowest"]), st.sampled_from(["town", "state"]))
async def test_the_group_of_the_highest_share(book: list[Deal], word: str, group: str) -> None:
    sums = Counter[str]()
    for line in lines_of(book):
        sums[line.facts[group]] += line.pieces
    best = (max if word == "highest" else min)(sums.values())
    text = await converse(database_of(book), f"Which {group} has the {word} share of the pieces?")
    said = text.split("_How I read")[0]
    assert has_figure(said, 100 * best / sums.total(), 0.006), text
    assert all((name in said) == (figure == best) for name, figure in sums.items()), text

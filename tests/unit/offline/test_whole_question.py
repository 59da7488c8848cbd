"""The figure that was asked for or none: never a kindred column's, another table's, or one of an earlier remark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.models.offline import OfflineModel
from runtime.models.offline.catalog import table_from
from runtime.models.offline.followups import resolve
from runtime.models.offline.listing import Listing
from runtime.models.offline.plan import Plan
from runtime.models.port import ModelRequest, ToolDefinition, UserMessage
from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.duckdb_tools import TOOLS, Folder, converse, talk

ADS = """month,campaign,spent_eur
2025-01-01,search,100
2025-02-01,social,50
2026-01-01,search,70
"""
ORDERS = """order_id,customer_id,ordered_on,status,channel,currency,amount
1,1,2025-01-10,paid,web,EUR,10
2,1,2025-02-11,paid,store,EUR,30
3,2,2025-03-12,open,web,EUR,500
4,2,2026-01-13,paid,web,EUR,20
5,3,2026-02-14,paid,web,USD,900
6,3,2026-03-15,cost,phone,EUR,700
"""


def folder_of(root: Path, **texts: str) -> Folder:
    for name, text in texts.items():
        (root / f"{name}.csv").write_text(text)
    return Folder([root / f"{name}.csv" for name in texts])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return folder_of(tmp_path_factory.mktemp("shop"), advertising=ADS, orders=ORDERS)


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        ("Compare paid EUR amount in Q1 2026 with Q1 2025", [40, 20, -20, -50]),
        ("Compare the EUR amount in January 2026 with January 2025", [10, 20, 10, 100]),
        ("What is the total EUR amount with status cost?", [700]),
    ],
)
async def test_a_value_of_one_table_is_no_synonym_of_anothers_column(
    shop: Folder, question: str, figures: list[float]
) -> None:
    text = await converse(shop, question)
    assert not declined(text) and "`amount` in `orders.csv`" in text, text
    assert all(has_figure(text, figure, 0.005) for figure in figures), text


async def test_money_words_that_are_no_values_still_find_the_money(shop: Folder) -> None:
    text = await converse(shop, "How much did we spend on search in 2025?")
    assert has_figure(text, 100, 0.005) and "`advertising.csv`" in text, text


@pytest.mark.parametrize("value", ["paid", "bill", "expense", "payment"])
async def test_a_value_that_means_money_never_picks_the_other_table(tmp_path: Path, value: str) -> None:
    orders = ORDERS.replace("paid", value)
    text = await converse(
        folder_of(tmp_path, advertising=ADS, orders=orders), f"Compare {value} in Q1 2026 with Q1 2025"
    )
    assert "advertising.csv` where" not in text and "total of `spent_eur`" not in text, text


@pytest.mark.parametrize("function", ["average", "mean", "median", "total", "on average"])
@pytest.mark.parametrize(
    "form", ["orders per customer_id, {}", "{} orders per customer_id", "{} of orders per channel"]
)
async def test_a_figure_over_counts_is_never_one_of_amounts(shop: Folder, function: str, form: str) -> None:
    text = await converse(shop, form.format(function))
    assert declined(text) or ("number of orders" in text and "amount" not in text), text


@pytest.mark.parametrize(
    ("remarks", "figures", "said"),
    [
        (("only Europe", "only paid"), [3, 1], "“paid”"),
        (("only Europe", "only Mars", "only paid"), [3, 1], "“paid”"),
        (("only paid", "only Europe", "only EUR"), [2, 1], "“EUR”"),
        (("only paid", "only Europe"), [], "no meaning for “Europe”"),
        (("only Europe", "why?"), [], "number of orders"),
    ],
)
async def test_a_remark_that_failed_changes_nothing(
    shop: Folder, remarks: tuple[str, ...], figures: list[float], said: str
) -> None:
    text = await talk(shop, "number of orders by channel", *remarks)
    assert said in text, text
    assert declined(text) or all(has_figure(text, figure, 0) for figure in figures), text


@given(st.lists(st.sampled_from(["only Europe", "and by weather?", "only xyzzy"]), max_size=40))
def test_many_failed_remarks_are_read_in_one_pass(remarks: list[str]) -> None:
    column = {"name": "channel", "type": "VARCHAR", "distinct": 2, "common": [["web", 2], ["store", 1]]}
    table = table_from({"table": "orders", "rows": 3, "columns": [column]}, "E1")
    questions = ("number of orders by channel", *remarks, "only web")
    assert isinstance(resolve(questions, (table,), Listing(), None).reading, Plan)


async def test_where_rows_may_be_updated_nobody_says_that_data_are_only_read() -> None:
    update = tuple(
        ToolDefinition(name, name, {}) for name in ("data_preview_postgresql_update", "data_update_postgresql")
    )
    for question in (
        "delete account 5",
        "remove the orders of May",
        "insert a row",
        "drop the table",
        "please upgrade account 5",
    ):
        asked = (UserMessage(question),)
        can = (await OfflineModel().step(ModelRequest("", "", (*TOOLS, *update), asked))).text
        cannot = (await OfflineModel().step(ModelRequest("", "", TOOLS, asked))).text
        assert "nothing was changed" in can and "nothing was changed" in cannot
        assert "only read" not in can and "only read" in cannot


@pytest.mark.parametrize(
    "greeting",
    [
        "Hi!",
        "Hello there",
        "How are we doing?",
        "good morning",
        "What can you do?",
        "Hi there, what can I ask you?",
        "How does this work?",
        "Who are you?",
    ],
)
async def test_a_greeting_is_returned_with_questions_that_can_be_asked(shop: Folder, greeting: str) -> None:
    text = await converse(shop, greeting)
    examples = re.findall("“([^”]+)”", text)
    assert not declined(text) and len(examples) == 3, text
    for example in examples:
        assert not declined(await converse(shop, example)), example


@pytest.mark.parametrize(
    ("chat", "said"),
    [("thanks", "welcome"), ("Thank you!", "welcome"), ("ok", "Good."), ("bye", "Bye."), ("nice work", "Good.")],
)
async def test_thanks_and_nods_get_one_line(shop: Folder, chat: str, said: str) -> None:
    text = await converse(shop, chat)
    assert said in text and "\n" not in text, text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What's the weather in Paris?", "no meaning for “weather”, “Paris”"),
        ("total clicks by campaign and weather", "The nearest table is `advertising.csv`"),
        ("total clicks by status", "I can't bring “status” of `orders.csv` together with the rest"),
    ],
)
async def test_a_refusal_is_true_and_names_a_table_only_where_it_is_near(
    tmp_path: Path, question: str, said: str
) -> None:
    ads = "month,campaign,clicks\n2025-01-01,search,100\n2025-02-01,social,50\n"
    text = await converse(folder_of(tmp_path, advertising=ads, orders=ORDERS), question)
    assert declined(text) and said in text, text
    assert ("nearest" in text) == ("clicks" in question)


@pytest.mark.parametrize(
    ("question", "figures", "said"),
    [
        ("show order 2", [30], "`order_id` is “2”"),
        ("How many orders did customer 2 place?", [2], "`customer_id` is “2”"),
        ("amount of order 5", [900], "`order_id` is “5”"),
        ("How many orders in 2025?", [3], "`ordered_on`"),
        ("top 2 orders by amount in EUR", [700, 500], "highest"),
    ],
)
async def test_a_row_is_found_by_its_number(shop: Folder, question: str, figures: list[float], said: str) -> None:
    text = await converse(shop, question)
    assert not declined(text) and said in text, text
    assert all(has_figure(text, figure, 0) for figure in figures), text


async def test_a_refusal_is_short_and_proposes_questions_that_can_be_asked(tmp_path: Path) -> None:
    wide = ",".join(f"column{n}" for n in range(40))
    text = await converse(folder_of(tmp_path, sales=f"region,amount,{wide}\n" + f"North,1{',x' * 40}\n"), "frogs?")
    assert declined(text) and len(text) < 500, text
    shop = folder_of(tmp_path, orders=ORDERS)
    many = [f"frob{chr(97 + at)}" for at in range(9)]
    text = await converse(shop, f"How many orders of {' '.join(many)} and {' '.join(reversed(many))}?")
    assert declined(text) and "“frobe” and others" in text and "frobf" not in text, text
    examples = re.findall("“([^”]+)”", (await converse(shop, "How many frogs?")).split("You could ask")[1])
    assert len(examples) == 3
    for example in examples:
        assert not declined(await converse(shop, example)), example


CUSTOMERS = """customer_id,customer,country
1,Tara Adler,Germany
2,Ben Costa,France
3,Tara Adler,France
"""


@pytest.mark.parametrize(
    ("question", "figures", "words"),
    [
        ("How many orders did Tara Adler place?", [4], ["orders.csv", "share a `customer`"]),
        ("How many orders did Ben Costa place?", [2], ["orders.csv"]),
        ("Number of orders by customer_id", [2], ["| 1 | 2 |", "| 3 | 2 |"]),  # twins stay two
        ("paid orders by channel", [3, 1], ["web", "store"]),
        ("Orders by status", [4, 1], ["paid", "open"]),
        ("Top 2 countries by number of customers", [2, 1], ["France", "Germany"]),
    ],
)
async def test_plain_questions_over_rows_and_those_they_point_at(
    tmp_path: Path, question: str, figures: list[float], words: list[str]
) -> None:
    text = await converse(folder_of(tmp_path, orders=ORDERS, customers=CUSTOMERS), question)
    assert not declined(text), text
    assert all(has_figure(text, figure, 0) for figure in figures), text
    assert all(word in text for word in words), text


@pytest.mark.parametrize(
    ("question", "said"),
    [("How many orders had an amount over 25?", True), ("How many orders had an amount over 25 in EUR?", False)],
)
async def test_a_bound_on_amounts_of_several_currencies_says_so(shop: Folder, question: str, said: bool) -> None:
    text = await converse(shop, question)
    assert not declined(text) and ("every `currency` alike" in text) == said, text

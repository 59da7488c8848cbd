"""Questions over the demo's shop: each right answer is worked out from the shop's own rows, without SQL."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date
from statistics import median

import pytest

from bot.local.demo import Shop, make_shop
from tests.acceptance.grading import declined, has_figure
from tests.shop_files import write_shop_files
from tests.unit.offline.duckdb_tools import Folder, converse

Expected = tuple[list[float], list[str]]
ORDER, CUSTOMER, DAY, STATUS, CHANNEL, CURRENCY, CENTS = range(7)


@pytest.fixture(scope="module")
def shop() -> Shop:
    return make_shop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root = tmp_path_factory.mktemp("demo")
    write_shop_files(root)
    return Folder(sorted(root.glob("*.csv")))


def _orders(shop: Shop) -> Expected:
    return [len(shop.orders)], ["orders.csv"]


def _cancelled(shop: Shop) -> Expected:
    return [sum(row[STATUS] == "cancelled" and row[DAY].year == 2025 for row in shop.orders)], ["cancelled"]


def _paid_euros_first_quarter(shop: Shop) -> Expected:
    first, last = date(2026, 1, 1), date(2026, 3, 31)
    rows = [r for r in shop.orders if r[STATUS] == "paid" and r[CURRENCY] == "EUR" and first <= r[DAY] <= last]
    return [sum(row[CENTS] for row in rows) / 100, len(rows)], ["January to March 2026"]


def _paid_may(shop: Shop) -> Expected:
    totals: dict[str, int] = defaultdict(int)
    for row in shop.orders:
        if row[STATUS] == "paid" and (row[DAY].year, row[DAY].month) == (2026, 5):
            totals[row[CURRENCY]] += row[CENTS]
    return [cents / 100 for cents in totals.values()], ["EUR", "USD", "kept apart"]


def _busiest_channel(shop: Shop) -> Expected:
    channel, count = Counter(row[CHANNEL] for row in shop.orders).most_common(1)[0]
    return [count], [channel]


def _average_dollars(shop: Shop) -> Expected:
    cents = [row[CENTS] for row in shop.orders if row[CURRENCY] == "USD"]
    return [sum(cents) / len(cents) / 100], ["USD"]


def _largest_euros(shop: Shop) -> Expected:
    most = max(row[CENTS] for row in shop.orders if row[CURRENCY] == "EUR")
    rows = [row for row in shop.orders if row[CURRENCY] == "EUR" and row[CENTS] == most]
    return [most / 100], [str(row[ORDER]) for row in rows]


def _best_month(shop: Shop) -> Expected:
    months = Counter(row[DAY].month for row in shop.orders if row[DAY].year == 2025)
    most = max(months.values())
    names = [f"{date(2025, month, 1):%B} 2025" for month, count in months.items() if count == most]
    return [most], names


def _business_in_france(shop: Shop) -> Expected:
    return [sum(row[2:4] == ("France", "business") for row in shop.customers)], ["France"]


def _by_category(shop: Shop) -> Expected:
    counts = Counter(kind for _, _, kind, _ in shop.products)
    return [float(count) for count in counts.values()], list(counts)


def _median_refund(shop: Shop) -> Expected:
    return [median(row[5] for row in shop.refunds if row[4] == "USD") / 100], ["USD"]


def _big_orders(shop: Shop) -> Expected:
    return [sum(row[CURRENCY] == "EUR" and row[CENTS] > 50_000 for row in shop.orders)], ["over 500"]


def _pieces(shop: Shop) -> Expected:
    return [sum(quantity for _, _, _, quantity, _ in shop.order_lines)], ["quantity"]


def _refund_reasons(shop: Shop) -> Expected:
    reason, count = Counter(row[3] for row in shop.refunds).most_common(1)[0]
    return [count], [reason]


QUESTIONS: dict[str, Callable[[Shop], Expected]] = {
    "How many orders do we have?": _orders,
    "How many orders were cancelled in 2025?": _cancelled,
    "What is the total amount of paid orders in EUR in the first quarter of 2026?": _paid_euros_first_quarter,
    "What was the total amount of paid orders in May 2026?": _paid_may,
    "Which channel has the most orders?": _busiest_channel,
    "What is the average amount of orders in USD?": _average_dollars,
    "What was our largest order in EUR?": _largest_euros,
    "In which month of 2025 did we have the most orders?": _best_month,
    "How many business customers do we have in France?": _business_in_france,
    "How many products are there by category?": _by_category,
    "What is the median amount of refunds in USD?": _median_refund,
    "How many orders had an amount over 500 in EUR?": _big_orders,
    "What is the total quantity in order_lines.csv?": _pieces,
    "Which reason is the most common for refunds?": _refund_reasons,
}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_demo_question(folder: Folder, shop: Shop, question: str) -> None:
    figures, words = QUESTIONS[question](shop)
    text = await converse(folder, question, context="Now: Tuesday, 2026-06-30 09:30")
    assert not declined(text), text
    for figure in figures:
        assert has_figure(text, figure, 0.005), (figure, text)
    for word in words:
        assert word in text, (word, text)


async def test_says_what_there_is(folder: Folder) -> None:
    text = await converse(folder, "What tables do you have?")
    assert all(name in text for name in ("orders.csv", "customers.csv", "refunds.csv", "1,240"))

"""Verbs of buying, selling and spending, days of the week, averages of counts, ratios and exceptions, over a small
shop whose right answers are worked out in plain SQL."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.sqlite_tools import Database, talk

SHOP = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, customer TEXT, country TEXT);
CREATE TABLE goods (product_id INTEGER PRIMARY KEY, product TEXT, category TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id),
 ordered_on DATE, status TEXT, currency TEXT, amount REAL);
CREATE TABLE order_lines (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (order_id),
 product_id INTEGER REFERENCES goods (product_id), quantity INTEGER, unit_price REAL);
CREATE TABLE refunds (refund_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (order_id),
 refunded_on DATE, currency TEXT, amount REAL);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, came_at TIMESTAMP, door TEXT);
"""
PEOPLE = ("Ada Stone", "Ben Wolf", "Cleo Marsh", "Dan Reed", "Eve Hart", "Finn Cole", "Gil Nash", "Hal Boyd")
THINGS = (("Mug", "kitchen"), ("Kettle", "kitchen"), ("Lamp", "light"), ("Desk", "wood"), ("Stool", "wood"),
          ("Vase", "glass"), ("Bowl", "glass"), ("Tray", "wood"))  # fmt: skip
JOINED = (
    "FROM order_lines JOIN orders USING (order_id) JOIN goods USING (product_id) "
    "JOIN customers USING (customer_id) WHERE "
)
NOT_CANCELLED = " AND status <> 'cancelled'"


@pytest.fixture(scope="module")
def shop() -> Database:
    database = Database(SHOP)
    database.insert("goods", [(at, *thing) for at, thing in enumerate(THINGS, start=1)])
    lands = ("Norway", "Italy", "Norway", "Ghana")
    database.insert("customers", [(at, name, lands[at % 4]) for at, name in enumerate(PEOPLE, start=1)])
    states = ("paid", "paid", "cancelled", "open", "paid")
    orders = [
        (
            at,
            1 + at * at % 7,
            str(date(2025, 1, 1) + timedelta(days=at * 5)),
            states[at % 5],
            "EUR",
            10.0 * (at % 9 + 1),
        )
        for at in range(1, 121)
    ]
    database.insert("orders", orders)
    lines = [(at, 1 + at % 120, 1 + at * 3 % 8, 1 + at % 4, 2.0 + at % 5) for at in range(1, 301)]
    database.insert("order_lines", lines)
    database.insert("refunds", [(at, at * 7, f"2026-0{1 + at % 6}-1{at % 9}", "EUR", 5.0 * at) for at in range(1, 15)])
    database.insert(
        "visits", [(at, f"2026-03-{1 + at % 28:02d} {7 + at % 5:02d}:15:00", "east") for at in range(1, 90)]
    )
    return database


def figures(shop: Database, sql: str) -> list[float]:
    return [float(row[-1]) for row in shop.connection.execute(sql).fetchall()]


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many mugs were sold in 2025?", "SELECT sum(quantity) {J} product = 'Mug' AND ordered_on LIKE '2025%'{N}"),
        ("How many kettles did we sell in 2026?",
         "SELECT sum(quantity) {J} product = 'Kettle' AND ordered_on LIKE '2026%'{N}"),
        ("How many mugs did customers in Norway buy?",
         "SELECT sum(quantity) {J} product = 'Mug' AND country = 'Norway'{N}"),
        ("How many mugs were ordered in 2025?", "SELECT sum(quantity) {J} product = 'Mug' AND ordered_on LIKE '2025%'"),
        ("How many cancelled mugs were sold?", "SELECT sum(quantity) {J} product = 'Mug' AND status = 'cancelled'"),
        ("How many pieces did we sell in May 2026?", "SELECT sum(quantity) {J} ordered_on LIKE '2026-05%'{N}"),
        ("What did Ada Stone buy in 2026?",
         "SELECT product, sum(quantity) {J} customer = 'Ada Stone' AND ordered_on LIKE '2026%'{N} GROUP BY 1"),
        ("What did customer 5 order?", "SELECT product, sum(quantity) {J} orders.customer_id = 5 GROUP BY 1"),
        ("Which products did customer 5 buy in 2025?",
         "SELECT product, sum(quantity) {J} orders.customer_id = 5 AND ordered_on LIKE '2025%'{N} GROUP BY 1"),
        ("Who bought a lamp?", "SELECT customer, sum(quantity) {J} product = 'Lamp'{N} GROUP BY 1"),
        ("Who bought the most kettles?",
         "SELECT customer, sum(quantity) {J} product = 'Kettle'{N} GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("What sold best in 2026?",
         "SELECT product, sum(quantity) {J} ordered_on LIKE '2026%'{N} GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("How many customers bought a bowl in 2025?",
         "SELECT count(DISTINCT orders.customer_id) {J} product = 'Bowl' AND ordered_on LIKE '2025%'{N}"),
        ("How much did Ada Stone spend in 2025?",
         "SELECT sum(amount) FROM orders JOIN customers USING (customer_id) WHERE customer = 'Ada Stone'"
         " AND ordered_on LIKE '2025%'{N}"),
        ("How much did customer 5 pay?", "SELECT sum(amount) FROM orders WHERE customer_id = 5 AND status = 'paid'"),
        ("Who spent the most?",
         "SELECT customer_id, sum(amount) FROM orders WHERE 1{N} GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("Which customers spent over 700 EUR?",
         "SELECT customer_id, sum(amount) FROM orders WHERE 1{N} GROUP BY 1 HAVING sum(amount) > 700"),
        ("Which customer has the most cancelled orders?",
         "SELECT customer_id, count(*) FROM orders WHERE status = 'cancelled' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("Which two countries placed the most orders in 2025?",
         "SELECT country, count(*) FROM orders JOIN customers USING (customer_id) WHERE ordered_on LIKE '2025%'"
         " GROUP BY 1 ORDER BY 2 DESC LIMIT 2"),
        ("Top 3 products by quantity in 2026",
         "SELECT product, sum(quantity) {J} ordered_on LIKE '2026%' GROUP BY 1 ORDER BY 2 DESC LIMIT 3"),
        ("What is the most ordered product in Norway?",
         "SELECT product, sum(quantity) {J} country = 'Norway' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("Which product was ordered most in 2026?",
         "SELECT product, sum(quantity) {J} ordered_on LIKE '2026%' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("Top 2 most bought products in Norway",
         "SELECT product, sum(quantity) {J} country = 'Norway'{N} GROUP BY 1 ORDER BY 2 DESC LIMIT 2"),
        ("Which customers ordered more than 18 times?",
         "SELECT customer_id, count(*) FROM orders GROUP BY 1 HAVING count(*) > 18"),
        ("How many customers never ordered anything in 2026?",
         "SELECT count(*) FROM customers WHERE customer_id NOT IN"
         " (SELECT customer_id FROM orders WHERE ordered_on LIKE '2026%')"),
        ("Which customers never ordered?",
         "SELECT count(*) FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)"),
        ("How many goods were never ordered in January 2025?",
         "SELECT count(*) FROM goods WHERE product_id NOT IN (SELECT product_id {J} ordered_on LIKE '2025-01%')"),
        ("What did customer 5 order most in 2025?",
         "SELECT product, sum(quantity) {J} orders.customer_id = 5 AND ordered_on LIKE '2025%'"
         " GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("Who ordered in June 2025?",
         "SELECT customer_id, count(*) FROM orders WHERE ordered_on LIKE '2025-06%' GROUP BY 1"),
    ],
)  # fmt: skip
async def test_who_bought_what(shop: Database, question: str, sql: str) -> None:
    text = await talk(shop, question)
    right = figures(shop, sql.replace("{J}", JOINED).replace("{N}", NOT_CANCELLED))
    assert not declined(text) and right, text
    assert all(has_figure(text.split("_How I read")[0], figure, 0.006) for figure in right), (right, text)
    excluded = "what was cancelled counts as neither bought nor sold" in text
    assert excluded == sql.endswith(("{N}", "{N} GROUP BY 1")) or "{N}" in sql, text


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("How much did we sell in May 2026?", "pieces or money"),
        ("Who bought the most in 2025?", "pieces or by money"),
        ("Who sold the most mugs?", "I can't"),
        ("How much did Ada Stone spend on mugs?", "“spend”"),
        ("What was sold to the neighbours?", "“neighbours”"),
        ("How many products did we sell?", "how many pieces, or how many different products"),
        ("How many visits were sold?", "“sold”"),
    ],
)
async def test_what_a_verb_leaves_open_is_not_guessed(shop: Database, question: str, why: str) -> None:
    text = await talk(shop, question)
    assert declined(text) and why in text, text


async def test_pieces_and_different_products_are_two_answers(shop: Database) -> None:
    pieces = await talk(shop, "How many products did we sell in 2025?", "pieces")
    kinds = await talk(shop, "How many products did we sell in 2025?", "different products")
    where = f"{JOINED} ordered_on LIKE '2025%'{NOT_CANCELLED}"
    assert has_figure(pieces, figures(shop, f"SELECT sum(quantity) {where}")[0], 0), pieces
    assert has_figure(kinds, figures(shop, f"SELECT count(DISTINCT product_id) {where}")[0], 0), kinds


DAY = "CAST(strftime('%w', ordered_on) AS INTEGER)"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Orders by weekday", f"SELECT {DAY}, count(*) FROM orders GROUP BY 1"),
        ("How many orders on Mondays?", f"SELECT count(*) FROM orders WHERE {DAY} = 1"),
        ("How many orders were placed on weekends in 2025?",
         f"SELECT count(*) FROM orders WHERE {DAY} IN (0, 6) AND ordered_on LIKE '2025%'"),
        ("Paid orders on Tuesdays and Fridays",
         f"SELECT count(*) FROM orders WHERE {DAY} IN (2, 5) AND status = 'paid'"),
        ("Which weekday has the most orders?",
         f"SELECT {DAY}, count(*) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("Total amount of orders on each day of the week", f"SELECT {DAY}, sum(amount) FROM orders GROUP BY 1"),
        ("What share of orders was placed on Sundays?",
         f"SELECT 100.0 * sum({DAY} = 0) / count(*) FROM orders"),
        ("How many visits per hour of the day?", "SELECT strftime('%H', came_at), count(*) FROM visits GROUP BY 1"),
    ],
)  # fmt: skip
async def test_days_of_the_week_and_hours(shop: Database, question: str, sql: str) -> None:
    text = await talk(shop, question)
    assert not declined(text), text
    assert all(has_figure(text, figure, 0.006) for figure in figures(shop, sql)), (figures(shop, sql), text)


async def test_weekdays_stand_in_their_order_and_go_on_in_a_remark(shop: Database) -> None:
    text = await talk(shop, "Orders by weekday")
    named = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert named == ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    text = await talk(shop, "How many orders in 2025?", "only Mondays")
    assert "on Mondays" in text and not declined(text)


@pytest.mark.parametrize(
    "question",
    ["How many orders on Monday?", "Orders by hour", "Orders last Monday"],
)
async def test_one_monday_and_hours_of_mere_days_are_not_guessed(shop: Database, question: str) -> None:
    assert declined(await talk(shop, question))


COUNTS = "(SELECT customer_id, count(*) AS n FROM orders GROUP BY 1)"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Average number of orders per customer", f"SELECT 1.0 * sum(n) / 8 FROM {COUNTS}"),
        ("Average number of orders per customer", f"SELECT avg(n) FROM {COUNTS}"),  # both are said: one has none
        ("orders per customer on average", f"SELECT 1.0 * sum(n) / 8 FROM {COUNTS}"),
        ("Average orders per month in 2025", "SELECT count(*) / 12.0 FROM orders WHERE ordered_on LIKE '2025%'"),
        ("How many orders per day on average?",
         "SELECT 1.0 * count(*) / (julianday(max(ordered_on)) - julianday(min(ordered_on)) + 1) FROM orders"),
        ("Average number of order lines per order", "SELECT 300.0 / 120"),
        ("Average number of customers per country", "SELECT 8 / 3.0"),
    ],
)  # fmt: skip
async def test_averages_of_counts(shop: Database, question: str, sql: str) -> None:
    text = await talk(shop, question)
    assert not declined(text) and has_figure(text, figures(shop, sql)[0], 0.006), (figures(shop, sql), text)


async def test_a_median_of_counts_counts_what_has_none_as_zero(shop: Database) -> None:
    text = await talk(shop, "Median number of refunds per order")
    assert "**0** refunds" in text and "over all 120" in text and "over the 14 that have any **1**" in text, text


@pytest.mark.parametrize("question", ["Average orders per weekday", "Average number of orders by country and month"])
async def test_averages_that_may_mean_several_things_are_not_guessed(shop: Database, question: str) -> None:
    assert declined(await talk(shop, question))


async def test_a_total_as_a_share_of_another_tables(shop: Database) -> None:
    for question in (
        "refunds as a share of the amount of orders in 2026",
        "refunds as a share of total amount of orders in 2026",
    ):
        text = await talk(shop, question)
        part = figures(shop, "SELECT sum(amount) FROM refunds WHERE refunded_on LIKE '2026%'")[0]
        whole = figures(shop, "SELECT sum(amount) FROM orders WHERE ordered_on LIKE '2026%'")[0]
        assert has_figure(text, 100 * part / whole, 0.006) and has_figure(text, part, 0.006), text
    by_month = await talk(shop, "refunds as a percentage of the amount of orders by month")
    assert "by month of `refunded_on`" in by_month and "| January 2026 |" in by_month, by_month
    assert declined(await talk(shop, "refunds as a share of orders"))  # by number or by amount?
    counted = await talk(shop, "number of refunds as a share of the number of orders")
    assert has_figure(counted, 100 * 14 / 120, 0.006), counted


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many orders were neither cancelled nor open?", "status NOT IN ('cancelled', 'open')"),
        ("How many orders apart from cancelled ones in 2025?", "status <> 'cancelled' AND ordered_on LIKE '2025%'"),
        ("How many orders other than open ones?", "status <> 'open'"),
        ("How many orders except open, cancelled ones?", "status NOT IN ('cancelled', 'open')"),
        ("How many orders not cancelled or open?", "status NOT IN ('cancelled', 'open')"),
        ("How many orders not from Norway?", "country <> 'Norway'"),
        ("How many orders from outside Norway and Ghana?", "country NOT IN ('Norway', 'Ghana')"),
        ("How many orders in 2025 but not cancelled?", "status <> 'cancelled' AND ordered_on LIKE '2025%'"),
    ],
)
async def test_what_is_left_out(shop: Database, question: str, sql: str) -> None:
    right = figures(shop, f"SELECT count(*) FROM orders JOIN customers USING (customer_id) WHERE {sql}")[0]
    text = await talk(shop, question)
    assert f"**{right:,.0f}** orders" in text, (right, text)


@pytest.mark.parametrize("question", ["How many orders not cancelled and open?", "How many other orders?"])
async def test_an_exclusion_that_may_mean_two_things_is_not_guessed(shop: Database, question: str) -> None:
    assert declined(await talk(shop, question))


async def test_praise_is_asked_back_by_what_can_be_worked_out(shop: Database) -> None:
    for question in ("Who are our best customers?", "Who is our most loyal customer?"):
        text = await talk(shop, question)
        assert "Please answer with one of these: by number of orders" in text, text
        chosen = await talk(shop, question, "by number of orders")
        assert not declined(chosen) and "number of orders in `club/orders`" in chosen, chosen


@pytest.mark.parametrize("question", ["How many products were ordered in 2026?", "How many products were sold?"])
async def test_pieces_or_products_is_asked_back(shop: Database, question: str) -> None:
    assert "pieces · different products" in await talk(shop, question)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What is the cancellation rate?", "{S} FROM orders"),
        ("Cancellation rate in Norway in 2025",
         "{S} FROM orders JOIN customers USING (customer_id) WHERE country = 'Norway' AND ordered_on LIKE '2025%'"),
        ("Cancellation rate by country", "{S} FROM orders JOIN customers USING (customer_id) GROUP BY country"),
        ("Which country has the highest cancellation rate?",
         "{S} FROM orders JOIN customers USING (customer_id) GROUP BY country ORDER BY 1 DESC LIMIT 1"),
    ],
)  # fmt: skip
async def test_the_rate_of_a_status(shop: Database, question: str, sql: str) -> None:
    text = await talk(shop, question)
    right = figures(shop, sql.replace("{S}", "SELECT 100.0 * avg(status = 'cancelled')"))
    assert not declined(text) and all(has_figure(text, figure, 0.006) for figure in right), (right, text)


@pytest.mark.parametrize("question", ["What is the payment rate?", "conversion rate by country", "open rate"])
async def test_a_rate_of_nothing_here_is_declined(shop: Database, question: str) -> None:
    assert declined(await talk(shop, question))


@pytest.mark.parametrize(
    "question",
    [
        "customers with more than 10 orders by country",
        "How many customers have more than 10 orders by country?",
        "cancellation rate in 2025 vs 2026",
        "average quantity per order",
        "average quantity per product",
    ],
)
async def test_what_is_of_something_else_than_its_groups_is_declined(shop: Database, question: str) -> None:
    text = await talk(shop, question)
    assert declined(text), text

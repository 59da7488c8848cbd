"""Questions over the demo's data with their right answers, worked out from its rows in plain Python, without SQL."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from statistics import correlation, mean, median
from zoneinfo import ZoneInfo

from bot.local.demo import Crm, Office, Shop

BERLIN = ZoneInfo("Europe/Berlin")
Expected = tuple[list[float], list[str]]


@dataclass(frozen=True)
class Order:
    id: int
    customer: int
    day: date
    status: str
    channel: str
    currency: str
    cents: int


@dataclass(frozen=True)
class Data:
    """All rows of the demo; an answer is its figures and the words that must stand beside them."""

    shop: Shop
    office: Office
    crm: Crm

    @property
    def orders(self) -> list[Order]:
        return [Order(*row) for row in self.shop.orders]

    @property
    def euros(self) -> list[Order]:
        return [order for order in self.orders if order.currency == "EUR"]

    def country(self, customer: int) -> str:
        return next(row[2] for row in self.shop.customers if row[0] == customer).strip().title()

    def category(self, product: int) -> str:
        return next(row[2] for row in self.shop.products if row[0] == product)

    def from_country(self, country: str) -> list[Order]:
        wanted = {row[0] for row in self.shop.customers if row[2].strip().title() == country}
        return [order for order in self.orders if order.customer in wanted]


def within(day: date, year: int, first: int = 1, last: int = 12) -> bool:
    return day.year == year and first <= day.month <= last


def total(orders: list[Order]) -> float:
    return sum(order.cents for order in orders) / 100


def counted(values: list[str]) -> Expected:
    counts = Counter(values)
    return [float(count) for count in counts.values()], list(counts)


def most(values: list[str]) -> Expected:
    counts = Counter(values)
    best = max(counts.values())
    return [best], [name for name, count in counts.items() if count == best]


def month(day: date) -> str:
    return f"{day:%B %Y}"


def by_currency(figure: Callable[[list[Order]], float], orders: list[Order]) -> Expected:
    groups: dict[str, list[Order]] = defaultdict(list)
    for order in orders:
        groups[order.currency].append(order)
    return [figure(rows) for rows in groups.values()], [*groups, "kept apart by `currency`"]


def moved(before: float, after: float) -> Expected:
    return [before, after, after - before, round(100 * (after - before) / before, 2)], []


def refunds(data: Data, currency: str) -> list[int]:
    return [row[5] for row in data.shop.refunds if row[4] == currency]


def line_quantity(data: Data) -> Expected:
    sums: dict[str, int] = defaultdict(int)
    for _, _, product, quantity, _ in data.shop.order_lines:
        sums[data.category(product)] += quantity
    return [float(value) for value in sums.values()], list(sums)


def unit_prices(data: Data) -> Expected:
    currencies = {order.id: order.currency for order in data.orders}
    prices: dict[str, list[int]] = defaultdict(list)
    for order, _, _, _, price in data.shop.order_lines:
        prices[currencies[order]].append(price)
    return [mean(values) / 100 for values in prices.values()], list(prices)


def steps(data: Data) -> Expected:
    cents = [order.cents for order in data.euros]
    spread = (max(cents) - min(cents)) / 100
    width = next(w for w in (100, 200, 250, 500, 1000) if spread / w < 9 and w != 250)
    return [float(n) for n in Counter(int(cent / 100 // width) for cent in cents).values()], ["amount from"]


def tickets_in(data: Data, year: int, number: int) -> Expected:
    moments = [opened.astimezone(BERLIN) for _, _, opened, *_ in data.crm.tickets]
    return [sum((moment.year, moment.month) == (year, number) for moment in moments)], []


def tiers(data: Data) -> dict[int, str]:
    return {row[0]: row[2] for row in data.crm.accounts}


def fees_by_tier(data: Data) -> Expected:
    fees: dict[str, list[int]] = defaultdict(list)
    for row in data.crm.accounts:
        fees[row[2]].append(row[6])
    return [mean(values) for values in fees.values()], [*fees, "EUR"]  # the unit stands in the column's comment


def high_minutes(data: Data) -> Expected:
    kept = [row[4] for row in data.crm.tickets if row[3] == "high" and row[4] is not None]
    return [mean(kept), len(kept)], []


def quarters(data: Data) -> Expected:
    names = [opened.astimezone(BERLIN) for _, _, opened, *_ in data.crm.tickets]
    return counted([f"Q{(moment.month + 2) // 3} {moment.year}" for moment in names])


SHOP: dict[str, Callable[[Data], Expected]] = {
    "How many orders do we have?": lambda d: ([len(d.orders)], ["shop/orders"]),
    "How many orders were cancelled in 2025?": lambda d: (
        [sum(o.status == "cancelled" and o.day.year == 2025 for o in d.orders)],
        ["cancelled"],
    ),
    "What is the total amount of paid orders in EUR in the first quarter of 2026?": lambda d: (
        [total([o for o in d.euros if o.status == "paid" and within(o.day, 2026, 1, 3)])],
        ["January to March 2026", "EUR"],
    ),
    "What was the total amount of paid orders in May 2026?": lambda d: by_currency(
        total, [o for o in d.orders if o.status == "paid" and within(o.day, 2026, 5, 5)]
    ),
    "Which channel has the most orders?": lambda d: most([o.channel for o in d.orders]),
    "What is the average amount of orders in USD?": lambda d: (
        [mean(o.cents for o in d.orders if o.currency == "USD") / 100],
        ["USD"],
    ),
    "What was our largest order in EUR?": lambda d: (
        [max(o.cents for o in d.euros) / 100],
        [str(max(d.euros, key=lambda o: o.cents).id)],
    ),
    "In which month of 2025 did we have the most orders?": lambda d: most(
        [month(o.day) for o in d.orders if o.day.year == 2025]
    ),
    "How many business customers do we have in France?": lambda d: (
        [sum(row[3] == "business" and row[2].strip().title() == "France" for row in d.shop.customers)],
        ["France"],
    ),
    "How many products are there by category?": lambda d: counted([row[2] for row in d.shop.products]),
    "How many customers are there by country?": lambda d: counted([d.country(row[0]) for row in d.shop.customers]),
    "What is the median amount of refunds in USD?": lambda d: ([median(refunds(d, "USD")) / 100], ["USD"]),
    "How many orders had an amount over 500 in EUR?": lambda d: (
        [sum(o.cents > 50_000 for o in d.euros)],
        ["over 500"],
    ),
    "What is the total quantity of order lines by category?": line_quantity,
    "Which reason is the most common for refunds?": lambda d: most([row[3] for row in d.shop.refunds]),
    "How many orders came from customers in Germany?": lambda d: ([len(d.from_country("Germany"))], ["“Germany”"]),
    "How many orders were placed in Spain in 2025?": lambda d: (
        [sum(o.day.year == 2025 for o in d.from_country("Spain"))],
        [],
    ),
    "Which country has the most orders?": lambda d: most([d.country(o.customer) for o in d.orders]),
    "What is the average unit price of order lines?": unit_prices,
    "What share of orders was cancelled?": lambda d: (
        [100 * sum(o.status == "cancelled" for o in d.orders) / len(d.orders)],
        [],
    ),
    "How did the number of orders change from the first quarter of 2025 to the first quarter of 2026?": lambda d: moved(
        sum(within(o.day, 2025, 1, 3) for o in d.orders), sum(within(o.day, 2026, 1, 3) for o in d.orders)
    ),
    "Compare the total amount of paid orders in EUR in May 2026 with May 2025": lambda d: moved(
        total([o for o in d.euros if o.status == "paid" and within(o.day, 2025, 5, 5)]),
        total([o for o in d.euros if o.status == "paid" and within(o.day, 2026, 5, 5)]),
    ),
    "What is the distribution of order amounts in EUR?": steps,
    "What are the three largest orders in USD?": lambda d: (
        [cents / 100 for cents in sorted((o.cents for o in d.orders if o.currency == "USD"), reverse=True)[:3]],
        ["USD"],
    ),
    "How many refunds came from customers in Germany?": lambda d: (
        [sum(row[1] in {o.id for o in d.from_country("Germany")} for row in d.shop.refunds)],
        [],
    ),
    "How many orders per quarter?": lambda d: counted([f"Q{(o.day.month + 2) // 3} {o.day.year}" for o in d.orders]),
    "Which products have a list price above 100?": lambda d: (
        [row[3] / 100 for row in d.shop.products if row[3] > 10_000],
        [row[1] for row in d.shop.products if row[3] > 10_000],
    ),
    "How many orders were there last month?": lambda d: (
        [sum(within(o.day, 2026, 5, 5) for o in d.orders)],
        ["May 2026"],
    ),
    "How many pieces are there in Hamburg?": lambda d: (
        [sum(pieces or 0 for place, _, pieces, _ in d.office.stock if place == "Hamburg")],
        [],
    ),
    "Which warehouse has the most damaged?": lambda d: (
        [max(sum(row[3] for row in d.office.stock if row[0] == place) for place in ("Hamburg", "Lyon", "Boston"))],
        [],
    ),
    "How many clicks did the newsletter campaign have in 2026?": lambda d: (
        [sum(clicks for day, name, clicks, _ in d.office.advertising if name == "newsletter" and day.year == 2026)],
        ["newsletter"],
    ),
    "Is there a correlation between clicks and spent_eur?": lambda d: (
        [correlation([row[2] for row in d.office.advertising], [row[3] for row in d.office.advertising])],
        ["strong"],
    ),
}

CRM: dict[str, Callable[[Data], Expected]] = {
    "How many gold accounts are there?": lambda d: ([list(tiers(d).values()).count("gold")], ["gold"]),
    "What is the average monthly fee by tier?": fees_by_tier,
    "What is the median monthly fee of gold accounts?": lambda d: (
        [median(row[6] for row in d.crm.accounts if row[2] == "gold")],
        [],
    ),
    "How many tickets were opened in April 2025?": lambda d: tickets_in(d, 2025, 4),
    "How many tickets per quarter?": quarters,
    "How many tickets do gold accounts have?": lambda d: (
        [sum(tiers(d)[row[1]] == "gold" for row in d.crm.tickets)],
        [],
    ),
    "How many minutes do high priority tickets take on average?": high_minutes,
    "How are accounts distributed by tier?": lambda d: counted(list(tiers(d).values())),
}

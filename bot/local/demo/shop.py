"""The rows of the demo's shop: 18 months of orders in two currencies, with the traps that docs/demo.md names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

FIRST_DAY, LAST_DAY = date(2025, 1, 1), date(2026, 6, 30)
"""The orders run over these 18 months; refunds may follow up to 30 days later, but not after the last day."""

_PRODUCTS: tuple[tuple[str, str, float], ...] = (
    ("Oak desk", "furniture", 349.0),
    ("Swivel chair", "furniture", 189.5),
    ("Bookshelf", "furniture", 129.0),
    ("Footrest", "furniture", 39.9),
    ("Desk lamp", "lighting", 49.9),
    ("Floor lamp", "lighting", 89.0),
    ("Light strip", "lighting", 24.5),
    ("Notebook", "stationery", 6.5),
    ("Fountain pen", "stationery", 28.0),
    ("Ink bottle", "stationery", 9.8),
    ("Paper stack", "stationery", 5.9),
    ("Kettle", "kitchen", 44.0),
    ("Coffee press", "kitchen", 32.5),
    ("Mug", "kitchen", 11.9),
    ("Tea tin", "kitchen", 8.4),
    ("Wall clock", "decoration", 36.0),
    ("Picture frame", "decoration", 18.5),
    ("Plant pot", "decoration", 14.9),
)
_FIRST_NAMES = ("Alma", "Bruno", "Carla", "Dario", "Elif", "Farid", "Greta", "Henry", "Ines", "Jonas", "Kira", "Liam",
                "Mona", "Nils", "Olga", "Pablo", "Quinn", "Rosa", "Sven", "Tara")  # fmt: skip
_LAST_NAMES = ("Adler", "Brandt", "Costa", "Dubois", "Evans", "Fischer", "Garcia", "Hansen", "Ivers", "Jansen")
_COUNTRIES: tuple[tuple[str, str, float], ...] = (
    ("Germany", "EUR", 0.38),
    ("France", "EUR", 0.20),
    ("Spain", "EUR", 0.12),
    ("United States", "USD", 0.24),
    ("Canada", "USD", 0.06),
)
_SEGMENTS = (("private", 0.7), ("business", 0.3))
_CHANNELS = (("web", 0.62), ("store", 0.26), ("phone", 0.12))
_STATUSES = (("paid", 0.88), ("cancelled", 0.07), ("open", 0.05))
_REASONS = (("damaged", 0.35), ("wrong size", 0.2), ("changed mind", 0.3), ("late", 0.15))
_DOLLARS_PER_EURO = 1.1
_CUSTOMERS, _ORDERS, _REFUND_SHARE = 160, 1_240, 0.08
_TWICE, _MISSPELT = 6, 5  # customers who registered a second time; countries in another case


@dataclass(frozen=True, slots=True)
class Shop:
    """The rows of every table, in order; amounts in cents so that sums are exact."""

    products: tuple[tuple[int, str, str, int], ...]  # product_id, product, category, list_price
    customers: tuple[tuple[int, str, str, str, date], ...]  # customer_id, customer, country, segment, joined_on
    # order_id, customer_id, ordered_on, status, channel, currency, amount
    orders: tuple[tuple[int, int, date, str, str, str, int], ...]
    order_lines: tuple[tuple[int, int, int, int, int], ...]  # order_id, line_no, product_id, quantity, unit_price
    refunds: tuple[tuple[int, int, date, str, str, int], ...]  # refund_id, order_id, refunded_on, reason, currency, …

    @property
    def revenue(self) -> tuple[tuple[int, date, str, int], ...]:
        """order_id, booked_on, currency, revenue: what each paid order brought on its day, its refunds taken off."""
        back = Counter[int]()
        for _, order, _, _, _, amount in self.refunds:
            back[order] += amount
        return tuple(
            (order, day, currency, amount - back[order])
            for order, _, day, status, _, currency, amount in self.orders
            if status == "paid"
        )


def make_shop(seed: int = 7) -> Shop:
    """The shop of a seed. An order's amount is the total of its lines, in the currency of the customer's country."""
    chance = Random(seed)
    products = tuple((at, name, kind, round(price * 100)) for at, (name, kind, price) in enumerate(_PRODUCTS, start=1))
    customers, currencies = _customers(chance)
    orders: list[tuple[int, int, date, str, str, str, int]] = []
    lines: list[tuple[int, int, int, int, int]] = []
    days = sorted(_day(chance, FIRST_DAY, LAST_DAY) for _ in range(_ORDERS))
    for order, day in enumerate(days, start=1001):
        customer = 1 + chance.randrange(_CUSTOMERS)
        made = _lines(chance, order, products, currencies[customer])
        lines.extend(made)
        amount = sum(quantity * price for _, _, _, quantity, price in made)
        status = _drawn(chance, _STATUSES) if (LAST_DAY - day).days < 60 else _drawn(chance, _STATUSES[:2])
        orders.append((order, customer, day, status, _drawn(chance, _CHANNELS), currencies[customer], amount))
    return Shop(products, customers, tuple(orders), tuple(lines), _refunds(chance, orders))


def _customers(chance: Random) -> tuple[tuple[tuple[int, str, str, str, date], ...], dict[int, str]]:
    rows: list[tuple[int, str, str, str, date]] = []
    currencies: dict[int, str] = {}
    names = [f"{first} {last}" for first in _FIRST_NAMES for last in _LAST_NAMES]
    for customer in range(1, _CUSTOMERS + 1):
        name = names.pop(chance.randrange(len(names)))
        country = _drawn(chance, tuple((name, weight) for name, _, weight in _COUNTRIES))
        currencies[customer] = next(currency for place, currency, _ in _COUNTRIES if place == country)
        rows.append((customer, name, country, _drawn(chance, _SEGMENTS), _day(chance, date(2023, 1, 1), FIRST_DAY)))
    return _untidy(chance, rows), currencies


def _untidy(
    chance: Random, rows: Sequence[tuple[int, str, str, str, date]]
) -> tuple[tuple[int, str, str, str, date], ...]:
    """The last customers are earlier ones who registered again, in another case; some countries are in another case,
    or end with a blank."""
    kept = list(rows)
    for at, first in enumerate(chance.sample(range(_CUSTOMERS - _TWICE), _TWICE), start=_CUSTOMERS - _TWICE):
        number, _, country, segment, joined = kept[at]
        twin = kept[first][1]
        kept[at] = (number, twin.upper() if at % 2 else twin.lower(), country, segment, joined)
    for at in chance.sample(range(_CUSTOMERS - _TWICE), _MISSPELT):
        number, name, country, segment, joined = kept[at]
        kept[at] = (number, name, country.upper() if at % 2 else f"{country.lower()} ", segment, joined)
    return tuple(kept)


def _lines(
    chance: Random, order: int, products: Sequence[tuple[int, str, str, int]], currency: str
) -> list[tuple[int, int, int, int, int]]:
    rows: list[tuple[int, int, int, int, int]] = []
    for line in range(1, 2 + chance.randrange(4)):
        product, _, _, price = products[chance.randrange(len(products))]
        asked = price if currency == "EUR" else round(price * _DOLLARS_PER_EURO / 10) * 10
        rows.append((order, line, product, 1 + chance.randrange(3), asked))
    return rows


def _refunds(
    chance: Random, orders: Iterable[tuple[int, int, date, str, str, str, int]]
) -> tuple[tuple[int, int, date, str, str, int], ...]:
    rows: list[tuple[int, int, date, str, str, int]] = []
    for order, _, day, status, _, currency, amount in orders:
        back = day + timedelta(days=1 + chance.randrange(30))
        if status != "paid" or chance.random() >= _REFUND_SHARE or back > LAST_DAY:
            continue
        part = amount if chance.random() < 0.6 else amount // 2
        rows.append((len(rows) + 1, order, back, _drawn(chance, _REASONS), currency, part))
    return tuple(rows)


def _drawn(chance: Random, weighted: Sequence[tuple[str, float]]) -> str:
    left = chance.random() * sum(weight for _, weight in weighted)
    for value, weight in weighted:
        left -= weight
        if left < 0:
            return value
    return weighted[-1][0]


def _day(chance: Random, first: date, last: date) -> date:
    return first + timedelta(days=chance.randrange((last - first).days + 1))

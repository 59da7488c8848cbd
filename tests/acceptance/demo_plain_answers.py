"""What people ask the demo in plain words, with the right answers, worked out from its rows in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.acceptance.demo_answers import Data, Expected


def named_sums(data: Data, wanted: int) -> Expected:
    """The products of which most pieces were ordered, by name."""
    sums = Counter[int]()
    for _, _, product, quantity, _ in data.shop.order_lines:
        sums[product] += quantity
    names = {row[0]: row[1] for row in data.shop.products}
    best = sums.most_common(wanted)
    return [float(count) for _, count in best], [
        f"| {names[product]} | {product} | {count} |" for product, count in best
    ]


def best_customers(data: Data, wanted: int) -> Expected:
    """The customers of most euros, by number: two of one name stay two."""
    sums = Counter[int]()
    for order in data.euros:
        sums[order.customer] += order.cents
    names = {row[0]: row[1] for row in data.shop.customers}
    best = sums.most_common(wanted)
    return [cents / 100 for _, cents in best], [*(f"| {names[one]} | {one} |" for one, _ in best), "kept apart"]


PLAIN: dict[str, Callable[[Data], Expected]] = {
    "Top 3 products by quantity": lambda d: named_sums(d, 3),
    "Top 5 customers by amount in EUR": lambda d: best_customers(d, 5),
}

"""What people ask the demo in plain words, with the right answers, worked out from its rows in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.acceptance.demo_answers import BERLIN, Data, Expected, Order, counted, tiers


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


def ordered_in(data: Data, year: int, wanted: int) -> Expected:
    """The products of which most pieces were ordered in a year."""
    orders = {order.id for order in data.orders if order.day.year == year}
    sums = Counter[int]()
    for order, _, product, quantity, _ in data.shop.order_lines:
        sums[product] += quantity if order in orders else 0
    best = sums.most_common(wanted)
    return [float(count) for _, count in best], [f"| {product} | {count} |" for product, count in best]


def paid_from(data: Data, country: str) -> Expected:
    """The share of the paid orders that came from a country."""
    paid = [order for order in data.orders if order.status == "paid"]
    part = sum(data.country(order.customer) == country for order in paid)
    return [100 * part / len(paid)], [f"{part:,} of {len(paid):,}"]


def largest_by_channel(data: Data) -> Expected:
    """The largest order of each channel in euros."""
    best = {name: max(o.cents for o in data.euros if o.channel == name) for name in {o.channel for o in data.euros}}
    numbers = [str(o.id) for o in data.euros if o.cents == best[o.channel]]
    return [cents / 100 for cents in best.values()], [*best, *numbers]


def best_customers(data: Data, wanted: int) -> Expected:
    """The customers of most euros, by number: two of one name stay two."""
    sums = Counter[int]()
    for order in data.euros:
        sums[order.customer] += order.cents
    names = {row[0]: row[1] for row in data.shop.customers}
    best = sums.most_common(wanted)
    return [cents / 100 for _, cents in best], [*(f"| {names[one]} | {one} |" for one, _ in best), "kept apart"]


def called(data: Data, name: str) -> set[int]:
    """The numbers of all who bear a name, whatever its case."""
    return {row[0] for row in data.shop.customers if row[1].casefold() == name.casefold()}


def cancelled_by(data: Data, group: Callable[[Order], str]) -> Expected:
    """The share of the orders of each group that was cancelled."""
    whole = Counter(group(order) for order in data.orders)
    part = Counter(group(order) for order in data.orders if order.status == "cancelled")
    return [100 * part[name] / count for name, count in whole.items()], [
        f"| {part[name]} | {count} |" for name, count in whole.items()
    ]


def share_by_country(data: Data) -> Expected:
    """Each country's share of the orders."""
    counts = Counter(data.country(order.customer) for order in data.orders)
    return [100 * count / counts.total() for count in counts.values()], [*counts]


def sold(data: Data, group: Callable[[Order, str], str] = lambda order, product: product) -> Counter[str]:
    """The pieces of every order that wasn't cancelled, by a group of its lines: their product."""
    orders = {order.id: order for order in data.orders if order.status != "cancelled"}
    names = {row[0]: row[1] for row in data.shop.products}
    sums = Counter[str]()
    for order, _, product, quantity, _ in data.shop.order_lines:
        if order in orders:
            sums[group(orders[order], names[product])] += quantity
    return sums


def best_seller(data: Data) -> Expected:
    (name, pieces), *_ = sold(data).most_common(1)
    return [pieces], [name, "what was cancelled counts as neither bought nor sold"]


def bought_by(data: Data, customers: set[int], year: int) -> Expected:
    """What some customers bought in a year, product by product."""
    sums = sold(data, lambda o, product: product if o.customer in customers and o.day.year == year else "")
    return [float(pieces) for name, pieces in sums.items() if name], [name for name in sums if name]


def most_kettles(data: Data) -> Expected:
    """Those who bought most kettles in 2026."""
    sums = sold(data, lambda o, product: str(o.customer) if product == "Kettle" and o.day.year == 2026 else "")
    del sums[""]
    best = max(sums.values())
    return [best], [f"(`customer_id` {one})" for one, pieces in sums.items() if pieces == best]


def spent(data: Data, customers: set[int], year: int = 0) -> float:
    """The amounts of the orders of some customers that weren't cancelled."""
    fitting = [
        o for o in data.orders if o.customer in customers and o.status != "cancelled" and year in (0, o.day.year)
    ]
    return sum(order.cents for order in fitting) / 100


def spent_most(data: Data) -> Expected:
    euros = {order.customer for order in data.euros}
    figures = {one: spent(data, {one}) for one in euros}
    best = max(euros, key=lambda one: figures[one])
    return [figures[best]], [f"(`customer_id` {best})"]


def by_weekday(orders: list[Order]) -> Expected:
    counts = Counter(f"{order.day:%A}" for order in orders)
    return [], [f"| {day} | {count} |" for day, count in counts.items()]


def per_day(data: Data) -> Expected:
    """Orders per day over all days, and over those that have any."""
    days = {order.day for order in data.orders}
    everything = (max(days) - min(days)).days + 1
    return [len(data.orders) / everything, len(data.orders) / len(days), everything, len(days)], []


def refunded_share(data: Data, currency: str, year: int) -> Expected:
    """What was paid back in a year as a share of the revenue booked in it."""
    back = sum(row[5] for row in data.shop.refunds if row[4] == currency and row[2].year == year)
    whole = sum(row[3] for row in data.shop.revenue if row[2] == currency and row[1].year == year)
    return [100 * back / whole, back / 100, whole / 100], ["`policies/revenue.md:3`"]


def outside(data: Data, *countries: str) -> Expected:
    return [sum(data.country(order.customer) not in countries for order in data.orders)], []


def buyers(data: Data, *, status: str = "", year: int = 0) -> set[int]:
    """The customers of the orders of a status or year."""
    fitting = [o for o in data.orders if status in ("", o.status) and year in (0, o.day.year)]
    return {order.customer for order in fitting}


def others(data: Data, customers: set[int]) -> int:
    return len({row[0] for row in data.shop.customers} - customers)


def refunded(data: Data) -> set[int]:
    """The orders that were refunded, each once."""
    return {row[1] for row in data.shop.refunds}


def refunded_by(data: Data, group: Callable[[Order], str]) -> Expected:
    whole = Counter(group(order) for order in data.orders)
    part = Counter(group(order) for order in data.orders if order.id in refunded(data))
    return [100 * part[name] / count for name, count in whole.items()], [
        f"| {part[name]} | {count} |" for name, count in whole.items()
    ]


def best_rate(data: Data) -> Expected:
    """The country of whose orders most were refunded, as a share."""
    figures, _ = refunded_by(data, lambda order: data.country(order.customer))
    names = [*Counter(data.country(order.customer) for order in data.orders)]
    best = max(figures)
    return [best], [f"**{names[figures.index(best)]}** has the highest share"]


def refund_rate_in(data: Data, country: str) -> Expected:
    """The share of a country's orders that was refunded."""
    orders = {order.id for order in data.from_country(country)}
    part = len(orders & refunded(data))
    return [100 * part / len(orders), part, len(orders)], []


def buyers_of(data: Data, product: str, orders: list[Order]) -> set[int]:
    """The customers of those of the orders that hold a product."""
    number = next(row[0] for row in data.shop.products if row[1] == product)
    holding = {line[0] for line in data.shop.order_lines if line[2] == number}
    return {order.customer for order in orders if order.id in holding}


def products_of(data: Data, name: str) -> set[int]:
    """The products that all who bear a name ordered."""
    orders = {order.id for order in data.orders if order.customer in called(data, name)}
    return {line[2] for line in data.shop.order_lines if line[0] in orders}


def refund_rate(data: Data) -> Expected:
    return [100 * len(refunded(data)) / len(data.orders), len(refunded(data))], []


def days_of(data: Data) -> Expected:
    """The last ten days on which there were orders, out of all."""
    counts = Counter(order.day for order in data.orders)
    last = sorted(counts)[-10:]
    said = [f"| {day.isoformat()} | {counts[day]} |" for day in last]
    return [float(counts[day]) for day in last], [*said, f"the last ten of {len(counts)} rows"]


def spelled(data: Data, country: str) -> Expected:
    """The customers of a country, and the word for how many spellings it has."""
    ways = [row[2] for row in data.shop.customers if row[2].strip().casefold() == country.casefold()]
    return [len(ways)], [f"{('one', 'two', 'three')[len({*ways}) - 1]} spellings of “{country}” count as one"]


def lines_of(data: Data, product: str, year: int) -> list[int]:
    """The quantities of the order lines of one product in the orders of a year."""
    number = next(row[0] for row in data.shop.products if row[1] == product)
    orders = {order.id for order in data.orders if order.day.year == year}
    return [line[3] for line in data.shop.order_lines if line[0] in orders and line[2] == number]


def lines_by(data: Data, group: Callable[[Order], str]) -> Expected:
    """How many order lines there are by what their order says."""
    orders = {order.id: order for order in data.orders}
    return counted([group(orders[line[0]]) for line in data.shop.order_lines])


PLAIN: dict[str, Callable[[Data], Expected]] = {
    "Top 3 products by quantity": lambda d: named_sums(d, 3),
    "Top 5 customers by amount in EUR": lambda d: best_customers(d, 5),
    "Total quantity of order lines of product Mug in 2025": lambda d: (
        [sum(lines_of(d, "Mug", 2025)), len(lines_of(d, "Mug", 2025))],
        ["“Mug”"],
    ),
    "Number of order lines of products with a list price above 100": lambda d: (
        [sum(line[2] in {row[0] for row in d.shop.products if row[3] > 10_000} for line in d.shop.order_lines)],
        ["`shop/products.list_price` over 100"],
    ),
    "How many customers joined in 2024 and have no orders in 2026?": lambda d: (
        [len({row[0] for row in d.shop.customers if row[4].year == 2024} - buyers(d, year=2026))],
        [],
    ),
    "Top 5 products by quantity in 2026": lambda d: ordered_in(d, 2026, 5),
    "Cancellation rate by country": lambda d: cancelled_by(d, lambda order: d.country(order.customer)),
    "What share of paid orders came from Germany?": lambda d: paid_from(d, "Germany"),
    "Largest order by channel in EUR": largest_by_channel,
    "How many orders not on Sundays in 2026?": lambda d: (
        [sum(o.day.year == 2026 and o.day.weekday() != 6 for o in d.orders)],
        ["every day but Sunday"],
    ),
    "How many customers never ordered anything in 2026?": lambda d: ([others(d, buyers(d, year=2026))], []),
    "How many orders have more than 3 lines?": lambda d: (
        [sum(count > 3 for count in Counter(line[0] for line in d.shop.order_lines).values())],
        [],
    ),
    "Number of order lines by channel": lambda d: lines_by(d, lambda order: order.channel),
    "Which product sells best?": best_seller,
    "How many mugs were sold in 2025?": lambda d: (
        [sold(d, lambda o, product: f"{product} {o.day.year}")["Mug 2025"]],
        [],
    ),
    "How many kettles did customers in Germany buy?": lambda d: (
        [sold(d, lambda o, product: f"{product} {d.country(o.customer)}")["Kettle Germany"]],
        [],
    ),
    "What did Tara Adler buy in 2026?": lambda d: bought_by(d, called(d, "Tara Adler"), 2026),
    "Who bought the most kettles in 2026?": most_kettles,
    "Who spent the most in EUR?": spent_most,
    "How much did Tara Adler spend in 2025?": lambda d: ([spent(d, called(d, "Tara Adler"), 2025)], ["EUR"]),
    "Orders by weekday": lambda d: by_weekday(d.orders),
    "How many paid orders on Mondays in 2026?": lambda d: (
        [sum(o.status == "paid" and o.day.year == 2026 and o.day.weekday() == 0 for o in d.orders)],
        ["on Mondays"],
    ),
    "What share of orders was placed on weekends?": lambda d: (
        [100 * sum(o.day.weekday() > 4 for o in d.orders) / len(d.orders)],
        [],
    ),
    "Average number of orders per customer": lambda d: ([len(d.orders) / len(d.shop.customers)], []),
    "How many orders per day on average?": per_day,
    "Refunds as a share of revenue in EUR in 2025": lambda d: refunded_share(d, "EUR", 2025),
    "What share of revenue in EUR was refunded in 2025?": lambda d: refunded_share(d, "EUR", 2025),
    "How many orders were neither cancelled nor open?": lambda d: ([sum(o.status == "paid" for o in d.orders)], []),
    "How many orders from countries other than Germany and France?": lambda d: outside(d, "Germany", "France"),
    "What does a gold account get?": lambda d: ([], ["`policies/tiers.md:6`: «Gold accounts get an answer"]),
    "Share of orders cancelled, by channel": lambda d: cancelled_by(d, lambda order: order.channel),
    "What share of orders was cancelled, by channel?": lambda d: cancelled_by(d, lambda order: order.channel),
    "What share of orders came from each country?": share_by_country,
    "Cancelled orders by channel": lambda d: counted([o.channel for o in d.orders if o.status == "cancelled"]),
    "Top 5 countries by number of customers": lambda d: counted([d.country(row[0]) for row in d.shop.customers]),
    "Number of orders per day": days_of,
    "How many customers in Germany?": lambda d: spelled(d, "Germany"),
    "How many orders in 2026?": lambda d: (
        [sum(order.day.year == 2026 for order in d.orders)],
        [f"January to December 2026 (the data end on {max(order.day for order in d.orders)})"],
    ),
    "How many different people are customers?": lambda d: (
        [len({row[1].casefold() for row in d.shop.customers})],
        ["whatever its case"],
    ),
    "How many customers have no orders?": lambda d: ([others(d, buyers(d))], []),
    "How many customers had no orders in 2026?": lambda d: ([others(d, buyers(d, year=2026))], ["2026-01-01"]),
    "How many customers without cancelled orders?": lambda d: ([others(d, buyers(d, status="cancelled"))], []),
    "Customers without refunds": lambda d: (
        [others(d, {order.customer for order in d.orders if order.id in refunded(d)})],
        ["first ten"],
    ),
    "What is the refund rate?": refund_rate,
    "What share of orders was refunded?": refund_rate,
    "Refund rate in Germany": lambda d: refund_rate_in(d, "Germany"),
    "How many customers ordered a Mug?": lambda d: ([len(buyers_of(d, "Mug", d.orders))], []),
    "How many customers in Germany ordered a Kettle in 2026?": lambda d: (
        [len(buyers_of(d, "Kettle", [o for o in d.from_country("Germany") if o.day.year == 2026]))],
        ["“Kettle”", "“Germany”"],
    ),
    "How many different products did Tara Adler order?": lambda d: ([len(products_of(d, "Tara Adler"))], []),
    "Which country has the highest refund rate?": best_rate,
    "Refund rate by channel": lambda d: refunded_by(d, lambda order: order.channel),
    "How many orders did Tara Adler place in 2025?": lambda d: (
        [sum(o.day.year == 2025 and o.customer in called(d, "Tara Adler") for o in d.orders)],
        ["all of that name are in"],
    ),
}


def most_tickets(data: Data) -> Expected:
    """The accounts of the three highest numbers of tickets, by name."""
    counts = Counter(row[1] for row in data.crm.tickets)
    least = sorted(counts.values(), reverse=True)[2]
    names = {row[0]: row[1] for row in data.crm.accounts}
    return [], [f"| {names[one]} | {one} | {count} |" for one, count in counts.items() if count >= least]


def urgent_by_tier(data: Data) -> Expected:
    """The share of tickets of high priority within each tier."""
    whole = Counter(tiers(data)[row[1]] for row in data.crm.tickets)
    part = Counter(tiers(data)[row[1]] for row in data.crm.tickets if row[3] == "high")
    return [100 * part[tier] / count for tier, count in whole.items()], [
        f"| {part[tier]} | {count} |" for tier, count in whole.items()
    ]


def ticket_days(data: Data) -> Expected:
    """The last ten days in Berlin on which tickets were opened, out of all."""
    counts = Counter(row[2].astimezone(BERLIN).date() for row in data.crm.tickets)
    said = [f"| {day} | {counts[day]} |" for day in sorted(counts)[-10:]]
    return [], [*said, f"the last ten of {len(counts)} rows"]


def quiet_accounts(data: Data) -> Expected:
    """The accounts without a ticket in May 2026."""
    moments = [(row[1], row[2].astimezone(BERLIN)) for row in data.crm.tickets]
    asking = {account for account, moment in moments if (moment.year, moment.month) == (2026, 5)}
    return [len({row[0] for row in data.crm.accounts} - asking)], ["2026-05-31"]


PLAIN_CRM: dict[str, Callable[[Data], Expected]] = {
    "Top 3 accounts by number of tickets": most_tickets,
    "What share of tickets is high priority, by tier?": urgent_by_tier,
    "Number of tickets per day": ticket_days,
    "How many accounts have no tickets in May 2026?": quiet_accounts,
    "How many tickets of accounts with a monthly fee over 100?": lambda d: (
        [sum(row[1] in {one[0] for one in d.crm.accounts if one[6] > 100} for row in d.crm.tickets)],
        ["monthly_fee` over 100"],
    ),
}

"""The demo's data: the same for one seed, true to its own rules, with the traps that docs/demo.md tells of."""

from __future__ import annotations

import shlex
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from bot.cli import build_parser
from bot.commands.demo import demo_settings, elsewhere
from bot.local.demo import DATABASE, FIRST_DAY, LAST_DAY, Shop, make_crm, make_office, make_shop, write_demo
from bot.local.demo.opening import MANIFEST, data_folder, write_manifest_without_crm
from runtime.admission.manifest import PostgresqlSource, load_manifest

ORDER, DAY, STATUS, CURRENCY, CENTS = 0, 2, 3, 5, 6


@pytest.fixture(scope="module")
def shop() -> Shop:
    return make_shop()


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    write_demo(tmp_path / "a")
    write_demo(tmp_path / "b")
    write_demo(tmp_path / "b")
    write_demo(tmp_path / "c", seed=8)
    first, second, other = (_bytes(tmp_path / name) for name in "abc")
    assert first == second
    assert first.keys() == other.keys() and first != other
    assert "files/stock_count.xlsx" in first and "files/policies/revenue.md" in first


def test_amounts_are_the_totals_of_their_lines(shop: Shop) -> None:
    totals: dict[int, int] = defaultdict(int)
    for order, _, _, quantity, price in shop.order_lines:
        totals[order] += quantity * price
    amounts = {row[ORDER]: row[CENTS] for row in shop.orders}
    assert amounts == totals
    assert all(0 < row[5] <= amounts[row[1]] for row in shop.refunds)


def test_eighteen_months_two_currencies_and_refunds_of_paid_orders(shop: Shop) -> None:
    months = {(row[DAY].year, row[DAY].month) for row in shop.orders}
    assert len(months) == 18
    assert (min(months), max(months)) == ((2025, 1), (2026, 6))
    assert {row[CURRENCY] for row in shop.orders} == {"EUR", "USD"}
    paid = {row[ORDER]: row for row in shop.orders if row[STATUS] == "paid"}
    assert all(refund[1] in paid and refund[4] == paid[refund[1]][CURRENCY] for refund in shop.refunds)
    assert all(FIRST_DAY <= refund[2] <= LAST_DAY for refund in shop.refunds)


def test_revenue_is_what_the_policy_says(shop: Shop) -> None:
    paid = {row[ORDER]: row for row in shop.orders if row[STATUS] == "paid"}
    assert {row[0] for row in shop.revenue} == paid.keys()
    assert all((day, currency) == (paid[order][DAY], paid[order][CURRENCY]) for order, day, currency, _ in shop.revenue)
    cents = sum(row[CENTS] for row in paid.values()) - sum(row[5] for row in shop.refunds)
    assert sum(row[3] for row in shop.revenue) == cents
    assert all(row[3] >= 0 for row in shop.revenue)


def test_some_customers_are_there_twice_and_some_countries_in_another_case(shop: Shop) -> None:
    people = Counter(name.casefold() for _, name, *_ in shop.customers)
    assert sum(count > 1 for count in people.values()) == 6
    countries = {country for _, _, country, *_ in shop.customers}
    assert len(countries) > len({country.strip().casefold() for country in countries}) == 5


def test_the_crm_has_an_account_for_each_business_customer_and_moments_at_the_edge_of_months(shop: Shop) -> None:
    crm = make_crm(shop)
    business = {name.casefold() for _, name, _, segment, _ in shop.customers if segment == "business"}
    assert {row[1].casefold() for row in crm.accounts} == business
    assert any((opened.hour, opened.minute) == (23, 30) for _, _, opened, *_ in crm.tickets)
    assert any(minutes is None for *_, minutes in crm.tickets)


def test_the_stock_count_lacks_some_counts(shop: Shop) -> None:
    stock = make_office(shop).stock
    assert len(stock) == 3 * len(shop.products)
    assert any(pieces is None for _, _, pieces, _ in stock)


def test_the_database_holds_the_shop(tmp_path: Path, shop: Shop) -> None:
    write_demo(tmp_path)
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        ((count, cents, first),) = connection.execute(
            "SELECT count(*), sum(round(amount * 100)), min(ordered_on) FROM orders"
        )
    assert (count, cents) == (len(shop.orders), sum(row[CENTS] for row in shop.orders))
    assert date.fromisoformat(first) == min(row[DAY] for row in shop.orders)


def test_the_demo_manifest_opens_the_crm_with_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_READ_URL", "postgresql://reader@127.0.0.1/demo")
    monkeypatch.setenv("CRM_WRITE_URL", "postgresql://writer@127.0.0.1/demo")
    manifest = load_manifest(MANIFEST)
    assert manifest.workspace is not None
    assert manifest.workspace.audience.im
    assert manifest.timezone == "Europe/Berlin"
    (crm,) = [source for source in manifest.sources if isinstance(source, PostgresqlSource)]
    assert crm.updates[0].approvers.users == ("U0ANN",)
    assert crm.columns.mask == ("public.accounts.email",)


def test_without_a_postgresql_the_manifest_opens_all_but_the_crm(tmp_path: Path) -> None:
    write_demo(tmp_path)
    path = write_manifest_without_crm(tmp_path)
    manifest = load_manifest(path)
    assert [source.id for source in manifest.sources] == ["shop"]
    assert data_folder(path) == tmp_path.resolve()


def test_what_the_demo_says_about_another_terminal_are_commands_that_exist(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    write_demo(folder)
    manifest = write_manifest_without_crm(folder)
    settings = demo_settings(folder, manifest, "http://127.0.0.1:1", "xoxb-local-1", "xapp-local-1")
    ask, sql, receipts = (shlex.split(line) for line in elsewhere(settings, manifest).splitlines()[1:])
    for words in (ask, sql):
        parsed = build_parser().parse_args(words[1:])
        assert Path(words[0]).name == "footnote" and load_manifest(Path(parsed.manifest)).sources[0].id == "shop"
    assert receipts == [f"FOOTNOTE_STATE={settings.state_url}", ask[0], "receipts"]

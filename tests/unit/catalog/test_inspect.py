"""catalog_inspect: all facets of a source, a table or a column."""

from __future__ import annotations

from dataclasses import replace

from runtime.catalog import TableKind
from runtime.toolboxes.sources import catalog_inspect

from .conftest import Desk, everything
from .shop import CRM, SHOP, table

INSPECT = catalog_inspect.CAPABILITY


async def test_a_source_lists_its_tables() -> None:
    answer = await Desk(SHOP, CRM).call(INSPECT, resource_id="crm")
    assert answer == {
        "resource": {"id": "crm", "kind": "source", "dialect": "postgres", "revision": "c1"},
        "tables": [{"id": "crm/public.customers", "kind": "table"}, {"id": "crm/public.tickets", "kind": "table"}],
        "tables_total": 2,
    }


async def test_a_table_shows_keys_from_and_to_it_and_the_views_over_it() -> None:
    view = replace(table("big", "id:INTEGER"), kind=TableKind.VIEW, primary_key=(), reads=("orders",))
    answer = await Desk(everything(replace(SHOP, tables=(*SHOP.tables, view)))).call(INSPECT, resource_id="shop/orders")
    assert answer["resource"]["rows_estimate"] == 900
    assert answer["resource"]["read_by"] == ["shop/big"]
    assert [(join["right"], join["rows"]) for join in answer["relationships"]] == [
        ("shop/Order Items", "one_to_many"),
        ("shop/customers", "many_to_one"),
        ("shop/refunds", "one_to_many"),
    ]
    assert answer["relationships_total"] == 3


async def test_a_column_shows_its_type_and_the_keys_it_is_part_of() -> None:
    answer = await Desk(SHOP).call(INSPECT, resource_id="shop/orders.customer_id")
    assert answer["resource"] == {
        "id": "shop/orders.customer_id",
        "kind": "column",
        "table": "shop/orders",
        "name": "customer_id",
        "type": "INTEGER",
        "in_primary_key": False,
        "unique_together": [],
    }
    assert [join["on"] for join in answer["relationships"]] == [[["customer_id", "id"]]]


async def test_a_table_of_which_a_dotted_name_could_be_a_column_comes_first() -> None:
    odd = replace(SHOP, tables=(table("a", "id:INTEGER b:TEXT"), table("a.b", "id:INTEGER")))
    assert (await Desk(odd).call(INSPECT, resource_id="shop/a.b"))["resource"]["kind"] == "table"
    assert (await Desk(odd).call(INSPECT, resource_id="shop/a.b.id"))["resource"]["table"] == "shop/a.b"


async def test_another_case_is_taken_when_nothing_has_this_one() -> None:
    answer = await Desk(SHOP).call(INSPECT, resource_id="shop/ORDERS.Total")
    assert answer["resource"]["id"] == "shop/orders.total"


async def test_a_table_that_much_points_at_counts_what_it_does_not_show() -> None:
    hub = table("hub", "id:INTEGER")
    spokes = tuple(table(f"spoke{number:03}", "id:INTEGER hub_id:INTEGER", ("hub_id", "hub")) for number in range(200))
    answer = await Desk(replace(SHOP, tables=(hub, *spokes))).call(INSPECT, resource_id="shop/hub")
    assert (len(answer["relationships"]), answer["relationships_total"]) == (50, 200)


async def test_an_unknown_id_is_answered_with_near_ones() -> None:
    error = await Desk(SHOP).refused(INSPECT, resource_id="shop/order_items")
    assert (error.code, error.details["near"][0]) == ("not_found", "shop/Order Items")
    assert "shop/Order Items" in error.hint

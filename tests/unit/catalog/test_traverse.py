"""catalog_traverse: the shortest ways over declared keys, the same every time, with the reason for none or more."""

from __future__ import annotations

from dataclasses import replace

from runtime.toolboxes.sources import catalog_traverse

from .conftest import Desk
from .shop import CRM, SHOP, table

TRAVERSE = catalog_traverse.CAPABILITY


def ways(answer) -> list[list[str]]:
    return [[path["from"], *(join["right"] for join in path["joins"])] for path in answer["paths"]]


async def test_a_way_over_several_tables() -> None:
    answer = await Desk(SHOP).call(TRAVERSE, from_ids=["shop/refunds"], to_ids=["shop/regions"])
    assert ways(answer) == [["shop/refunds", "shop/orders", "shop/customers", "shop/regions"]]
    assert {join["rows"] for join in answer["paths"][0]["joins"]} == {"many_to_one"}
    assert answer["pairs"] == [{"from": "shop/refunds", "to": "shop/regions", "found": 1, "shortest": 3}]


async def test_a_way_that_is_too_long_names_its_length() -> None:
    answer = await Desk(SHOP).call(TRAVERSE, from_ids=["shop/refunds"], to_ids=["shop/regions"], max_depth=2)
    (pair,) = answer["pairs"]
    assert (answer["paths"], pair["cut"], pair["shortest"]) == ([], "max_depth", 3)
    assert pair["reason"] == "paths longer than max_depth = 2 exist; the shortest has 3"


async def test_tables_without_a_way_say_why() -> None:
    desk = Desk(SHOP, CRM)
    answer = await desk.call(
        TRAVERSE, from_ids=["shop/orders"], to_ids=["shop/settings", "crm/public.customers", "shop/orders.id", "crm"]
    )
    assert answer["paths"] == []
    assert [pair["reason"] for pair in answer["pairs"]] == [
        "no declared keys join them at any depth",
        "tables of different sources are never joined by keys",
        "both are the same table",
        "a source is no table: name tables",
    ]


async def test_more_ways_than_asked_for_are_said() -> None:
    diamond = replace(
        SHOP,
        tables=(
            table("a", "id:INTEGER b_id:INTEGER c_id:INTEGER", ("b_id", "b"), ("c_id", "c")),
            table("b", "id:INTEGER d_id:INTEGER", ("d_id", "d")),
            table("c", "id:INTEGER d_id:INTEGER", ("d_id", "d")),
            table("d", "id:INTEGER"),
        ),
    )
    one = await Desk(diamond).call(TRAVERSE, from_ids=["shop/a"], to_ids=["shop/d"], paths=1)
    assert (ways(one), one["pairs"][0]["cut"]) == ([["shop/a", "shop/b", "shop/d"]], "paths")
    both = await Desk(diamond).call(TRAVERSE, from_ids=["shop/a"], to_ids=["shop/d"])
    assert ways(both) == [["shop/a", "shop/b", "shop/d"], ["shop/a", "shop/c", "shop/d"]]
    assert both["pairs"] == [{"from": "shop/a", "to": "shop/d", "found": 2, "shortest": 2}]


async def test_shortest_of_all_pairs_come_first_and_the_rest_is_counted() -> None:
    output = await Desk(SHOP).output(
        TRAVERSE, from_ids=["shop/refunds", "shop/orders"], to_ids=["shop/customers", "shop/regions"], paths=2
    )
    assert ways(output.data) == [
        ["shop/orders", "shop/customers"],
        ["shop/orders", "shop/customers", "shop/regions"],
    ]
    assert output.notes == ("2 longer paths were found and left out: paths is 2.",)


async def test_an_unknown_end_is_answered_with_near_ones() -> None:
    error = await Desk(SHOP).refused(TRAVERSE, from_ids=["shop/orders"], to_ids=["shop/region"])
    assert (error.code, error.details["near"][0]) == ("not_found", "shop/regions")

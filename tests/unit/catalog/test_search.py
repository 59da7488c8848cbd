"""catalog_search: exact names first, one, several or none said honestly, pages bound to their structures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.toolboxes.sources import catalog_search

from .conftest import Desk
from .shop import CRM, SHOP, table

SEARCH = catalog_search.CAPABILITY


def ids(answer) -> list[str]:
    return [hit["id"] for hit in answer["hits"]]


@pytest.mark.parametrize(
    ("query", "first", "match"),
    [
        ("orders", "shop/orders", "unique"),
        ("ORDERS", "shop/orders", "unique"),
        ("order", "shop/orders", "unique"),
        ("shop/orders", "shop/orders", "unique"),
        ("public.customers", "crm/public.customers", "unique"),
        ("crm/public.customers.email", "crm/public.customers.email", "unique"),
        ("order item", "shop/Order Items", "unique"),
        ("orderItems", "shop/Order Items", "unique"),
        ("region of a customer", "shop/customers.region_id", "unique"),
        ("price of products", "shop/products.price", "unique"),
        ("customers in crm", "crm/public.customers", "unique"),
        ("who buys", "shop/customers", "unique"),
        ("customers", "crm/public.customers", "ambiguous"),
        ("email", "crm/public.customers.email", "ambiguous"),
        ("custmers", "crm/public.customers", "ambiguous"),
        ("ordered profit", "shop/orders.ordered_at", "ambiguous"),
        ("crm", "crm", "unique"),
    ],
)
async def test_what_words_mean(query: str, first: str, match: str) -> None:
    answer = await Desk(SHOP, CRM).call(SEARCH, query=query)
    assert (ids(answer)[0], answer["match"]) == (first, match)


@pytest.mark.parametrize("query", ["weather", "zzz qqq", "?", "the", "'; drop table orders", "_"])
async def test_nothing_is_found_rather_than_filler(query: str) -> None:
    answer = await Desk(CRM).call(SEARCH, query=query)
    assert (answer["match"], answer["hits"], answer["candidates"], answer["total"]) == ("none", [], [], 0)


async def test_candidates_are_those_that_answer_equally_well() -> None:
    answer = await Desk(SHOP, CRM).call(SEARCH, query="customers")
    assert answer["candidates"] == ["crm/public.customers", "shop/customers"]
    assert {hit["why"] for hit in answer["hits"][:2]} == {"exact name"}


async def test_a_near_spelling_is_a_candidate_and_says_so() -> None:
    answer = await Desk(SHOP).call(SEARCH, query="refnds")
    assert answer["candidates"] == ["shop/refunds"]
    assert answer["hits"][0]["why"] == "near spelling"


async def test_a_hit_says_what_is_known() -> None:
    (hit,) = (await Desk(SHOP).call(SEARCH, query="customers", kinds=["table"]))["hits"]
    assert hit == {
        "id": "shop/customers",
        "kind": "table",
        "why": "exact name",
        "rows_estimate": 120,
        "comment": "Who buys.",
    }


async def test_only_the_kinds_and_the_source_asked_for() -> None:
    desk = Desk(SHOP, CRM)
    assert ids(await desk.call(SEARCH, query="customer", kinds=["column"])) == [
        "crm/public.tickets.customer_id",
        "shop/orders.customer_id",
    ]
    assert ids(await desk.call(SEARCH, query="customers", source_id="crm"))[0] == "crm/public.customers"
    error = await desk.refused(SEARCH, query="customers", source_id="hr")
    assert (error.code, error.details) == ("not_found", {"near": ["crm", "shop"]})


async def test_pages_go_on_where_the_last_one_ended() -> None:
    desk = Desk(SHOP, CRM)
    every = ids(await desk.call(SEARCH, query="id", limit=50))
    seen, cursor = list[str](), None
    while True:
        answer = await desk.call(SEARCH, query="id", limit=3, cursor=cursor)
        seen += ids(answer)
        if (cursor := answer["next_cursor"]) is None:
            break
    assert seen == every
    assert answer["total"] == len(every)


async def test_a_cursor_is_bound_to_query_kinds_and_structures() -> None:
    desk = Desk(SHOP, CRM)
    cursor = (await desk.call(SEARCH, query="id", limit=1))["next_cursor"]
    for other in ({"query": "name"}, {"query": "id", "kinds": ["table"]}, {"query": "id", "source_id": "shop"}):
        assert (await desk.refused(SEARCH, cursor=cursor, **other)).code == "cursor_invalid"
    desk.engines["crm"].known = replace(CRM, revision="c2")
    assert (await desk.refused(SEARCH, query="id", cursor=cursor)).code == "cursor_invalid"
    for garbage in ("x", "", "W10=", "AAAA", "é"):
        assert (await Desk(SHOP).refused(SEARCH, query="id", cursor=garbage)).code == "cursor_invalid"


async def test_a_source_that_is_down_or_closed_is_said_beside_the_others() -> None:
    desk = Desk(SHOP, CRM)
    desk.down("crm")
    answer = await desk.call(SEARCH, query="customers")
    assert (answer["searched"], ids(answer)[0]) == (["shop"], "shop/customers")
    assert [(item["source"], item["code"]) for item in answer["unavailable"]] == [("crm", "source_unavailable")]
    desk.closed.add("shop")
    assert (await desk.refused(SEARCH, query="customers")).code == "source_unavailable"


async def test_a_closed_source_shows_nothing() -> None:
    desk = Desk(SHOP, CRM)
    desk.closed.add("crm")
    answer = await desk.call(SEARCH, query="tickets")
    assert (answer["match"], answer["searched"]) == ("none", ["shop"])


async def test_ten_thousand_equal_names_stay_one_page() -> None:
    many = replace(
        SHOP, tables=tuple(table(f"t{number:05}", "id:INTEGER " + "x" * 60 + ":TEXT") for number in range(10_000))
    )
    answer = await Desk(many).call(SEARCH, query="id", limit=50)
    assert (answer["total"], len(answer["hits"]), answer["match"]) == (10_000, 50, "ambiguous")

"""catalog_schema: tables ready for SQL, joins with exact columns, and what is missing said with what is near."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.admission.manifest import AllowDeny, ColumnRules
from runtime.catalog import CatalogColumn, TableKind
from runtime.catalog.admitted import admitted
from runtime.toolboxes.sources import catalog_schema

from .conftest import Desk, everything
from .shop import CRM, SHOP, table

SCHEMA = catalog_schema.CAPABILITY


async def test_a_table_is_ready_for_sql() -> None:
    answer = await Desk(SHOP).call(SCHEMA, resource_ids=["shop/Order Items"])
    assert answer["tables"] == [
        {
            "id": "shop/Order Items",
            "sql": '"Order Items"',
            "kind": "table",
            "columns": [
                {"name": "id", "type": "INTEGER", "not_null": True},
                {"name": "order_id", "type": "INTEGER"},
                {"name": "product_id", "type": "INTEGER"},
                {"name": "qty", "type": "INTEGER"},
            ],
            "primary_key": ["id"],
            "foreign_keys": [
                {"columns": ["order_id"], "references": "shop/orders", "referenced_columns": ["id"]},
                {"columns": ["product_id"], "references": "shop/products", "referenced_columns": ["id"]},
            ],
        }
    ]
    assert answer["freshness"] == [{"source": "shop", "dialect": "sqlite", "revision": "s1", "rows": "estimated"}]


async def test_names_are_quoted_where_sql_needs_it() -> None:
    answer = await Desk(SHOP, CRM).call(SCHEMA, resource_ids=["shop/products", "crm/public.customers"])
    products, customers = answer["tables"]
    assert (products["sql"], customers["sql"]) == ("products", "public.customers")
    assert [column["sql"] for column in products["columns"] if "sql" in column] == ['"group"']


async def test_joins_between_the_tables_have_columns_and_direction() -> None:
    answer = await Desk(SHOP).call(SCHEMA, resource_ids=["shop/regions", "shop/orders"])
    assert answer["join_paths"] == [
        {
            "from": "shop/regions",
            "to": "shop/orders",
            "joins": [
                {"left": "shop/regions", "right": "shop/customers", "on": [["id", "region_id"]], "rows": "one_to_many"},
                {
                    "left": "shop/customers",
                    "right": "shop/orders",
                    "on": [["id", "customer_id"]],
                    "rows": "one_to_many",
                },
            ],
        }
    ]
    assert (await Desk(SHOP).call(SCHEMA, resource_ids=["shop/regions", "shop/orders"], max_join_depth=1))[
        "join_paths"
    ] == []
    without = await Desk(SHOP).call(SCHEMA, resource_ids=["shop/regions", "shop/orders"], include_relationships=False)
    assert "join_paths" not in without


async def test_tables_of_two_sources_are_shown_and_never_joined() -> None:
    answer = await Desk(SHOP, CRM).call(SCHEMA, resource_ids=["shop/customers", "crm/public.customers"])
    assert (len(answer["tables"]), answer["join_paths"]) == (2, [])


async def test_words_choose_the_tables() -> None:
    answer = await Desk(SHOP, CRM).call(SCHEMA, query="refunds")
    assert answer["match"] == "unique"
    assert [one["id"] for one in answer["tables"]] == ["shop/refunds"]
    nothing = await Desk(SHOP).call(SCHEMA, query="weather")
    assert (nothing["match"], nothing["tables"]) == ("none", [])


async def test_a_column_stands_for_its_table_and_a_source_for_its_tables() -> None:
    answer = await Desk(SHOP, CRM).call(SCHEMA, resource_ids=["shop/orders.total", "shop/orders", "crm"])
    assert [one["id"] for one in answer["tables"]] == ["shop/orders", "crm/public.customers", "crm/public.tickets"]


async def test_one_wrong_id_does_not_fail_the_others() -> None:
    answer = await Desk(SHOP).call(SCHEMA, resource_ids=["shop/orders", "shop/costumers"])
    assert [one["id"] for one in answer["tables"]] == ["shop/orders"]
    assert answer["missing"] == [{"id": "shop/costumers", "near": ["shop/customers", "shop/orders.customer_id"]}]


@pytest.mark.parametrize("name", ["orders", "shp/orders", "shop/main.orders"])
async def test_an_id_without_its_source_is_taught(name: str) -> None:
    error = await Desk(SHOP, CRM).refused(SCHEMA, resource_ids=[name])
    assert error.code == "not_found"
    assert "shop/orders" in error.details["near"]


async def test_an_id_that_is_like_nothing_points_to_the_search() -> None:
    error = await Desk(SHOP, CRM).refused(SCHEMA, resource_ids=["crm/orders"])
    assert (error.details["near"], error.hint) == ([], "catalog_search finds ids by words.")


async def test_exactly_one_of_words_and_ids() -> None:
    for arguments in ({}, {"query": "a", "resource_ids": ["shop/orders"]}):
        with pytest.raises(ValueError, match="exactly one of query and resource_ids"):
            SCHEMA.arguments(**arguments)


async def test_a_source_that_is_down_is_said_beside_the_others() -> None:
    desk = Desk(SHOP, CRM)
    desk.down("crm")
    answer = await desk.call(SCHEMA, resource_ids=["shop/orders", "crm/public.customers"])
    assert [one["id"] for one in answer["tables"]] == ["shop/orders"]
    assert (answer["missing"], answer["unavailable"][0]["source"]) == ([], "crm")
    assert (await desk.refused(SCHEMA, resource_ids=["crm/public.customers"])).code == "source_unavailable"


async def test_a_wide_table_shows_its_keys_and_says_that_more_columns_exist() -> None:
    columns = tuple(CatalogColumn(f"column_{number}", "TEXT", comment="c" * 500) for number in range(2_000))
    wide = replace(table("wide", "id:INTEGER"), columns=(*columns, CatalogColumn("id", "INTEGER")))
    output = await Desk(replace(SHOP, tables=(wide,))).output(SCHEMA, resource_ids=["shop/wide"])
    (shown,) = output.data["tables"]
    assert shown["columns_total"] == 2_001
    assert (shown["columns"][0]["name"], shown["columns"][-1]["name"]) == ("column_0", "id")
    assert output.notes[0].startswith("Not all columns are shown")


async def test_many_tables_stay_within_the_bounds() -> None:
    many = replace(
        SHOP, tables=tuple(table(f"t{number:03}", "id:INTEGER a:TEXT b:TEXT c:TEXT") for number in range(300))
    )
    answer = await Desk(many).call(SCHEMA, resource_ids=["shop"])
    assert (len(answer["tables"]), answer["tables_total"]) == (50, 300)


async def test_a_densely_joined_schema_gives_the_shortest_paths_and_counts_the_rest() -> None:
    names = [f"t{number:02}" for number in range(12)]
    dense = tuple(
        table(
            name,
            "id:INTEGER " + " ".join(f"{other}_id:INTEGER" for other in names[:number]),
            *((f"{other}_id", other) for other in names[:number]),
        )
        for number, name in enumerate(names)
    )
    output = await Desk(replace(SHOP, tables=dense)).output(SCHEMA, resource_ids=["shop"])
    assert len(output.data["join_paths"]) == 20
    assert "46 more pairs of these tables are joined; ask for fewer tables at once." in output.notes


async def test_masked_columns_are_marked_and_explained() -> None:
    crm = admitted(CRM, AllowDeny(), ColumnRules(mask=("public.customers.email",)))
    output = await Desk(crm).output(SCHEMA, resource_ids=["crm/public.customers"])
    assert [one["name"] for one in output.data["tables"][0]["columns"] if one.get("masked")] == ["email"]
    assert any("masked" in note for note in output.notes)


async def test_a_view_says_what_it_reads() -> None:
    view = replace(table("big", "id:INTEGER"), kind=TableKind.VIEW, primary_key=(), reads=("orders",))
    shop = everything(replace(SHOP, tables=(*SHOP.tables, view)))
    (shown,) = (await Desk(shop).call(SCHEMA, resource_ids=["shop/big"]))["tables"]
    assert (shown["kind"], shown["reads"]) == ("view", ["shop/orders"])

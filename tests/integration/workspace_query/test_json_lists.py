"""A JSON file of several lists of records: each is a table that can be asked, whichever is the longest."""

from __future__ import annotations

import pytest

from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError

SHOP = """{"as_of": "2025-03-01", "orders": [{"id": 1, "total": 5}, {"id": 2, "total": 6}],
           "customers": [{"customer": 1, "name": "Ana"}], "returns": []}"""
PAGES = {
    "page1.json": '{"data": [{"id": 1, "v": 5}], "links": [{"rel": "self"}, {"rel": "next"}]}',
    "page2.json": '{"data": [{"id": 2, "v": 7}, {"id": 3, "v": 1}], "links": [{"rel": "self"}, {"rel": "prev"}]}',
}


async def rows(workspace: Workspace, sql: str):
    return (await workspace.read(sql, seconds=30, rows_kept=10)).rows


async def test_each_list_is_a_table_named_after_it(open_workspace):
    workspace = await open_workspace({"shop.json": SHOP})
    catalog = await workspace.catalog()
    assert [(each.name, each.part, each.rows) for each in catalog.tables] == [
        ("shop_customers", "list customers", 1),
        ("shop_orders", "list orders", 2),
    ]
    for table in catalog.tables:
        assert any("tables of their own are" in note for note in table.notes)
        assert "beside the records the object says: as_of = 2025-03-01; returns = []" in table.notes
    assert await rows(workspace, "SELECT sum(total) FROM shop_orders") == ((11,),)
    assert await rows(workspace, "SELECT name FROM shop_customers") == (("Ana",),)


async def test_the_list_with_a_plain_name_bears_the_name_of_the_file(open_workspace):
    workspace = await open_workspace(PAGES)
    assert [each.name for each in (await workspace.catalog()).tables] == [
        "page1",
        "page1_links",
        "page2",
        "page2_links",
    ]
    assert await rows(workspace, "SELECT sum(v) FROM page1") == ((5,),)


async def test_files_are_a_set_by_the_list_that_bears_their_name(open_workspace):
    workspace = await open_workspace({**PAGES, "shop.json": SHOP})
    result, _ = await workspace.read_files("page*.json", "SELECT count(*), sum(v) FROM data")
    assert result.rows == ((3, 13),)
    with pytest.raises(CallError, match=r"shop.json holds tables of its own \(list customers\)") as caught:
        await workspace.read_files("shop.json", "SELECT 1 FROM data")
    assert caught.value.code == "file_refused"

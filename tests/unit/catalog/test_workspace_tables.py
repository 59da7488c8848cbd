"""The workspace's tables are found and shown beside those of databases, with counted rows and without keys."""

from __future__ import annotations

from pathlib import Path

from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.evidence import Column
from runtime.toolboxes.sources import catalog_schema, catalog_search
from runtime.toolboxes.sources.catalog_sources import workspace_structure

from .conftest import Desk
from .shop import SHOP

FILES = WorkspaceCatalog(
    "w1",
    tables=(
        WorkspaceTable(
            "orders", "2026/orders.csv", "r", (Column("id", "BIGINT"), Column("Net Price", "DOUBLE")), 12, Path("x")
        ),
        WorkspaceTable("margins", "margins.csv", "r", (Column("id", "BIGINT"),), 3, Path("y")),
    ),
)


def test_the_structure_is_kept_while_the_files_stay() -> None:
    assert workspace_structure(FILES) is workspace_structure(FILES)
    assert [table.id for table in workspace_structure(FILES).tables] == ["margins", "orders"]


async def test_one_search_finds_both_and_says_that_they_are_two() -> None:
    desk = Desk(SHOP, workspace_structure(FILES))
    answer = await desk.call(catalog_search.CAPABILITY, query="orders")
    assert (answer["match"], answer["candidates"]) == ("ambiguous", ["shop/orders", "workspace/orders"])
    by_file = await desk.call(catalog_search.CAPABILITY, query="margins csv")
    assert by_file["hits"][0]["id"] == "workspace/margins"


async def test_a_workspace_table_is_ready_for_sql() -> None:
    answer = await Desk(workspace_structure(FILES)).call(catalog_schema.CAPABILITY, resource_ids=["workspace/orders"])
    (shown,) = answer["tables"]
    assert (shown["rows_estimate"], shown["comment"]) == (12, "from 2026/orders.csv")
    assert shown["columns"][1] == {"name": "Net Price", "sql": '"Net Price"', "type": "DOUBLE"}
    assert answer["freshness"][0]["rows"] == "counted"


async def test_a_file_that_is_not_read_yet_is_found_by_its_name() -> None:
    unread = WorkspaceFile("2019/claims.csv", "table", 10, 1, tables=("claims",), unread=True)
    files = WorkspaceCatalog("w2", (unread,), FILES.tables)
    answer = await Desk(workspace_structure(files)).call(catalog_schema.CAPABILITY, query="claims")
    (shown,) = answer["tables"]
    assert (shown["id"], shown["columns"]) == ("workspace/claims", [])
    assert "inspect_table shows its columns" in shown["comment"]

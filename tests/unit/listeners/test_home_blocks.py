"""App Home: what it says, and that Slack takes it whatever the tables are called."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.listeners.home import home_blocks
from bot.local.validate import check_view
from bot.render.standing import FILES, TOOLS, OpenSource
from runtime.engines.workspace.model import WorkspaceTable
from tests.unit.render import wild, wire


def table(name: str, rows: int = 3, file: str = "") -> WorkspaceTable:
    return WorkspaceTable(name, file or f"{name}.csv", "r1", (), rows, Path("cache/orders.parquet"))


def files(*names: str) -> OpenSource:
    return OpenSource("workspace", FILES, "internal", "full", names)


def said(blocks) -> str:
    return json.dumps(blocks, ensure_ascii=False)


def test_what_is_open_and_how_to_ask():
    text = said(home_blocks([files("order_lines")], [table("order_lines", 1240)]))
    assert "Open to you here: *workspace*" in text
    assert "1,240 rows" in text and "order_lines.csv" in text
    assert "How many order lines do we have?" in text and "/footnote help" in text


def test_nothing_open_is_said_with_where_to_ask_instead():
    text = said(home_blocks([], [table("orders")]))
    assert "Nothing is open to you in direct messages" in text and "/footnote sources" in text
    assert "orders" not in text
    assert "for example" not in text and "/footnote help" in text


def test_the_examples_ask_about_databases_first_and_count_only_what_can_be_counted():
    shop = OpenSource("shop", "sqlite", "internal", "full", ("customer_data", "public.order_lines"))
    remote = OpenSource("tracker", TOOLS, "internal", "full", ("search_issues",))
    text = said(home_blocks([remote, shop, files("advertising")], []))
    assert "How many order lines do we have?" in text and "How many rows does advertising have?" in text
    assert "many search issues" not in text and "2 tables (customer_data, public.order_lines)" in text


def test_many_tables_are_cut_with_their_number():
    text = said(home_blocks([files()], [table(f"t{n}") for n in range(30)]))
    assert "and 18 more; `/footnote files` lists them" in text


@given(st.lists(wild.texts, max_size=40), st.lists(wild.texts, max_size=40))
@settings(max_examples=50, deadline=None)
def test_any_name_makes_a_page_that_slack_takes(sources, names):
    opened = [OpenSource(name, FILES, "internal", "full", tuple(names)) for name in sources]
    blocks = home_blocks(opened, [table(name, file=name) for name in names])
    assert check_view({"type": "home", "blocks": blocks}, "home") is None
    for found in wire.text_objects(blocks):
        if found["type"] == "mrkdwn":
            wire.assert_inert(found["text"])

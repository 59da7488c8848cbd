"""Payloads that stand exactly at a limit of Slack's, and just beyond it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]


@dataclass(frozen=True)
class Limit:
    """`make(n)` builds blocks of size n; `most` is accepted, `most + 1` (or `least - 1`) is refused."""

    name: str
    make: Callable[[int], list[Block]]
    most: int
    pointer: str
    error: str = "invalid_blocks"
    least: int | None = None


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}


def x(n: int) -> str:
    return "x" * n


def button(**fields: Any) -> Block:
    return {"type": "button", "text": plain("go"), **fields}


def actions(*elements: Block) -> list[Block]:
    return [{"type": "actions", "elements": list(elements)}]


def section(**fields: Any) -> list[Block]:
    return [{"type": "section", "text": mrkdwn("hi"), **fields}]


def raw(text: str = "a") -> Block:
    return {"type": "raw_text", "text": text}


def table(rows: int = 1, columns: int = 1, text: str = "a", **fields: Any) -> Block:
    return {"type": "table", "rows": [[raw(text)] * columns for _ in range(rows)], **fields}


def data_table(rows: int = 2, columns: int = 1, text: str = "a", **fields: Any) -> Block:
    return {"type": "data_table", "caption": "c", "rows": [[raw(text)] * columns for _ in range(rows)], **fields}


def container(*children: Block, **fields: Any) -> list[Block]:
    return [{"type": "container", "title": plain("E1"), "child_blocks": list(children), **fields}]


def confirm(**fields: Any) -> Block:
    base = {"title": plain("t"), "text": plain("t"), "confirm": plain("y"), "deny": plain("n")}
    return actions(button(confirm={**base, **fields}))


def select(n: int) -> list[Block]:
    options = [{"text": plain("o"), "value": str(i)} for i in range(n)]
    return actions({"type": "static_select", "options": options})


def overflow(n: int) -> list[Block]:
    return actions({"type": "overflow", "options": [{"text": plain("o"), "value": str(i)} for i in range(n)]})


def option(**fields: Any) -> list[Block]:
    return actions({"type": "static_select", "options": [{"text": plain("o"), "value": "v", **fields}]})


def feedback(**fields: Any) -> list[Block]:
    good = {"text": plain("yes"), "value": "1"}
    element = {"type": "feedback_buttons", "positive_button": {**good, **fields}, "negative_button": good}
    return [{"type": "context_actions", "elements": [element]}]


def image(**fields: Any) -> list[Block]:
    return [{"type": "image", "alt_text": "a", "image_url": "https://example.com/a.png", **fields}]


def pie(n: int, value: float = 1) -> list[Block]:
    segments = [{"label": f"s{i}", "value": value} for i in range(n)]
    return [{"type": "data_visualization", "title": "t", "chart": {"type": "pie", "segments": segments}}]


def bars(series: int = 1, categories: int = 1, *, title: str = "t", label: str = "c", axis: str = "") -> list[Block]:
    names = [f"{label}{i}" if i else label for i in range(categories)]
    data = [{"label": name, "value": 1} for name in names]
    chart = {
        "type": "bar",
        "series": [{"name": f"n{i}", "data": data} for i in range(series)],
        "axis_config": {"categories": names, "x_label": axis, "y_label": axis},
    }
    return [{"type": "data_visualization", "title": title, "chart": chart}]


def many(block: Block, n: int) -> list[Block]:
    return [dict(block) for _ in range(n)]


LIMITS = [
    Limit("blocks per message", lambda n: many({"type": "divider"}, n), 50, "/blocks"),
    Limit(
        "children count towards fifty",
        lambda n: [*container(*many({"type": "divider"}, 10)) * 4, *many({"type": "divider"}, n - 44)],
        50,
        "/blocks",
    ),
    Limit("section text", lambda n: section(text=mrkdwn(x(n))), 3_000, "/blocks/0/text/text", least=1),
    Limit("section field", lambda n: section(fields=[mrkdwn(x(n))]), 2_000, "/blocks/0/fields/0/text", least=1),
    Limit("section fields", lambda n: section(fields=[plain("f")] * n), 10, "/blocks/0/fields", least=1),
    Limit("header text", lambda n: [{"type": "header", "text": plain(x(n))}], 150, "/blocks/0/text/text", least=1),
    Limit(
        "context elements",
        lambda n: [{"type": "context", "elements": [plain("c")] * n}],
        10,
        "/blocks/0/elements",
        least=1,
    ),
    Limit("actions elements", lambda n: actions(*[button() for _ in range(n)]), 25, "/blocks/0/elements", least=1),
    Limit(
        "context_actions elements",
        lambda n: [
            {"type": "context_actions", "elements": [{"type": "icon_button", "icon": "trash", "text": plain("t")}] * n}
        ],
        5,
        "/blocks/0/elements",
        least=1,
    ),
    Limit("block_id", lambda n: [{"type": "divider", "block_id": x(n)}], 255, "/blocks/0/block_id"),
    Limit("action_id", lambda n: actions(button(action_id=x(n))), 255, "/blocks/0/elements/0/action_id"),
    Limit("button text", lambda n: actions(button(text=plain(x(n)))), 75, "/blocks/0/elements/0/text/text", least=1),
    Limit("button value", lambda n: actions(button(value=x(n))), 2_000, "/blocks/0/elements/0/value"),
    Limit("button url", lambda n: actions(button(url=x(n))), 3_000, "/blocks/0/elements/0/url", least=1),
    Limit(
        "button accessibility_label",
        lambda n: actions(button(accessibility_label=x(n))),
        75,
        "/blocks/0/elements/0/accessibility_label",
    ),
    Limit(
        "button agent_prompt", lambda n: actions(button(agent_prompt=x(n))), 4_000, "/blocks/0/elements/0/agent_prompt"
    ),
    Limit(
        "button visible_to_user_ids",
        lambda n: actions(button(visible_to_user_ids=["U0MIA"] * n)),
        10,
        "/blocks/0/elements/0/visible_to_user_ids",
    ),
    Limit(
        "confirm title", lambda n: confirm(title=plain(x(n))), 100, "/blocks/0/elements/0/confirm/title/text", least=1
    ),
    Limit("confirm text", lambda n: confirm(text=plain(x(n))), 300, "/blocks/0/elements/0/confirm/text/text", least=1),
    Limit(
        "confirm confirm",
        lambda n: confirm(confirm=plain(x(n))),
        30,
        "/blocks/0/elements/0/confirm/confirm/text",
        least=1,
    ),
    Limit("confirm deny", lambda n: confirm(deny=plain(x(n))), 30, "/blocks/0/elements/0/confirm/deny/text", least=1),
    Limit("options", select, 100, "/blocks/0/elements/0/options", least=1),
    Limit("overflow options", overflow, 5, "/blocks/0/elements/0/options", least=1),
    Limit("option text", lambda n: option(text=plain(x(n))), 75, "/blocks/0/elements/0/options/0/text/text", least=1),
    Limit("option value", lambda n: option(value=x(n)), 150, "/blocks/0/elements/0/options/0/value", least=1),
    Limit(
        "feedback text",
        lambda n: feedback(text=plain(x(n))),
        75,
        "/blocks/0/elements/0/positive_button/text/text",
        least=1,
    ),
    Limit("feedback value", lambda n: feedback(value=x(n)), 2_000, "/blocks/0/elements/0/positive_button/value"),
    Limit("image alt_text", lambda n: image(alt_text=x(n)), 2_000, "/blocks/0/alt_text", least=1),
    Limit("image title", lambda n: image(title=plain(x(n))), 2_000, "/blocks/0/title/text", least=1),
    Limit("image url", lambda n: image(image_url=x(n)), 3_000, "/blocks/0/image_url", least=1),
    Limit("table rows", lambda n: [table(rows=n)], 100, "/blocks/0/rows", least=1),
    Limit("table columns", lambda n: [table(columns=n)], 20, "/blocks/0/rows/0", least=1),
    Limit(
        "table column_settings",
        lambda n: [table(column_settings=[{"align": "right"}] * n)],
        20,
        "/blocks/0/column_settings",
    ),
    Limit("table cell", lambda n: [table(text=x(n))], 9_597, "/blocks", "msg_blocks_too_long", least=1),
    Limit("tables per message", lambda n: many(table(), n), 1, "/blocks", "invalid_attachments"),
    Limit("data_table rows", lambda n: [data_table(rows=n)], 101, "/blocks/0/rows", least=2),
    Limit("data_table columns", lambda n: [data_table(columns=n)], 20, "/blocks/0/rows/0", least=1),
    Limit("data_table page_size", lambda n: [data_table(page_size=n)], 100, "/blocks/0/page_size", least=1),
    Limit("chart title", lambda n: bars(title=x(n)), 50, "/blocks/0/title", least=1),
    Limit("pie segments", pie, 6, "/blocks/0/chart/segments", least=1),
    Limit("chart series", lambda n: bars(series=n), 6, "/blocks/0/chart/series", least=1),
    Limit("chart categories", lambda n: bars(categories=n), 20, "/blocks/0/chart/series/0/data", least=1),
    Limit("chart label", lambda n: bars(label=x(n)), 20, "/blocks/0/chart/series/0/data/0/label", least=1),
    Limit("chart axis title", lambda n: bars(axis=x(n)), 50, "/blocks/0/chart/axis_config/x_label"),
    Limit("charts per message", lambda n: bars() * n, 2, "/blocks"),
    Limit(
        "container title",
        lambda n: container({"type": "divider"}, title=plain(x(n))),
        150,
        "/blocks/0/title/text",
        least=1,
    ),
    Limit(
        "container subtitle",
        lambda n: container({"type": "divider"}, subtitle=mrkdwn(x(n))),
        150,
        "/blocks/0/subtitle/text",
        least=1,
    ),
    Limit(
        "container children", lambda n: container(*many({"type": "divider"}, n)), 10, "/blocks/0/child_blocks", least=1
    ),
    Limit("card title", lambda n: [{"type": "card", "title": plain(x(n))}], 150, "/blocks/0/title/text", least=1),
    Limit("card body", lambda n: [{"type": "card", "body": plain(x(n))}], 200, "/blocks/0/body/text", least=1),
    Limit(
        "carousel cards",
        lambda n: [{"type": "carousel", "elements": [{"type": "card", "title": plain("t")}] * n}],
        10,
        "/blocks/0/elements",
        least=1,
    ),
    Limit("markdown", lambda n: [{"type": "markdown", "text": x(n)}], 12_000, "/blocks/0/text", least=1),
    Limit(
        "markdown over all blocks",
        lambda n: [{"type": "markdown", "text": x(6_000)}, {"type": "markdown", "text": x(n - 6_000)}],
        12_000,
        "/blocks",
        "msg_too_long",
    ),
    Limit(
        "all text together",
        lambda n: [*section(text=plain(x(3_000))) * 3, *section(text=plain(x(n - 9_000)))],
        9_597,
        "/blocks",
        "msg_blocks_too_long",
    ),
]

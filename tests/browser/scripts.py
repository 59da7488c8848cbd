"""Blocks that the bot's answers don't hold yet or not always: charts, paged tables, dialogs, as the app would send."""

from __future__ import annotations

from typing import Any

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"]


def xy(kind: str, title: str = "Revenue by month") -> dict[str, Any]:
    """A bar, line or area chart with two series, one of them negative in places."""
    euros, dollars = [4200, 5100.5, 3900, 6100, 7050, 6800], [1200, -300, 900, 1500, 1100, 1700]
    points = ({"EUR": euros, "USD": dollars}).items()
    series = [
        {
            "name": name,
            "data": [{"label": month, "value": value} for month, value in zip(MONTHS, values, strict=True)],
        }
        for name, values in points
    ]
    axis = {"categories": MONTHS, "x_label": "Month of 2026", "y_label": "Amount"}
    return {
        "type": "data_visualization",
        "title": title,
        "chart": {"type": kind, "series": series, "axis_config": axis},
    }


def pie() -> dict[str, Any]:
    """A pie of three parts."""
    segments = [{"label": label, "value": value} for label, value in (("web", 770), ("store", 320), ("phone", 150))]
    return {"type": "data_visualization", "title": "Orders by channel", "chart": {"type": "pie", "segments": segments}}


def data_table(rows: int = 23) -> dict[str, Any]:
    """A paged table of numbered rows, five a page."""
    head = [{"type": "raw_text", "text": name} for name in ("Order", "Amount")]
    amounts = [(n * 37) % 101 for n in range(rows)]
    body = [
        [{"type": "raw_text", "text": f"order {n:02d}"}, {"type": "raw_number", "value": amount, "text": str(amount)}]
        for n, amount in enumerate(amounts)
    ]
    return {"type": "data_table", "caption": "Orders of the week", "page_size": 5, "rows": [head, *body]}


def confirm_button() -> dict[str, Any]:
    """A button that asks first."""
    plain = {"type": "plain_text"}
    confirm = {
        "title": {**plain, "text": "Change 3 rows?"},
        "text": {**plain, "text": "This can't be undone."},
        "confirm": {**plain, "text": "Change"},
        "deny": {**plain, "text": "Keep"},
    }
    button = {
        "type": "button",
        "action_id": "go",
        "value": "1",
        "text": {**plain, "text": "Approve"},
        "style": "primary",
    }
    return {"type": "actions", "elements": [button | {"confirm": confirm}]}


def modal() -> dict[str, Any]:
    """A view with an input."""
    plain = {"type": "plain_text"}
    return {
        "type": "modal",
        "title": {**plain, "text": "Save a routine"},
        "submit": {**plain, "text": "Save"},
        "close": {**plain, "text": "Cancel"},
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": "Posts *orders by channel* to #sales."}},
            {
                "type": "input",
                "block_id": "name",
                "label": {**plain, "text": "Name"},
                "hint": {**plain, "text": "What the channel will see"},
                "element": {"type": "plain_text_input", "action_id": "text", "initial_value": "Orders on Mondays"},
            },
        ],
    }

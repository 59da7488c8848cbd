"""The approval card in each of its states, as the renderer draws it from a request."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.render.approval_card import card, notice
from bot.render.blocks import SlackMessage
from runtime.capability import ApproverRule
from runtime.state import Approval

ZONE = "Europe/Berlin"
_ASKED = datetime(2026, 3, 2, 13, 22, tzinfo=UTC)
_NAMES = ("Oslo Traders", "Harbour Books", "Green Lane Tea")
_DETAILS = {
    "source": "crm",
    "table": "public.customers",
    "set": [{"column": "tier", "value": "gold"}],
    "where": [{"column": "id", "op": "in", "value": [4, 9, 17]}],
    "row_count": 3,
    "columns": ["id", "name", "status", "tier"],
    "keys": ["id"],
    "before": [[n, name, "active", "silver"] for n, name in zip((4, 9, 17), _NAMES, strict=True)],
    "after": [[n, name, "active", "gold"] for n, name in zip((4, 9, 17), _NAMES, strict=True)],
    "warnings": ["The trigger stamp (after each row) runs too; what it does elsewhere is not shown here."],
}


def _asked() -> Approval:
    return Approval(
        id="a1",
        digest="sha256:x",
        run_id="r",
        call_id="1:c",
        conversation="T:C:1",
        requester="U0MIA",
        tool="data_update_postgresql",
        owner="main",
        policy_revision="p",
        rule=ApproverRule(users=("U0ANN",), groups=("S0APPR",)),
        shown={
            "kind": "mutate_data",
            "source": "crm",
            "summary": "Set tier to 'gold' in 3 rows of public.customers (crm)",
            "details": _DETAILS,
        },
        asked_at=_ASKED,
        expires_at=_ASKED + timedelta(seconds=600),
    )


def cards() -> dict[str, tuple[SlackMessage, SlackMessage | None]]:
    """By name: the card, and what the thread is told with it."""
    asked = _asked()
    yes = replace(asked, votes=("U0ANN",), decided_by="U0ANN")
    ended = {
        "done": replace(
            yes,
            state="done",
            outcome={"sentence": "3 rows of public.customers changed.", "receipt": "R4c1f09d27ab35e68"},
        ),
        "rejected": replace(
            asked, state="rejected", decided_by="U0ANN", outcome={"sentence": "Harbour Books has not signed yet."}
        ),
        "expired": replace(asked, state="expired", outcome={"sentence": "Nobody approved in time."}),
        "drift": replace(
            yes, state="drift", outcome={"sentence": "What differs: 1 row (id 9) changed its value (tier)."}
        ),
    }
    standing = {"asked": card(asked, ZONE, "token"), "running": card(replace(yes, state="running"), ZONE)}
    return {
        **{name: (message, None) for name, message in standing.items()},
        **{name: (card(one, ZONE), notice(one)) for name, one in ended.items()},  # type: ignore[arg-type]
    }

"""The demo without a key: an order to change the CRM becomes a card, and after Ann's yes the change stands once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.local.demo import make_crm, make_shop, write_demo
from bot.local.demo.opening import MANIFEST
from bot.local.demo.postgresql import DSN_VARIABLE, crm_addresses
from tests import postgres_server


async def test_an_ordered_change_is_approved_and_done(stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_demo(tmp_path / ".footnote" / "demo")
    stage.manifest = tmp_path / "manifests" / "demo.yaml"
    stage.manifest.parent.mkdir()
    stage.manifest.write_text(MANIFEST.read_text())
    crm = make_crm(make_shop())
    name = next(account for _, account, tier, *_ in crm.accounts if tier == "bronze")
    gold = next(number for number, _, tier, *_ in crm.accounts if tier == "gold")
    with postgres_server.server() as address:
        monkeypatch.setenv(DSN_VARIABLE, address)
        with crm_addresses(crm) as addresses:
            assert addresses is not None
            for variable, value in addresses.items():
                monkeypatch.setenv(variable, value)
            async with stage.bot():
                # A value that stands in no row is warned of; the word "approve" gives no authority.
                ts = await stage.slack.ask("C0SALES", "U0MIA", f"set the tier of account {gold} to platinum")
                slip = await stage.slack.wait_for(lambda: _card(stage, ts))
                assert "“platinum” stands in no row of tier today; “bronze”, “gold” and “silver” do." in str(slip)
                await stage.slack.click("U0ANN", slip["ts"], "approval_reject", channel="C0SALES")
                same = await stage.slack.ask("C0SALES", "U0MIA", f"Set the tier of account {gold} to Gold")
                await stage.slack.wait_for(
                    lambda: "holds that value already" in str(stage.slack.answers("C0SALES", same)) or None
                )
                assert _card(stage, same) is None
                ts = await stage.slack.ask(
                    "C0SALES", "U0MIA", f"please approve: set the tier of account {name} to gold"
                )
                shown = await stage.slack.wait_for(lambda: _card(stage, ts))
                assert "bronze" in str(shown) and "gold" in str(shown)
                await stage.slack.click("U0ANN", shown["ts"], "approval_approve", channel="C0SALES")
                await stage.slack.wait_for(
                    lambda: "Done: one row of" in str(stage.slack.answers("C0SALES", ts)) or None
                )
            with psycopg.connect(addresses["CRM_READ_URL"]) as connection:
                tiers = connection.execute("SELECT tier FROM accounts WHERE account = %s", (name,)).fetchall()
    assert tiers == [("gold",)]


def _card(stage: Any, ts: str) -> dict[str, Any] | None:
    """The card in a thread that waits for a yes."""
    said = stage.slack.answers("C0SALES", ts)
    return next((m for m in said if "approval_approve" in str(m.get("blocks"))), None)

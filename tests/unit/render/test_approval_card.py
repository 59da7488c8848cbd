"""The card of a request: buttons only while it is asked, exact rows, and no text that could break or forge it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.local.validate import check_message
from bot.render.approval_card import card, notice, operator_notice, reject_modal, reminder, waiting_message
from runtime.capability import ApproverRule
from runtime.state import Approval

ASKED = datetime(2026, 3, 2, 13, 22, tzinfo=UTC)
ROWS = {
    "source": "crm",
    "table": "public.customers",
    "set": [{"column": "tier", "value": "gold"}],
    "where": [{"column": "id", "op": "in", "value": [4, 9]}, {"column": "closed", "op": "is_null"}],
    "row_count": 12,
    "columns": ["id", "tier"],
    "keys": ["id"],
    "before": [[4, "silver"], [9, None]],
    "after": [[4, "gold"], [9, "gold"]],
    "warnings": ["A trigger notes the change."],
}
ENDED = ["done", "dry_run", "rejected", "expired", "void", "drift", "failed", "unknown"]


def request(**more) -> Approval:
    shown = {"kind": "mutate_data", "source": "crm", "summary": "Set tier to gold in 12 rows", "details": ROWS}
    made = Approval(
        id="a1",
        digest="sha256:x",
        run_id="r",
        call_id="1:c",
        conversation="T:C0SALES:1.1",
        requester="U0MIA",
        tool="update",
        owner="main",
        policy_revision="p",
        rule=ApproverRule(users=("U0ANN",), groups=("S0APPR",)),
        shown=shown,
        asked_at=ASKED,
        expires_at=ASKED + timedelta(seconds=600),
    )
    return replace(made, **more)


def text(message) -> str:
    return json.dumps(message.as_json(), ensure_ascii=False)


def test_the_card_shows_exactly_what_would_happen() -> None:
    shown = text(card(request(), "Europe/Berlin", "token-1"))
    assert "12 rows" in shown and "crm.public.customers" in shown
    assert "tier = gold" in shown and "id in 4, 9 and closed is empty" in shown
    assert "silver → gold" in shown and "— → gold" in shown
    assert "first 2 of 12 rows" in shown
    assert "A trigger notes the change." in shown
    assert "<@U0ANN> <!subteam^S0APPR>" in shown and "until 14:32 (Europe/Berlin)" in shown


def change(old: object, new: object, **more) -> Approval:
    """One row with one value."""
    rows = {**ROWS, "row_count": 1, "before": [[4, old]], "after": [[4, new]], **more}
    return request(shown={"kind": "mutate_data", "summary": "Set", "details": rows, "files": ["all.csv"]})


def test_what_the_card_leaves_out_is_said() -> None:
    many = {"where": [{"column": "id", "op": "in", "value": list(range(200))}]}
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 190 more" in text(card(change("a", "b", **many), "UTC", "t"))
    names = [f"c{number}" for number in range(20)]
    wide = {"columns": ["id", *names], "before": [[4, *"a" * 20]], "after": [[4, *"b" * 20]]}
    assert "8 of 21 columns; all are in the file." in text(card(change("", "", **wide), "UTC", "t"))
    long = text(card(change("a" * 61, "b" * 61), "UTC", "t"))
    assert "The beginnings of long values; all are in the file." in long
    assert "all are in the file" not in text(card(change("a" * 60, "b" * 60), "UTC", "t"))


def test_what_does_not_fit_is_said_and_the_conditions_stay() -> None:
    wide = {
        "columns": ["id", *(f"c{number}" for number in range(20))],
        "set": [{"column": f"c{number}", "value": "\u4e2d" * 200} for number in range(20)],
        "before": [[4, *["\u4e2d" * 100] * 20]] * 5,
        "after": [[4, *["\u4e09" * 100] * 20]] * 5,
    }
    shown = text(card(change("", "", **wide), "UTC", "t"))
    assert "Not all of it fits here; the whole is in the file." in shown
    assert "id in 4, 9 and closed is empty" in shown


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("x" * 80 + "A", "x" * 80 + "B", "\u2026" + "x" * 20 + "A \u2192 \u2026" + "x" * 20 + "B"),
        ("gold", "gold ", "gold \u2192 gold (they differ in blanks or signs that can't be seen)"),
        ("go\u200bld", "gold", "gold \u2192 gold (they differ in blanks or signs that can't be seen)"),
        (None, "", "\u2014 \u2192 (empty)"),
    ],
)
def test_two_values_that_differ_never_look_the_same(before, after, shown) -> None:
    assert shown in text(card(change(before, after), "UTC", "t"))


@pytest.mark.parametrize("value", ["go\u200bld", "gold ", " gold", "gold\u00a0", "go\nld", "go  ld", "go\u202eld"])
def test_what_cannot_be_seen_in_a_new_value_is_said_although_the_old_one_looks_otherwise(value: str) -> None:
    hiding = "(with blanks or signs that can't be seen)"
    where = [{"column": "name", "op": "eq", "value": "Ann"}]
    shown = text(card(change("silver", value, set=[{"column": "tier", "value": value}], where=where), "UTC", "t"))
    assert shown.count(hiding) == 2  # where it is set, and in the row
    asked = [{"column": "name", "op": "eq", "value": value}, {"column": "id", "op": "in", "value": [value, "b"]}]
    assert text(card(change("silver", "gold", where=asked), "UTC", "t")).count(hiding) == 2
    assert hiding not in text(card(change("silver", "Sales & Co: \u4e2d\u6587, caf\u00e9"), "UTC", "t"))


def test_the_asker_is_named_among_those_who_may_approve_only_where_their_own_yes_counts() -> None:
    both = ApproverRule(users=("U0MIA", "U0ANN"))
    asked = request(rule=both)
    assert "may approve: <@U0ANN> ·" in text(card(asked, "UTC", "t"))
    assert "<@U0ANN>: still waiting" in text(reminder(asked, "UTC")) and "<@U0MIA>" not in text(reminder(asked, "UTC"))
    alone = request(rule=replace(both, self_approval=True))
    assert "may approve: <@U0MIA> <@U0ANN> ·" in text(card(alone, "UTC", "t"))


def test_a_request_that_ends_on_another_day_says_which() -> None:
    later = request(expires_at=ASKED + timedelta(days=2))
    assert "until Wed 4 Mar, 08:22 (America/New_York)" in text(card(later, "America/New_York", "t"))


def test_buttons_carry_the_token_and_nothing_else_and_approve_asks_once_more() -> None:
    (actions,) = [b for b in card(request(), "UTC", "token-1").blocks if b["type"] == "actions"]
    assert [(e["action_id"], e["value"]) for e in actions["elements"]] == [
        ("approval_approve", "token-1"),
        ("approval_reject", "token-1"),
    ]
    assert "Set tier to gold" in actions["elements"][0]["confirm"]["text"]["text"]
    assert "url" not in json.dumps(actions)


@pytest.mark.parametrize("state", ["claimed", "running", *ENDED])
def test_no_other_card_has_buttons(state) -> None:
    shown = text(card(request(state=state, votes=("U0ANN",), outcome={"sentence": "So."}), "UTC", "token-1"))
    assert "token-1" not in shown and '"actions"' not in shown


@pytest.mark.parametrize("state", ENDED)
def test_each_ending_is_told_and_says_whether_anything_was_done(state) -> None:
    ended = request(state=state, votes=("U0ANN",), decided_by="U0ANN" if state == "rejected" else "")
    told = text(notice(replace(ended, outcome={"sentence": "So it went.", "receipt": "R1"})))
    words = {"done": "R1", "failed": "nothing applied", "unknown": "not run again", "dry_run": "nothing written"}
    assert words.get(state, "not run") in told.lower() or words.get(state) in told


def test_numbers_that_are_set_keep_all_their_digits() -> None:
    exact = {"set": [{"column": "share", "value": 0.30000000000000004}]}
    assert "share = 0.30000000000000004" in text(card(change("a", "b", **exact), "UTC", "t"))


def test_the_confirm_step_says_how_many_rows_and_where_however_much_is_set() -> None:
    shown = {"kind": "mutate_data", "target": "crm:public.customers", "summary": "Set " + "x" * 300, "details": ROWS}
    asked = card(request(shown=shown), "UTC", "t").as_json()["blocks"][-1]["elements"][0]["confirm"]["text"]["text"]
    assert asked.startswith("12 rows of crm:public.customers: Set xxx")


def test_a_notification_holds_a_reason_as_it_was_written() -> None:
    rejected = request(state="rejected", decided_by="U0DAN", outcome={"sentence": "1 < 2 & <!channel>"})
    assert notice(rejected).text == "Rejected by @U0DAN, not run. Reason: 1 &lt; 2 &amp; &lt;!channel&gt;"


def test_a_text_is_shown_as_a_diff() -> None:
    details = {
        "name": "MEMORY.md",
        "before": "revenue is net\nyear begins in May",
        "after": "revenue is net\nyear begins in June",
    }
    shown = {"kind": "advisory_context", "summary": "Replace the memory", "details": details}
    drawn = text(card(request(shown=shown), "UTC", "t"))
    assert "-year begins in May" in drawn and "+year begins in June" in drawn and " revenue is net" in drawn


def test_a_schedule_shows_its_next_three_times() -> None:
    details = {
        "name": "Morning",
        "schedule": "0 9 * * 1-5",
        "timezone": "Europe/Berlin",
        "destinations": ["C0SALES", "<!channel>"],
        "next": [f"Mon {n} Mar 09:00 +01:00" for n in range(2, 6)],
    }
    shown = {"kind": "manage_routine", "summary": "Create the routine Morning", "details": details}
    drawn = text(card(request(shown=shown), "UTC", "t"))
    assert "Mon 4 Mar 09:00" in drawn and "Mon 5 Mar" not in drawn
    assert "<#C0SALES>" in drawn and "<!channel>" not in drawn


WILD = st.text(max_size=60) | st.sampled_from(["<!channel>", "<@U0ANN> approved", "```", "*Done*, approved by", "\x00​"])
CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | WILD
JSON = st.recursive(
    CELLS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WILD, inner, max_size=4), max_leaves=8
)
DETAILS = st.fixed_dictionaries(
    {},
    optional={
        "source": WILD,
        "table": WILD,
        "set": JSON | st.lists(st.fixed_dictionaries({"column": WILD, "value": JSON}), max_size=40),
        "where": JSON | st.lists(st.fixed_dictionaries({"column": WILD, "op": WILD, "value": JSON}), max_size=40),
        "row_count": st.integers(0, 10**9),
        "columns": st.lists(WILD, max_size=30),
        "before": st.lists(st.lists(CELLS, max_size=30), max_size=7),
        "after": st.lists(st.lists(CELLS, max_size=30), max_size=7),
        "keys": st.lists(WILD, max_size=3),
        "warnings": st.lists(st.text(max_size=400), max_size=9),
        "name": WILD,
        "instruction": st.text(max_size=3_000),
        "next": st.lists(WILD, max_size=5),
        "destinations": st.lists(WILD, max_size=5),
    },
)
KINDS = st.sampled_from(["mutate_data", "advisory_context", "manage_routine", "delivery", "delivery_configuration", ""])


@given(kind=KINDS, details=DETAILS, summary=st.text(max_size=2_000), sentence=st.text(max_size=3_000))
@example(kind="mutate_data", details={"where": [{"column": "a", "op": "<!channel>"}]}, summary="", sentence="")
def test_whatever_stands_in_a_request_slack_takes_its_messages_and_nothing_in_it_is_live(
    kind, details, summary, sentence
):
    shown = {"kind": kind, "summary": summary, "details": details}
    many = ApproverRule(users=tuple(f"U{n:08}" for n in range(60)))
    asked = request(shown=shown, rule=many)
    ended = replace(asked, state="void", outcome={"sentence": sentence})
    for message in (
        card(asked, "Europe/Berlin", "token"),
        card(ended, "Europe/Berlin"),
        notice(ended),
        notice(replace(ended, state="unknown"), ["U0DAN"]),
        operator_notice(replace(ended, state="unknown")),
        reminder(asked, "UTC"),
        waiting_message(asked, "UTC"),
    ):
        assert check_message(message.as_json()) is None
        drawn = text(message)
        assert "<!channel>" not in drawn and "<@U0ANN>" not in drawn
    assert reject_modal(asked, "kept")["callback_id"] == "approval_reject"

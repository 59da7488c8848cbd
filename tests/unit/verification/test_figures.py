"""The first figure check: exact and rounded matches only; what is dictated is flagged, what is in evidence is found."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.evidence import Column, Evidence, Truncation
from runtime.verification import Verification, check_figures

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases/number_trace.jsonl").read_text(encoding="utf-8").splitlines()
]
# What a check by value alone cannot see; the full verification (units, words, signs by sentence) is later work.
BY_SENSE_ONLY = {"num-016", "num-028", "num-060", "num-061", "num-153"}


def item(name="E1", rows=((42,),), columns=("n",), **more) -> Evidence:
    made = tuple(Column(column, "BIGINT") for column in columns)
    values = {"tool": "run_sql", "title": "", "status": "ok", "row_count": len(rows)} | more
    return Evidence(id=name, call_id="c", columns=made, rows=tuple(map(tuple, rows)), **values)


def of_case(case) -> tuple[Evidence, ...]:
    return tuple(
        item(
            entry["id"],
            entry["rows"] or (),
            entry["columns"] or (),
            status=entry["status"],
            output=entry["output"],
            truncated=Truncation("rows_kept", len(entry["rows"] or ())) if entry["truncated"] else None,
        )
        for entry in case["evidence"]
    )


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["id"] not in BY_SENSE_ONLY], ids=lambda case: case["id"]
)
def test_a_figure_without_evidence_is_never_passed_as_found(case) -> None:
    report = check_figures(case["answer"], of_case(case), question=case.get("question", ""))
    for expected in case["expect"]:
        if expected["status"] == "untraced":
            assert any(expected["text"] in text or text in expected["text"] for text in report.missing)


def test_most_figures_that_stand_in_evidence_are_found() -> None:
    found = total = 0
    for case in CASES:
        report = check_figures(case["answer"], of_case(case), question=case.get("question", ""))
        for expected in case["expect"]:
            if expected["status"] == "traced":
                total += 1
                found += not any(expected["text"] in text or text in expected["text"] for text in report.missing)
    assert found / total >= 0.85


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_a_cell_shown_exactly_or_rounded_is_found(cents, decimals) -> None:
    value = Decimal(cents).scaleb(-2)
    shown = f"{value:,.{decimals}f}"
    report = check_figures(f"It was {shown} EUR [E1].", [item(rows=((str(value),),))])
    assert report.missing == ()


@given(
    st.decimals(-(10**40), 10**40, allow_nan=False),
    st.decimals(-(10**6), 10**6, allow_nan=False, places=45),
    st.integers(0, 60),
)
def test_a_figure_of_any_size_and_precision_is_judged_as_rounding_says(large, fine, decimals) -> None:
    place, exact = Decimal(1).scaleb(-decimals), Context(prec=300, rounding=ROUND_HALF_UP)
    for value in (large, fine):
        shown = value.quantize(place, context=exact)
        off = exact.add(shown, place.copy_sign(shown))
        cells = [item(rows=((format(value, "f"),), ("7" * 400,)), row_count=None)]
        assert check_figures(f"It was {shown:f} EUR [E1].", cells).missing == ()
        assert check_figures(f"It was {off:f} EUR [E1].", cells).found == 0


@pytest.mark.parametrize(
    "answer",
    [
        "\n" * 50_000,
        "1 2 3 " * 5_000 + "".join(f"[E{n}]" for n in range(5_000)),
        "42 [E1] " * 10_000,
        "43 " * 20_000,
        "9" * 50_000,
        "0." + "3" * 50_000,
        " ".join("1." + "2" * n for n in range(1, 300)),
        "[E1 , " * 10_000,
    ],
    ids=lambda answer: answer[:8],
)
def test_an_answer_of_any_length_over_a_full_result_is_checked_in_reasonable_time(answer) -> None:
    full = item(rows=[[row * 40 + column + 0.25 for column in range(40)] for row in range(1_000)], columns="c" * 40)
    assert check_figures(answer, [full]).figures >= 0


@given(st.integers(3_000, 10**9), st.integers(1, 10**6))
def test_a_figure_that_is_off_is_flagged(value, off) -> None:
    report = check_figures(f"There are {value + off:,} orders [E1].", [item(rows=((value,),))])
    assert report.missing == (f"{value + off:,}",)


@pytest.mark.parametrize(
    ("answer", "figures", "missing"),
    [
        ("There are 42 [E1].", 1, ()),
        ("There are 42 [E2].", 1, ("42",)),
        ("There are 43.", 1, ("43",)),
        ("In March 2026 there were 42 [E1].", 1, ()),
        ("On 2026-03-02 at 10:30 there were 42 [E1].", 1, ()),
        ("1. First: 42 [E1]\n2. Second: 42 [E1]", 2, ()),
        ("`select 99` gave 42 [E1].", 1, ()),
        ("In 2025 there were 42 [E1].", 1, ()),
        ("Margin 12 and Decline 43 [E1].", 2, ("12", "43")),
        ("Marks 1000 [E1], 42 [E1].", 2, ("1000",)),
        ("Since March 3, Sept 4 and 5 June 2025 there were 42 [E1].", 1, ()),
        ("No figures here.", 0, ()),
    ],
)
def test_what_counts_as_a_figure(answer, figures, missing) -> None:
    report = check_figures(answer, [item()])
    assert (report.figures, report.missing) == (figures, missing)


@pytest.mark.parametrize(
    ("answer", "figures", "missing"),
    [
        ("Der Umsatz betrug 1.234.567,89 € [E1].", 1, ()),
        ("Der Umsatz betrug 1.234.567,98 € [E1].", 1, ("1.234.567,98",)),
        ("Es waren 1 234 567,89 [E1].", 1, ()),
        ("Es waren 950,50 € [E1] und 0,591 [E1].", 2, ()),
        ("Es waren 950,99 € [E1] und 0,951 [E1].", 2, ("950,99", "0,951")),
        ("The cess was ₹12,34,567.89 [E1], not 1,23,456 [E1].", 2, ("1,23,456",)),
        ("Ids 1,2,3 and 1,2,4 [E1].", 6, ("1,2,4",)),
        ("Revenue: 1.23m, 1.23 mn, 12.3 lakh, 0.12 crore [E1].", 4, ()),
        ("Revenue: 1.24m, 1.24mn, 12.4 lakh, 1.3 trillion [E1].", 4, ("1.24m", "1.24mn", "12.4 lakh", "1.3 trillion")),
        ("It weighs 951kg [E1], 952kg [E1], and is 3x as heavy [E1].", 3, ("952kg",)),
        ("The rate rose by 25 bps [E1], not 26 bps [E1].", 2, ("26 bps",)),
        ("On 12.03.2026 version 1.2.3 came [E1].", 0, ()),
    ],
)
def test_a_figure_is_read_as_whichever_notation_it_is_written_in(answer, figures, missing) -> None:
    cells = ((1234567.89, 950.5, 0.591, 0.0025), (1, 2, 3, None))
    report = check_figures(answer, [item(rows=cells, columns="abcd", row_count=None)])
    assert (report.figures, report.missing) == (figures, missing)


def test_texts_of_evidence_hold_the_figures_that_a_reader_may_see_in_them() -> None:
    lines = item("E1", (("Kaution: 1.450,00 EUR",), ("5 120 and 12 345 rows",)), columns=("line",), row_count=None)
    assert check_figures("1,450.00, 5, 120, 12,345 [E1].", [lines]).missing == ()
    assert check_figures("1,450.01, 6, 121, 12,346 [E1].", [lines]).found == 0


def test_a_tables_heading_marks_the_figures_of_its_rows() -> None:
    table = "By region:\n\n| region | total [E2] |\n|---|---:|\n| St. Gallen | 12 |\n| Bern | 99 |\n\nNo table: 99."
    found = check_figures(table, (item("E1", ((99,),)), item("E2", ((12,),))))
    assert (found.figures, found.missing, found.cited) == (3, ("99",), ("E2",))


def test_a_failed_call_backs_nothing_and_a_cut_result_backs_no_count() -> None:
    failed = item(status="error", error={"code": "sql_failed"})
    assert check_figures("There are 42 [E1].", [failed]).missing == ("42",)
    cut = item(rows=((7,), (8,)), truncated=Truncation("rows_kept", 2))
    assert check_figures("There are 2 rows [E1].", [cut]).missing == ("2",)


def test_the_question_may_be_repeated_but_not_marked() -> None:
    assert check_figures("More than 500? No.", [item()], question="more than 500?").figures == 0
    assert check_figures("There were 42 orders over 500 [E1].", [item()], question="more than 500?").missing == ()
    assert check_figures("It was 500 [E1].", [item()], question="more than 500?").missing == ("500",)


def test_the_line_claims_only_what_was_checked() -> None:
    assert Verification(2, ("43",)).line == (
        "1 of 2 figures found in evidence; queries not re-run. Not found in evidence: 43."
    )
    assert Verification(0).line == "No figures to check; queries not re-run."
    many = Verification(9, tuple(str(n) for n in range(9)))
    assert many.line.endswith("and 4 more.")
    assert many.as_json()["missing"] == [str(n) for n in range(9)]


def remote(name: str, **parts: object) -> Evidence:
    return Evidence(name, name, "mcp_tracker_search_issues", "2 records", "ok", remote=True, **parts)  # type: ignore[arg-type]


def test_a_figure_that_a_remote_item_backs_is_said_to_be_remote() -> None:
    own = Evidence("E1", "c1", "run_sql", "1 row", "ok", columns=(Column("n", "BIGINT"),), rows=((60,),), row_count=1)
    votes = remote("E2", columns=(Column("votes", "INTEGER"),), rows=((60,), (12,)), row_count=2)
    assert check_figures("There are 60 orders.", [votes, own]).remote == ()
    assert check_figures("There are 12 votes.", [own, votes]).remote == ("E2",)
    assert check_figures("There are 60 votes [E2].", [own, votes]).remote == ("E2",)
    line = check_figures("Sales are 104,000 [E2].", [own, votes]).line
    assert line.endswith("Not found in evidence: 104,000. E2 is from a remote server: it can't be re-run.")
    assert check_figures("It is slow [E2].", [votes]).line == (
        "No figures to check; queries not re-run. E2 is from a remote server: it can't be re-run."
    )


def test_remote_items_are_told_in_what_is_stored() -> None:
    found = check_figures("12 votes [E1] [E2].", [remote("E1", output="12"), remote("E2", output="12")])
    assert found.line.endswith("E1, E2 are from a remote server: they can't be re-run.")
    assert found.as_json()["remote"] == ["E1", "E2"]

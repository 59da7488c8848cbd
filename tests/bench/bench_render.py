"""Rendering a usual run, and the worst one that fits, against only parsing and only serialising the same content."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

from bot.render.answer import AnswerView, answer_messages
from bot.render.grammar import parser
from bot.render.text import answer_text
from runtime.evidence import Column, Evidence, SourceRef
from tests.bench.row import Row

ANSWER = """**North** led paid revenue last quarter with 1,204,332.50 EUR [E1], 12.4 % more than before [E2].

| region | revenue | share |
|---|---|---|
| North | 1,204,332.50 | 41 % |
| South | 902,110.00 | 31 % |
| West | 823,004.10 | 28 % |

- Refunds are excluded, the period is 2026-04-01 to 2026-06-30 in Europe/Berlin.
- Data up to 2026-07-02; see `orders.csv` and `refunds.csv` [E3].
"""
COLUMNS = tuple(Column(name, "VARCHAR") for name in ("region", "month", "revenue", "orders", "share"))
ITEM = Evidence(
    "E1",
    "c1",
    "run_sql",
    "Revenue by region and month",
    "ok",
    sql="select region, month, sum(amount) as revenue, count(*) as orders from orders group by 1, 2",
    columns=COLUMNS,
    rows=tuple((f"region {n}", "2026-04", n * 1000.5, n, 0.25) for n in range(100)),
    row_count=100,
    sources=(SourceRef("workspace", "orders", "r1", "orders.csv"),),
    notes=("12 blank dates read as NULL",),
    elapsed_ms=41.0,
)


def run() -> list[Row]:
    """Ratios of medians, measured in turn so that a busy machine bears on both."""
    usual, full = _view(4), _view(64)
    rows = []
    for name, work, bare, bar in (
        ("answer text over a bare Markdown parse", lambda: answer_text(ANSWER), lambda: parser().parse(ANSWER), 5.0),
        ("a run of 4 items over its bare JSON", lambda: answer_messages(usual), _dump(usual), 60.0),
        ("a run of 64 items over its bare JSON", lambda: answer_messages(full), _dump(full), 60.0),
    ):
        value, base = _medians(work, bare)
        rows.append(Row(name, value / base, "x", bar, f"{base * 1000:.3f} ms; ours {value * 1000:.2f} ms"))
    return rows


def _view(number: int) -> AnswerView:
    items = tuple(replace(ITEM, id=f"E{n}", call_id=f"c{n}") for n in range(1, number + 1))
    return AnswerView(ANSWER, "4 of 4 figures found in evidence", items, frozenset(i.id for i in items), "run")


def _dump(view: AnswerView) -> Callable[[], str]:
    """Only writing down what the rendering of `view` gives."""
    bodies = [message.as_json() for message in answer_messages(view)]
    return lambda: json.dumps(bodies)


def _medians(work: Callable[[], object], bare: Callable[[], object], rounds: int = 40) -> tuple[float, float]:
    work()
    bare()
    ours, theirs = [], []
    for _ in range(rounds):
        for call, times in ((work, ours), (bare, theirs)):
            start = time.process_time()
            call()
            times.append(time.process_time() - start)
    return statistics.median(ours), statistics.median(theirs)

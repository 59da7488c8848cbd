"""An answer as a run leaves it."""

from __future__ import annotations

from bot.render.answer import AnswerView, answer_messages
from bot.render.files import result_files
from runtime.evidence import Column, Evidence, SourceRef


def evidence(number=1, **changes):
    values = {
        "id": f"E{number}",
        "call_id": f"c{number}",
        "tool": "run_sql",
        "title": "Revenue by region",
        "status": "ok",
        "sql": "select region, sum(amount) as revenue from orders group by 1",
        "columns": (Column("region", "VARCHAR"), Column("revenue", "DOUBLE")),
        "rows": (("North", 1200.5), ("South", 900)),
        "row_count": 2,
        "sources": (SourceRef("workspace", "orders", "r1", "orders.csv"),),
        "elapsed_ms": 41.0,
    }
    return Evidence(**(values | changes))


def view(items=None, markdown="**North** led with 1,200.50 [E1]."):
    items = items or (evidence(1), evidence(2, tool="list_files", columns=(), rows=(), row_count=None))
    cited = frozenset({"E1"})
    return AnswerView(
        markdown,
        "1 of 1 figures found in evidence; queries not re-run",
        tuple(items),
        cited,
        "run-1",
        files=result_files(items, cited),
    )


def answer():
    shown = view()
    return answer_messages(shown), shown.files

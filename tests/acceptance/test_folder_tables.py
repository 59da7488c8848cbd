"""The table questions of the folder cases, with scripted calls: every figure stands in what the tools gave."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from runtime.charts import Chart
from runtime.evidence import Evidence
from runtime.testing.scripted_model import ScriptedModel, asks, says
from tests.acceptance.grading import contains, grade, has_figure
from tests.acceptance.test_folder_documents import DOCUMENTS
from tests.acceptance.test_folder_qa import QUESTIONS, ask, staged

MONTHS = "SELECT strftime(month, '%Y-%m') AS month, sum(amount) AS total FROM spend GROUP BY 1"
PAIRED = f"WITH m AS ({MONTHS}) SELECT count(*) AS n FROM m a JOIN m b ON a.month = '2024' || b.month[5:]"

# Question → the one query that a careful analyst writes.
QUERIES: dict[str, str] = {
    "dev-fin-01": "SELECT sum(amount) FROM spend WHERE category = 'transport' AND month BETWEEN '2023-07-01' AND"
    " '2023-12-31'",
    "dev-fin-02": "SELECT strftime(month, '%Y-%m') AS month, amount FROM spend WHERE category = 'groceries'"
    " ORDER BY amount LIMIT 1",
    "dev-fin-03": f"{PAIRED} WHERE b.month LIKE '2023%' AND a.total > b.total",
    "dev-fin-05": "SELECT max(month) AS last FROM spend",
    "dev-fin-06": "SELECT DISTINCT category FROM spend ORDER BY 1",
    "dev-bud-01": "SELECT 12 * max(monthly_budget) - sum(amount) AS under FROM spend JOIN budget USING (category)"
    " WHERE category = 'dining' AND year(month) = 2023",
    "dev-fit-01": "SELECT sum(distance_km) FROM workouts WHERE date BETWEEN '2024-03-01' AND '2024-03-31'",
    "dev-fit-02": "WITH c AS (SELECT activity, count(*) AS n FROM workouts GROUP BY 1)"
    " SELECT activity, n FROM c WHERE n = (SELECT min(n) FROM c) ORDER BY 1",
    "dev-fit-03": "SELECT date, round(distance_km / (minutes / 60.0), 2) AS kmh FROM workouts WHERE activity = 'run'"
    " ORDER BY 2 DESC LIMIT 1",
    "dev-fit-04": "SELECT * FROM workouts LIMIT 1",
    "dev-read-01": "SELECT title, pages FROM books WHERE finished = 'yes' ORDER BY pages LIMIT 1",
    "dev-read-02": "SELECT count(*) OVER () AS authors, author FROM books GROUP BY author HAVING count(*) > 1",
    "dev-read-03": "SELECT sum(pages) FROM books JOIN authors USING (author) WHERE nationality = 'American' AND"
    " finished = 'yes'",
    "dev-trip-01": "SELECT purpose, avg(nights) FROM trips GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
    "dev-con-01": "SELECT round(last_seen_days / 7.0, 2) AS weeks FROM contacts WHERE name = 'Chen'",
    "dev-con-02": "SELECT count(*) OVER () AS n, name FROM contacts WHERE country NOT IN (SELECT country FROM trips)",
    "dev-mus-01": "SELECT round(100.0 * sum(plays) FILTER (track = 'Teardrop') / sum(plays), 2) FROM playlist",
    "dev-rec-01": "SELECT strftime(date, '%Y-%m') AS month, count(*) AS n FROM receipts_2019 GROUP BY 1"
    " ORDER BY 2 DESC LIMIT 1",
    "dev-rec-02": "SELECT sum(total) FROM receipts_2019 WHERE vendor = 'bookshop' AND month(date) = 4",
    "dev-led-01": "SELECT count(*) OVER () AS n, strftime(date, '%Y-%m') AS month FROM rent_ledger WHERE rent > 1500",
    "dev-scr-01": "SELECT round(sum(minutes) / 60.0, 2) AS hours FROM screen_time WHERE app = 'messages'",
    "dev-slp-01": "SELECT date, hours FROM sleep ORDER BY hours LIMIT 1",
    "dev-mf-01": "WITH w AS (SELECT date, sum(minutes) AS minutes FROM workouts GROUP BY 1)"
    " SELECT round(corr(w.minutes, s.hours), 3) AS r, count(*) AS days FROM w JOIN sleep s USING (date)",
    "dev-sub-01": "SELECT round(avg(monthly_cost), 2) FROM subscriptions WHERE category = 'utilities'",
    "dev-act-01": "DELETE FROM subscriptions WHERE active = 'no'",
}
CHARTS: dict[str, dict[str, Any]] = {
    "dev-fin-04": {"kind": "line", "sql": f"{MONTHS} HAVING min(month) < '2023-07-01' ORDER BY 1"},
    "dev-scr-02": {"kind": "bar", "sql": "SELECT app, sum(minutes) AS minutes FROM screen_time GROUP BY 1 ORDER BY 1"},
}
TABLES = {case["id"]: case for case in QUESTIONS if case["id"] not in DOCUMENTS}


if TABLES:  # collected only where the shared cases are

    async def test_every_table_question_can_be_answered_from_the_results(tmp_path: Path) -> None:
        assert set(TABLES) == set(QUERIES) | set(CHARTS)
        calls = {name: ("run_sql", {"sql": sql}) for name, sql in QUERIES.items()}
        calls |= {name: ("make_chart", {"title": "As asked", **chart}) for name, chart in CHARTS.items()}
        async with staged(
            tuple(sorted({file for case in TABLES.values() for file in case["files"]})), tmp_path
        ) as desk:
            runs = [
                ask(desk, TABLES[name]["question"], name, ScriptedModel([asks(call), says("Done.")]))
                for name, call in calls.items()
            ]
            results = await asyncio.wait_for(asyncio.gather(*runs), 120)
        given = {name: result.evidence[0] for name, result in zip(calls, results, strict=True)}
        wrong = {name: item.error or item.rows for name, item in given.items() if not _holds(name, item)}
        assert not wrong

    def _holds(name: str, item: Evidence) -> bool:
        """Whether the result has what the question's answer needs, or shows that the data don't have it."""
        expect = TABLES[name]["expect"]
        if name == "dev-act-01":
            return item.error is not None and item.error["code"] == "sql_not_allowed"
        if item.failed:
            return False
        if "chart" in expect:
            return grade("", expect, [Chart.from_json(item.chart or {})]) == "right"
        given = " ".join(str(value) for row in [[column.name for column in item.columns], *item.rows] for value in row)
        if expect.get("abstain"):
            held = {"dev-fin-05": "2024-12", "dev-fin-06": "transport", "dev-fit-04": "distance_km"}[name]
            return held in given and not contains(given, "2026|travel|heart")
        figures = all(
            has_figure(given, figure, expect["tolerance"], sign_matters=name != "dev-bud-01")
            for figure in expect["figures"]
        )
        # Whether a difference is over or under is its sign, which is no word of the result.
        words = [entry for entry in expect.get("contains", ()) if not entry.startswith("over|")]
        return figures and all(contains(given, entry) for entry in words)

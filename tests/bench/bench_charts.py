"""The PNG of usual charts, warm, and the whole worth of a first one."""

from __future__ import annotations

import json
import statistics
import time

from runtime.charts import Chart, Field, chart_of, spec
from runtime.charts.png import draw
from tests.bench.row import Row

_ROUNDS = 20
_BAR_MS = 120.0


def run() -> list[Row]:
    """Medians in milliseconds of this process's own time (the library draws in threads of it), so that a busy machine
    weighs less; wall time stands beside them."""
    began = time.perf_counter()
    draw(_bar())
    first = (time.perf_counter() - began) * 1000
    rows = [Row("a first chart, library loaded", first, "ms", None, "wall time")]
    for name, chart, bar in (
        ("PNG of a grouped bar chart, p50 warm", _bar(), _BAR_MS),
        ("PNG of two lines over 180 days, p50 warm", _lines(), _BAR_MS),
        ("PNG of 40 categories, p50 warm", _many(), _BAR_MS),
    ):
        wall, own = _medians(chart)
        said = f"{wall:.0f} ms wall; specification {_spec_ms(chart):.2f} ms; {len(json.dumps(spec(chart)))} bytes"
        rows.append(Row(name, own, "ms", bar, said))
    return rows


def _medians(chart: Chart) -> tuple[float, float]:
    walls, owns = [], []
    for _ in range(_ROUNDS):
        wall, own = time.perf_counter(), time.process_time()
        draw(chart)
        walls.append((time.perf_counter() - wall) * 1000)
        owns.append((time.process_time() - own) * 1000)
    return statistics.median(walls), statistics.median(owns)


def _spec_ms(chart: Chart) -> float:
    began = time.process_time()
    for _ in range(50):
        spec(chart)
    return (time.process_time() - began) * 20


def _fields(*names: str) -> list[Field]:
    return [Field(names[0], "VARCHAR"), *(Field(name, "DOUBLE") for name in names[1:])]


def _bar() -> Chart:
    rows = [(f"region {n}", n * 100.0 - 150, n * 90.0 if n else None) for n in range(7)]
    return chart_of("bar", _fields("region", "2025", "2024"), rows, title="Revenue by region", unit="EUR")


def _lines() -> Chart:
    rows = [(f"2026-{1 + n // 30:02}-{1 + n % 28:02} {n // 28:02}:00", n * 1.5, 100 + n % 9) for n in range(180)]
    return chart_of("line", _fields("day", "orders", "refunds"), rows, title="Orders per day")


def _many() -> Chart:
    rows = [(f"A rather long name of product {n}", 4_000.0 / (n + 1)) for n in range(40)]
    return chart_of("bar", _fields("product", "sold"), rows, title="Pieces sold", additive=True)

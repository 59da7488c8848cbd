"""The SQL guard over the corpus of its cases, against sqlglot only parsing the same texts."""

from __future__ import annotations

import contextlib
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import sqlglot
from sqlglot.errors import SqlglotError

from runtime.sqlguard import GuardPolicy, QueryRefused, validate
from tests.bench.row import Row

CASES = Path(__file__).parents[1] / "cases" / "sql_guard.jsonl"
ROUNDS = 25
P50_BAR, P95_BAR = 150.0, 600.0  # microseconds, on an idle 2-core machine
TABLES = {
    "orders": ("id", "customer_id", "day", "qty", "price", "region", "note"),
    "customers": ("id", "name", "region", "tags", "meta", "created_at", "update", "delete"),
    "café sales": ("region", "total"),
    "2024 totals": ("a",),
    "select": ("x",),
}
POLICIES = {
    "duckdb": GuardPolicy(TABLES),
    "postgres": GuardPolicy({f"public.{n}": c for n, c in TABLES.items()}, "postgres", search_path=("public",)),
    "sqlite": GuardPolicy(TABLES, "sqlite"),
}


def fastest(work: Callable[[str], object], text: str) -> float:
    """The least time of the rounds in microseconds: what else the machine does is not the guard's cost."""
    times: list[float] = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        with contextlib.suppress(QueryRefused, SqlglotError):
            work(text)
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


def run() -> list[Row]:
    """p50 and p95 over the cases of each dialect, and the guard's median over that of the bare parse."""
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    rows: list[Row] = []
    for dialect, policy in POLICIES.items():
        rows += rows_of(dialect, policy, [case["sql"] for case in cases if case["dialect"] == dialect])
    return rows


def rows_of(dialect: str, policy: GuardPolicy, texts: list[str]) -> list[Row]:
    """The figures of one dialect."""
    guarded = sorted(fastest(lambda text: validate(text, policy), text) for text in texts)
    parsed = sorted(fastest(lambda text: sqlglot.parse(text, dialect=dialect), text) for text in texts)
    p50, p95 = statistics.median(guarded), guarded[int(len(guarded) * 0.95)]
    bare50, bare95 = statistics.median(parsed), parsed[int(len(parsed) * 0.95)]
    return [
        Row(f"SQL guard ({dialect}), p50", p50, "µs", P50_BAR, f"sqlglot.parse {bare50:.0f} µs"),
        Row(f"SQL guard ({dialect}), p95", p95, "µs", P95_BAR, f"sqlglot.parse {bare95:.0f} µs"),
        Row(f"SQL guard ({dialect}) over a bare parse, p50", p50 / bare50, "x bare", None, f"{bare50:.0f} µs"),
    ]

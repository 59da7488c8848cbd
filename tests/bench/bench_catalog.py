"""The catalog of 10,000 tables: what a search costs, and how large an answer gets."""

from __future__ import annotations

import json
import random
import time

from runtime.boundary.bounded import fit
from runtime.catalog import CatalogColumn, CatalogTable, ForeignKey, Structure, TableKind
from runtime.catalog.name_index import NameIndex
from runtime.catalog.paths import JoinGraph, shortest_paths
from runtime.catalog.ranking import search
from runtime.evidence import Json
from runtime.limits import DEFAULT
from runtime.toolboxes.sources.catalog_view import hit_json, table_json
from tests.bench.row import Row

TABLES, COLUMNS, ROUNDS = 10_000, 10, 5
SEARCH_BAR, KIB_BAR = 30.0, 16.0
QUERIES = (
    "customer", "id", "created at", "customer email", "custmer invoce", "xqzzyw vwwkq", "total amount by region",
    "how many invoices were created per region last month", "the id of a customer", "cre",
)  # fmt: skip


def structure() -> Structure:
    """Names of two made-up words, a tenth of the columns commented, each table with a key to an earlier one."""
    chance = random.Random(7)
    syllables = [first + second for first in "bcdfglmnprst" for second in "aeiou"]
    made = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(4_000)]
    words = [*made, "customer", "order", "invoice", "region", "amount", "created", "email", "total"]
    tables = list[CatalogTable]()
    for number in range(TABLES):
        names = [f"{chance.choice(words)}_{chance.choice(words)}" for _ in range(COLUMNS - 3)]
        comments = [f"The {chance.choice(words)}." if chance.random() < 0.1 else "" for _ in names]
        columns = (
            *(CatalogColumn(name, "bigint") for name in ("id", "parent_id", "created_at")),
            *(CatalogColumn(name, "text", comment=comment) for name, comment in zip(names, comments, strict=True)),
        )
        name = f"t{number:05}_{chance.choice(words)}"
        parent = tables[chance.randrange(number)].id if number else f"public.{name}"
        key = ForeignKey("", ("parent_id",), parent, ("id",))
        own = CatalogTable(f"public.{name}", "public", name, TableKind.TABLE, columns, ("id",), (), (key,))
        tables.append(own)
    return Structure("crm", "postgres", tuple(tables), "r")


def milliseconds(work: object) -> float:
    """The least time of the rounds."""
    assert callable(work)
    times = list[float]()
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times) * 1_000


def run() -> list[Row]:
    """The slowest of the searches, an answer's size, the index, and a path through the keys."""
    crm = structure()
    begin = time.perf_counter()
    crm.derived(NameIndex)
    built = time.perf_counter() - begin
    slowest = max((milliseconds(lambda query=query: search([crm], query)[:50]), query) for query in QUERIES)
    hits: list[Json] = [hit_json(hit) for hit in search([crm], "id")[:50]]
    page, _ = fit({"data": {"hits": hits}}, "hits", DEFAULT.model_text_bytes, DEFAULT.cell_chars)
    shown: list[Json] = [table_json(crm, table, 50) for table in crm.tables[:50]]
    schema, _ = fit({"data": {"tables": shown}}, "tables", DEFAULT.model_text_bytes, DEFAULT.cell_chars)
    graph = crm.derived(JoinGraph)
    start, end = crm.tables[-1].id, crm.tables[0].id
    walked = milliseconds(lambda: shortest_paths(graph, start, end, depth=6, paths=5, steps=DEFAULT.catalog_path_steps))
    bare = milliseconds(lambda: json.dumps(hits))
    return [
        Row("catalog of 10,000 tables: slowest search", slowest[0], "ms", SEARCH_BAR, f"for {slowest[1]!r}"),
        Row(
            "catalog: largest answer", max(len(page.encode()), len(schema.encode())) / 1_024, "KiB", KIB_BAR, "50 hits"
        ),
        Row("catalog: paths over keys of 10,000 tables", walked, "ms", None, f"json.dumps of 50 hits {bare:.2f} ms"),
        Row("catalog: index, once a structure", built, "s", None, f"{TABLES * COLUMNS:,} columns"),
    ]

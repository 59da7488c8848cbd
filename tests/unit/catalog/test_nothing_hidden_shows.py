"""Whatever a structure looks like and whatever is asked, no name that isn't admitted comes out of any catalog tool."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.admission.manifest import AllowDeny, ColumnRules
from runtime.capability import Capability
from runtime.catalog import CatalogColumn, CatalogTable, ForeignKey, Structure, TableKind
from runtime.catalog.admitted import admitted
from runtime.errors import CallError
from runtime.toolboxes.sources import catalog_inspect, catalog_schema, catalog_search, catalog_traverse

from .conftest import Desk

OPEN = ("orders", "customers", "items", "regions", "Order Notes", "v_sales")
HIDDEN = ("salaries", "zsecret_pay", "Payroll Raw", "v_zpay", "zhidden")
COLUMNS = ("id", "order_id", "customer_id", "name", "total")
HIDDEN_COLUMNS = ("ssn", "zpin_code", "Secret Note")
SPOKEN = (*OPEN, *HIDDEN, *COLUMNS, *HIDDEN_COLUMNS, "shop", "order", "salary", "zsecre", "v", "z", "sales pay", "s")
EVERY_HIDDEN = (*HIDDEN, *HIDDEN_COLUMNS)


@st.composite
def structures(draw: st.DrawFn) -> Structure:
    names = sorted(draw(st.sets(st.sampled_from((*OPEN, *HIDDEN)), min_size=2)))
    tables = []
    for name in names:
        columns = ["id", *draw(st.lists(st.sampled_from((*COLUMNS[1:], *HIDDEN_COLUMNS)), unique=True))]
        comment = st.sampled_from(("", "About it.", "Like zhidden.", "joins SALARIES", "its zpin_code", "payroll raw"))
        view = name.startswith("v_")
        keys = draw(st.lists(st.tuples(st.sampled_from(columns), st.sampled_from(names)), max_size=3))
        tables.append(
            CatalogTable(
                name,
                "main",
                name,
                TableKind.VIEW if view else TableKind.TABLE,
                tuple(CatalogColumn(column, "TEXT", comment=draw(comment)) for column in columns),
                primary_key=() if view else (draw(st.sampled_from(columns)),),
                unique=() if view else (tuple(draw(st.sets(st.sampled_from(columns), min_size=1))),),
                foreign_keys=()
                if view
                else tuple(ForeignKey("fk_zhidden", (column,), to, ("id",)) for column, to in keys),
                comment=draw(comment),
                reads=tuple(draw(st.sets(st.sampled_from(names), min_size=1))) if view else (),
            )
        )
    return Structure("shop", "sqlite", tuple(tables), "r")


async def said(desk: Desk, capability: Capability[Any], arguments: dict[str, Any]) -> str:
    """Everything that people and model get to see of a call, without what the caller said itself."""
    try:
        output = await desk.output(capability, **arguments)
    except CallError as error:
        return json.dumps(error.as_json())
    return json.dumps(
        [output.title, output.summary, dict(output.data), output.notes, [vars_of(ref) for ref in output.sources]]
    )


def vars_of(ref: Any) -> list[str]:
    return [ref.source, ref.object, ref.revision, ref.file]


def calls(word: str, other: str) -> list[tuple[Capability[Any], dict[str, Any]]]:
    return [
        (catalog_search.CAPABILITY, {"query": word}),
        (catalog_search.CAPABILITY, {"query": f"{word} {other}", "limit": 50}),
        (catalog_schema.CAPABILITY, {"query": word}),
        (catalog_schema.CAPABILITY, {"resource_ids": ["shop", f"shop/{word}"]}),
        (catalog_schema.CAPABILITY, {"resource_ids": [f"shop/{word}.{other}"]}),
        (catalog_inspect.CAPABILITY, {"resource_id": f"shop/{word}"}),
        (catalog_inspect.CAPABILITY, {"resource_id": f"shop/{word}.{other}"}),
        (catalog_inspect.CAPABILITY, {"resource_id": "shop"}),
        (catalog_traverse.CAPABILITY, {"from_ids": [f"shop/{word}"], "to_ids": [f"shop/{other}"], "max_depth": 6}),
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(structures(), st.sampled_from(SPOKEN), st.sampled_from(SPOKEN))
async def test_no_hidden_name_comes_out(structure: Structure, word: str, other: str) -> None:
    deny = AllowDeny(deny=HIDDEN)
    there = {table.name for table in structure.tables} | {
        item.name for table in structure.tables for item in table.columns
    }
    desk = Desk(admitted(structure, deny, ColumnRules(deny=tuple(f"*.{name}" for name in HIDDEN_COLUMNS))))
    for capability, arguments in calls(word, other):
        seen = (await said(desk, capability, arguments)).lower()
        own = f"{word} {other}".lower()
        leaked = [name for name in there.intersection(EVERY_HIDDEN) if name.lower() in seen and name.lower() not in own]
        assert not leaked, (capability.tool, arguments, seen)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(structures(), st.sampled_from(SPOKEN), st.sampled_from(SPOKEN))
async def test_what_is_hidden_answers_like_what_never_was(structure: Structure, word: str, other: str) -> None:
    """Two databases that differ only in what isn't admitted can't be told apart: not by errors, totals or order."""
    deny, columns = AllowDeny(deny=HIDDEN), ColumnRules(deny=tuple(f"*.{name}" for name in HIDDEN_COLUMNS))
    shown = admitted(structure, deny, columns)
    never = Structure(shown.source, shown.dialect, shown.tables, shown.revision)
    again = admitted(never, AllowDeny(), ColumnRules())
    for capability, arguments in calls(word, other):
        first = await said(Desk(shown), capability, arguments)
        second = await said(
            Desk(Structure(again.source, again.dialect, again.tables, shown.revision)), capability, arguments
        )
        assert first == second

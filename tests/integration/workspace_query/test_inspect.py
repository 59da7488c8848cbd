"""Profiles: statistics that are right, notes that warn, joins that share values, and a cache keyed by content."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from runtime.engines.workspace.near_names import near
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError
from runtime.ingest import sealed, unsealed
from runtime.limits import DEFAULT

from .conftest import LONG_AGO, SHOP, opening, write

pytestmark = pytest.mark.asyncio(loop_scope="module")

TABLES = {
    **SHOP,
    "stats.csv": "k,v,w,d\na,1,,2024-01-03\na,2,x,2024-01-01\nb,3,x,\nc,10,x,2024-01-02\n",
    "odd.csv": "city,zip,n,price\nParis,01234,1,$5.00\nparis,00001,2,€6.00\nPARIS ,12345,four,$7\nRome,02222,4,$8\n",
    "join_a.csv": "code\nx\ny\n",
    "join_b.csv": "code\np\nq\n",
    "join_c.csv": "code\nx\nz\n",
    "wide.csv": ",".join(f"c{i}" for i in range(300)) + "\n" + ",".join("1" for _ in range(300)) + "\n",
    "empty.csv": "e,f\n",
    "letters.csv": "e,t,n,v,key,value,x\n" + "1.5,a,2,b,3,c,d\n" * 3,
    "many.csv": "i,g\n" + "".join(f"{i},{i % 3}\n" for i in range(50_000)),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inspect")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workspace(folder: Path) -> AsyncIterator[Workspace]:
    async for opener in opening(folder):
        yield await opener(TABLES, DEFAULT.override({"inspect_sample_rows": 10_000}))


def named(profile):
    return {column.name: column for column in profile.columns}


async def test_statistics_are_those_of_the_whole_table(workspace):
    profile = await workspace.inspect("stats", [], 2)
    columns = named(profile)
    assert (columns["v"].minimum, columns["v"].maximum, columns["v"].distinct) == (1, 10, 4)
    assert columns["v"].quantiles == (1.75, 2.5, 4.75)
    assert columns["k"].common == (("a", 2), ("b", 1), ("c", 1))
    assert columns["w"].null_percent == 25.0
    assert (columns["d"].minimum, columns["d"].maximum) == ("2024-01-01", "2024-01-03")
    assert profile.keys == ("v",)
    assert (len(profile.sample), profile.sampled) == (2, None)


async def test_notes_warn_of_spellings_zeros_and_numbers_kept_as_text(workspace):
    columns = named(await workspace.inspect("odd", [], 0))
    assert any("several ways" in note and "Paris" in note for note in columns["city"].notes)
    assert any("leading zeros" in note for note in columns["zip"].notes)
    assert any("four" in note for note in columns["n"].notes)
    assert any("currency" in note for note in columns["price"].notes)


async def test_joins_share_values_and_ids_do_not_join_ids(workspace):
    assert (await workspace.inspect("orders", [], 0)).joins == (("customer_id", "customers", "id"),)
    assert (await workspace.inspect("customers", [], 0)).joins == (("id", "orders", "customer_id"),)


async def test_same_names_without_shared_values_are_no_join(workspace):
    assert (await workspace.inspect("join_a", [], 0)).joins == (("code", "join_c", "code"),)


async def test_a_large_table_is_sampled_and_says_so(workspace):
    profile = await workspace.inspect("many", [], 1)
    assert (profile.sampled, profile.keys) == (10_000, ())
    assert named(profile)["g"].distinct == 3
    column = named(profile)["i"]
    assert (column.minimum, column.maximum) == (0, 49_999)
    assert column.distinct < 50_000


async def test_only_the_columns_that_are_asked_for(workspace):
    profile = await workspace.inspect("people/customers.csv", ["ZIP", "id"], 1)
    assert [column.name for column in profile.columns] == ["zip", "id"]
    assert profile.sample == (("01001", 1),)


async def test_a_wide_table_is_described_in_part(workspace):
    assert len((await workspace.inspect("wide", ["c299", "c0"], 0)).columns) == 2


async def test_a_column_may_be_called_like_anything_in_our_own_sql(workspace):
    profile = await workspace.inspect("letters", [], 1)
    assert [(column.name, column.common) for column in profile.columns] == [
        ("e", ((1.5, 3),)),
        ("t", (("a", 3),)),
        ("n", ((2, 3),)),
        ("v", (("b", 3),)),
        ("key", ((3, 3),)),
        ("value", (("c", 3),)),
        ("x", (("d", 3),)),
    ]


async def test_an_empty_table_has_a_profile(workspace):
    profile = await workspace.inspect("empty", [], 5)
    assert [(column.name, column.distinct, column.null_percent) for column in profile.columns] == [
        ("e", 0, 0),
        ("f", 0, 0),
    ]
    assert (profile.keys, profile.sample) == ((), ())


@pytest.mark.parametrize(
    ("name", "columns", "said"),
    [
        ("order", [], "orders"),
        ("orders", ["amuont"], "amount"),
        ("notes.md", [], "document"),
        ("zzz", [], "list_files"),
    ],
)
async def test_unknown_names_teach_near_ones(workspace, name, columns, said):
    with pytest.raises(CallError) as caught:
        await workspace.inspect(name, columns, 0)
    assert caught.value.code == "not_found"
    assert said in caught.value.message + caught.value.hint


async def test_a_short_name_does_not_stand_before_the_one_that_was_meant() -> None:
    assert near("statsu", ["a", "at", "status", "orders"])[0] == "status"
    assert near("a1", ["a", "orders"]) == ["a"]


async def test_statistics_are_kept_by_content(workspace, folder: Path):
    first = await workspace.inspect("orders", [], 0)
    (kept,) = [path for path in (folder / "cache" / "profiles").glob("*.json") if "region" in path.read_text()]
    body = unsealed(kept.read_bytes())
    body["region"]["distinct"] = 77
    kept.write_bytes(sealed(body))
    assert named(await workspace.inspect("orders", [], 0))["region"].distinct == 77
    for damaged in (b"{broken", sealed(body).replace(b"77", b"78")):
        kept.write_bytes(damaged)
        assert (await workspace.inspect("orders", [], 0)).columns == first.columns
    write(folder / "files", {"orders.csv": "region\nwest\n"})
    os.utime(folder / "files" / "orders.csv", (LONG_AGO + 9, LONG_AGO + 9))
    assert named(await workspace.inspect("orders", [], 0))["region"].common == (("west", 1),)

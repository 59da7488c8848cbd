"""Join paths: exact columns, direction, shortest first, the same every time, and the reason when cut."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from runtime.catalog import CatalogColumn, CatalogTable, ForeignKey, Structure, TableKind
from runtime.catalog.paths import Cut, Found, JoinGraph, Rows, shortest_paths


def graph(*keys: tuple[str, str], unique: frozenset[str] = frozenset()) -> JoinGraph:
    """A structure whose keys go from the first table to the second, by a column named after the second."""
    names = sorted({name for key in keys for name in key})
    tables = []
    for name in names:
        targets = sorted({target for source, target in keys if source == name})
        tables.append(
            CatalogTable(
                name,
                "",
                name,
                TableKind.TABLE,
                (CatalogColumn("id", "int"), *(CatalogColumn(f"{target}_id", "int") for target in targets)),
                primary_key=("id",),
                unique=tuple((f"{target}_id",) for target in targets if name in unique),
                foreign_keys=tuple(ForeignKey("", (f"{target}_id",), target, ("id",)) for target in targets),
            )
        )
    return JoinGraph(Structure("shop", "sqlite", tuple(tables), "r"))


def find(joins: JoinGraph, start: str, end: str, depth: int = 6, paths: int = 8, steps: int = 10_000) -> Found:
    return shortest_paths(joins, start, end, depth=depth, paths=paths, steps=steps)


def tables(found: Found) -> list[str]:
    return ["".join([path[0].left, *(join.right for join in path)]) for path in found.paths]


def test_a_path_gives_columns_and_direction() -> None:
    ((there, back),) = find(graph(("o", "c"), ("a", "c")), "o", "a").paths
    assert (there.left, there.right, there.pairs, there.rows) == ("o", "c", (("c_id", "id"),), Rows.MANY_TO_ONE)
    assert (back.left, back.right, back.pairs, back.rows) == ("c", "a", (("id", "c_id"),), Rows.ONE_TO_MANY)


def test_a_key_within_a_unique_one_joins_one_to_one() -> None:
    found = find(graph(("p", "c"), unique=frozenset("p")), "p", "c")
    assert [join.rows for path in found.paths for join in path] == [Rows.ONE_TO_ONE]


def test_shortest_first_then_by_name() -> None:
    found = find(graph(("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("a", "b")), "a", "b")
    assert tables(found) == ["ab", "acb", "adb"]
    assert found.cut is None


def test_more_paths_than_asked_for_are_said() -> None:
    joins = graph(("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"))
    assert (tables(find(joins, "a", "b", paths=1)), find(joins, "a", "b", paths=1).cut) == (["acb"], Cut.PATHS)
    assert find(joins, "a", "b", paths=2).cut is None


def test_a_path_that_is_too_long_is_said_with_its_length() -> None:
    joins = graph(("a", "b"), ("b", "c"), ("c", "d"))
    assert find(joins, "a", "d", depth=2) == Found((), 3, Cut.DEPTH)
    assert find(joins, "a", "d", depth=3).cut is None


def test_tables_that_no_key_joins_have_no_path_and_no_excuse() -> None:
    assert find(graph(("a", "b"), ("c", "d")), "a", "d") == Found((), None, None)


def test_a_search_that_grows_too_large_says_so() -> None:
    names = "abcdefghij"
    joins = graph(*((one, other) for one in names for other in names if one < other))
    assert find(joins, "a", "j", steps=20).cut is Cut.STEPS


def test_two_keys_to_one_table_are_two_paths() -> None:
    table = CatalogTable(
        "o",
        "",
        "o",
        TableKind.TABLE,
        (CatalogColumn("billed", "int"), CatalogColumn("sent", "int")),
        foreign_keys=(ForeignKey("", ("billed",), "c", ("id",)), ForeignKey("", ("sent",), "c", ("id",))),
    )
    target = CatalogTable("c", "", "c", TableKind.TABLE, (CatalogColumn("id", "int"),), primary_key=("id",))
    found = find(JoinGraph(Structure("shop", "sqlite", (target, table), "r")), "c", "o")
    assert [path[0].pairs for path in found.paths] == [(("id", "billed"),), (("id", "sent"),)]


NODES = "abcdef"


@given(st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda key: key[0] < key[1])))
def test_exactly_the_simple_paths_in_order(keys: set[tuple[str, str]]) -> None:
    joins = graph(*keys, ("a", "z"), ("f", "z"))
    near = {frozenset(key) for key in [*keys, ("a", "z"), ("f", "z")]}
    others = sorted({*"bcde", "z"})
    every = {
        "".join(("a", *middle, "f"))
        for size in range(len(others) + 1)
        for middle in permutations(others, size)
        if all(frozenset(pair) in near for pair in zip(("a", *middle), (*middle, "f"), strict=True))
    }
    found = find(joins, "a", "f", depth=6, paths=10_000, steps=10_000_000)
    assert tables(found) == sorted(every, key=lambda path: (len(path), path))
    assert found.cut is None

"""The ways between tables over declared keys: which joins, by which columns, and how many rows answer one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from runtime.catalog.structure import CatalogTable, ForeignKey, Structure


class Rows(StrEnum):
    """How many rows of each side belong together; `one` may be none where a key column is NULL or nothing points."""

    MANY_TO_ONE = "many_to_one"
    ONE_TO_MANY = "one_to_many"
    ONE_TO_ONE = "one_to_one"


@dataclass(frozen=True, slots=True, order=True)
class Join:
    """One step from table `left` to table `right`, by their ids; `pairs` are the columns that are equal."""

    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    rows: Rows


Path = tuple[Join, ...]


class Cut(StrEnum):
    """Why there may be more paths than are given."""

    PATHS = "paths"
    DEPTH = "max_depth"
    STEPS = "steps"


@dataclass(frozen=True, slots=True)
class Found:
    """Paths, shortest first, then in the order of their joins. `shortest` is the number of joins of the shortest one at
    any depth, None when declared keys join the two at no depth; `cut` says why there are, or may be, more: the number
    of paths, the depth (the shortest one, or another with one join more, is deeper) or the joins looked at."""

    paths: tuple[Path, ...]
    shortest: int | None
    cut: Cut | None = None


class JoinGraph:
    """The declared keys of a structure as steps in both directions."""

    def __init__(self, structure: Structure) -> None:
        steps = defaultdict[str, set[Join]](set)
        for table in structure.tables:
            for key in table.foreign_keys:
                pairs = tuple(zip(key.columns, key.references, strict=True))
                single = _single(table, key)
                there = Join(table.id, key.table, pairs, Rows.ONE_TO_ONE if single else Rows.MANY_TO_ONE)
                turned = tuple((right, left) for left, right in pairs)
                back = Join(key.table, table.id, turned, Rows.ONE_TO_ONE if single else Rows.ONE_TO_MANY)
                steps[table.id].add(there)
                steps[key.table].add(back)
        self._steps: Mapping[str, tuple[Join, ...]] = {name: tuple(sorted(found)) for name, found in steps.items()}

    def steps(self, table: str) -> tuple[Join, ...]:
        """The joins from a table, in a fixed order."""
        return self._steps.get(table, ())

    def distances(self, target: str, within: int | None = None) -> dict[str, int]:
        """For each table that is joined to `target`, at any depth or `within` so many joins: how many at least."""
        distances = {target: 0}
        frontier = [target]
        while frontier and (within is None or distances[frontier[0]] < within):
            reached = list[str]()
            for table in frontier:
                for join in self.steps(table):
                    if join.right not in distances:
                        distances[join.right] = distances[table] + 1
                        reached.append(join.right)
            frontier = reached
        return distances


def shortest_paths(graph: JoinGraph, start: str, end: str, *, depth: int, paths: int, steps: int) -> Found:
    """At most `paths` simple paths of at most `depth` joins from one table to another one, looking at no more than
    `steps` joins. Of one length, the order is that of the joins; nothing in it is chance."""
    distances = graph.distances(end)
    shortest = distances.get(start)
    if shortest is None or start == end:
        return Found((), shortest)
    found = list[Path]()
    budget = _Budget(steps)
    for length in range(shortest, depth + 1):
        for path in _of_length(graph, start, end, length, distances, budget):
            if len(found) == paths:
                return Found(tuple(found), shortest, Cut.PATHS)
            found.append(path)
        if budget.spent:
            return Found(tuple(found), shortest, Cut.STEPS)
    deeper = shortest > depth or any(_of_length(graph, start, end, depth + 1, distances, budget))
    return Found(tuple(found), shortest, Cut.DEPTH if deeper else Cut.STEPS if budget.spent else None)


def between(graph: JoinGraph, tables: Sequence[str], depth: int) -> list[Path]:
    """One shortest path of at most `depth` joins for each pair of `tables` that has one, shortest first."""
    found = list[Path]()
    for number, end in enumerate(tables):
        distances = graph.distances(end, depth)
        found.extend(_down(graph, start, distances) for start in tables[:number] if start in distances)
    return sorted(found, key=lambda path: (len(path), path))


def _down(graph: JoinGraph, start: str, distances: Mapping[str, int]) -> Path:
    """The first of the shortest paths to where the distance is 0."""
    path, at = list[Join](), start
    while distances[at]:
        join = next(step for step in graph.steps(at) if distances.get(step.right) == distances[at] - 1)
        path.append(join)
        at = join.right
    return tuple(path)


def _single(table: CatalogTable, key: ForeignKey) -> bool:
    """Whether at most one row holds each value of the key: some unique key lies within its columns."""
    columns = set(key.columns)
    return any(unique and columns.issuperset(unique) for unique in (table.primary_key, *table.unique))


@dataclass(slots=True)
class _Budget:
    left: int

    @property
    def spent(self) -> bool:
        return self.left <= 0


def _of_length(
    graph: JoinGraph, start: str, end: str, length: int, distances: Mapping[str, int], budget: _Budget
) -> Iterator[Path]:
    """The simple paths of exactly this many joins, as far as the budget goes, never stepping where the end can't be
    reached in time."""
    path = list[Join]()
    ways = [iter(graph.steps(start))]
    while ways:
        budget.left -= 1
        join = None if budget.spent else next(ways[-1], None)
        if join is None:
            if budget.spent:
                return
            ways.pop()
            if path:
                path.pop()
            continue
        left = length - len(path) - 1
        visited = join.right == start or any(step.right == join.right for step in path)
        if visited or distances.get(join.right, left + 1) > left:
            continue
        if join.right == end:
            if left == 0:
                yield (*path, join)
            continue
        if left:
            path.append(join)
            ways.append(iter(graph.steps(join.right)))

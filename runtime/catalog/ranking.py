"""Which resources a few words mean: ranked, and said whether that is one, several or none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from runtime.catalog.name_index import BEGINS, NEAR, NameIndex
from runtime.catalog.resources import Resource, found
from runtime.catalog.structure import Structure
from runtime.catalog.words import asked, joined

_WORDS_ASKED = 12
_NEAR_LOOKUPS = 2
_IN_TABLE, _IN_SOURCE = 0.6, 0.3  # a column also goes with the words of its table, and everything with its source's
_COMMON = 500  # a word of more entries than this makes no hit by itself where a rarer word makes some
_SOURCE = -1  # the entry that is the source itself
_SCORE_DIGITS = 6


class Tier(IntEnum):
    """How much of the query a resource accounts for, best first."""

    EXACT = 0
    SAME_WORDS = 1
    WORDS_IN_NAME = 2
    WORDS_AROUND = 3
    NEAR = 4
    SOME_WORDS = 5


WHY = {
    Tier.EXACT: "exact name",
    Tier.SAME_WORDS: "same words as its name",
    Tier.WORDS_IN_NAME: "all words in its name",
    Tier.WORDS_AROUND: "all words in its name, table, source or comment",
    Tier.NEAR: "near spelling",
    Tier.SOME_WORDS: "some of the words",
}

Match = Literal["unique", "ambiguous", "none"]
Scored = Mapping[int, tuple[Tier, float]]
Rank = tuple[int, bool, float, int]
"""Tier, whether a column, negative score, number of the source."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A resource, and how well it answers."""

    tier: Tier
    resource: Resource


class Ranked:
    """All hits of a query, best first, tables before columns, then by source and in the order of the structure. They
    are kept as the numbers of entries, rank by rank, since a common word has very many."""

    def __init__(self, indexes: Sequence[NameIndex], ranks: Mapping[Rank, list[int]]) -> None:
        self._indexes = indexes
        self._ranks = sorted((rank, sorted(entries)) for rank, entries in ranks.items())
        self._total = sum(len(entries) for _, entries in self._ranks)

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, part: slice) -> list[Hit]:
        start, stop, _ = part.indices(self._total)
        found, before = list[Hit](), 0
        for rank, entries in self._ranks:
            chosen = entries[max(0, start - before) : max(0, stop - before)]
            found.extend(self._hit(rank, entry) for entry in chosen)
            before += len(entries)
        return found

    def _hit(self, rank: Rank, entry: int) -> Hit:
        index = self._indexes[rank[-1]]
        return Hit(Tier(rank[0]), Resource(index.structure) if entry == _SOURCE else index.resource(entry))

    def verdict(self, most: int) -> tuple[Match, list[Hit]]:
        """Whether the hits mean one resource, and at most `most` candidates when they don't: those that answer equally
        well. A hit that leaves a word unaccounted for, or is only spelled like it, is a candidate and no match."""
        if not self._ranks:
            return "none", []
        best = self._ranks[0][0]
        equal = sum(len(entries) for rank, entries in self._ranks if rank[:2] == best[:2])
        if best[0] <= Tier.WORDS_AROUND and equal == 1:
            return "unique", []
        return "ambiguous", self[: min(most, equal)]


def search(structures: Iterable[Structure], query: str, wanted: Callable[[Resource], bool] | None = None) -> Ranked:
    """The hits in these structures, of the wanted resources only; nothing rather than filler."""
    indexes = [structure.derived(NameIndex) for structure in structures]
    ranks = defaultdict[Rank, list[int]](list)
    for number, index in enumerate(indexes):
        tables = len(index.structure.tables)
        for entry, (tier, score) in _scored(index, query).items():
            if wanted is None or wanted(Resource(index.structure) if entry == _SOURCE else index.resource(entry)):
                ranks[tier, entry >= tables, -score, number].append(entry)
    return Ranked(indexes, ranks)


def _scored(index: NameIndex, query: str) -> Scored:
    whole = joined(query)
    scored = _by_words(index, asked(query)[:_WORDS_ASKED])
    if not any(tier <= Tier.WORDS_AROUND for tier, _ in scored.values()):
        scored |= {entry: (Tier.NEAR, weight) for entry, weight in index.near_name(whole).items()}
    folded = query.strip().casefold()
    exact, same = (Tier.EXACT, 1.0), (Tier.SAME_WORDS, 1.0)
    for entry in index.of_name(whole):
        scored[entry] = exact if index.name(entry).casefold() == folded else same
    if (entry := _of_id(index, query.strip())) is not None:
        scored[entry] = exact
    return scored


def _of_id(index: NameIndex, text: str) -> int | None:
    """The entry of this id, with or without its source."""
    structure = index.structure
    if text.casefold() == structure.source.casefold():
        return _SOURCE
    resource = found(structure, f"{structure.source}/{text.removeprefix(structure.source + '/')}")
    return None if resource is None else index.entry(resource)


def _by_words(index: NameIndex, asked_words: Sequence[str]) -> dict[int, tuple[Tier, float]]:
    """Every entry that goes with the words, its tier and its score."""
    by_word = list[dict[int, float]]()
    near_left = _NEAR_LOOKUPS
    for word in asked_words:
        weights = index.of_word(word)
        if not weights and near_left and word not in index.source_words:
            near_left -= 1
            weights = index.near_word(word)
        by_word.append(weights)
    if len(by_word) == 1:
        graded = {weight: _graded((weight,)) for weight in set(by_word[0].values())}
        return {entry: graded[weight] for entry, weight in by_word[0].items()}
    of_source = [_IN_SOURCE * (word in index.source_words) for word in asked_words]
    return {entry: _graded(_words_of(index, entry, by_word, of_source)) for entry in _candidates(index, by_word)}


def _candidates(index: NameIndex, by_word: Sequence[dict[int, float]]) -> set[int]:
    """The entries worth a look: all of the rarer words, with the columns of their tables that a common word names;
    where there are only common words, those that go with two of them, or all of the rarest."""
    rare = set[int]().union(*(weights for weights in by_word if len(weights) <= _COMMON))
    common = [weights for weights in by_word if len(weights) > _COMMON]
    if rare:
        columns = {column for entry in rare for column in index.columns_of(entry)}
        return rare.union(*(columns & weights.keys() for weights in common))
    if len(common) < 2:
        return set(common[0]) if common else set()
    twice = set[int]()
    for number, weights in enumerate(common):
        twice.update(*(weights.keys() & other.keys() for other in common[number + 1 :]))
    return twice or set(min(common, key=len))


def _words_of(
    index: NameIndex, entry: int, by_word: Sequence[dict[int, float]], of_source: Sequence[float]
) -> list[float]:
    """How well each word of the query goes with an entry, from its own name to that of its source."""
    table = index.table_of(entry)
    return [
        weights.get(entry, 0.0) or (_IN_TABLE if table is not None and table in weights else lent)
        for weights, lent in zip(by_word, of_source, strict=True)
    ]


def _graded(per_word: Sequence[float]) -> tuple[Tier, float]:
    worst, score = min(per_word), round(sum(per_word) / len(per_word), _SCORE_DIGITS)
    if not worst:
        return Tier.SOME_WORDS, score
    if NEAR in per_word:
        return Tier.NEAR, score
    return (Tier.WORDS_IN_NAME if worst >= BEGINS else Tier.WORDS_AROUND), score

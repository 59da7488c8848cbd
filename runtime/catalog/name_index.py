"""The words of all names and comments of one source, made once for a structure."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import ceil, floor

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from runtime.catalog.resources import Resource
from runtime.catalog.structure import CatalogColumn, Structure
from runtime.catalog.words import words

IN_NAME, BEGINS, NEAR, COMMENTED = 1.0, 0.8, 0.7, 0.4
"""How well a resource goes with one word: it stands in the name, begins a word of it, is spelled like one, or stands in
the comment."""

_BEGINNING_CHARS = 3
_NEAR_CHARS = 4
_NEAR_KEPT = 8
_ALIKE = 0.75  # one slip in four letters, two in eight


class NameIndex:
    """Entries are tables and columns by number: the tables in their order, then all their columns."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.source_words = frozenset(words(structure.source))
        self._columns: list[tuple[int, CatalogColumn]] = []
        self._last_column: list[int] = []  # for each table, the entry after its last column
        self._by_name = dict[str, list[int]]()  # a name's words, joined -> the entries of that name
        self._by_word = defaultdict[str, list[list[int]]](list)  # a word -> the entries of each name that has it
        self._by_comment = defaultdict[str, list[int]](list)
        for number, table in enumerate(structure.tables):
            self._add(number, table.name, table.comment)
        for number, table in enumerate(structure.tables):
            for column in table.columns:
                self._add(len(structure.tables) + len(self._columns), column.name, column.comment)
                self._columns.append((number, column))
            self._last_column.append(len(structure.tables) + len(self._columns))
        self._vocabulary = sorted(self._by_word)
        self._names = _by_length(self._by_name)
        self._words = _by_length(self._by_word)

    def _add(self, entry: int, name: str, comment: str) -> None:
        parts = words(name)
        whole = "".join(parts)
        entries = self._by_name.get(whole)
        if entries is None:
            entries = self._by_name[whole] = []
            for word in dict.fromkeys(parts):
                self._by_word[word].append(entries)
        entries.append(entry)
        for word in dict.fromkeys(words(comment)) if comment else ():
            self._by_comment[word].append(entry)

    def resource(self, entry: int) -> Resource:
        """The table or column of this number."""
        tables = self.structure.tables
        if entry < len(tables):
            return Resource(self.structure, tables[entry])
        number, column = self._columns[entry - len(tables)]
        return Resource(self.structure, tables[number], column)

    def entry(self, resource: Resource) -> int:
        """The number of a table or column of this structure."""
        assert resource.table is not None
        table = self.structure.derived(_numbers)[resource.table.id]
        if resource.column is None:
            return table
        return self.columns_of(table)[resource.table.columns.index(resource.column)]

    def name(self, entry: int) -> str:
        """The entry's own name."""
        own = entry - len(self.structure.tables)
        return self.structure.tables[entry].name if own < 0 else self._columns[own][1].name

    def table_of(self, entry: int) -> int | None:
        """The entry of a column's table; None for a table."""
        own = entry - len(self.structure.tables)
        return None if own < 0 else self._columns[own][0]

    def columns_of(self, entry: int) -> range:
        """The entries of a table's columns; of a column there are none."""
        if entry >= len(self.structure.tables):
            return range(0)
        return range(self._last_column[entry] - len(self.structure.tables[entry].columns), self._last_column[entry])

    def of_name(self, whole: str) -> Iterable[int]:
        """The entries whose name has exactly these words, joined."""
        return self._by_name.get(whole, ()) if whole else ()

    def of_word(self, word: str) -> dict[int, float]:
        """The entries that go with a word, and how well."""
        weights = dict.fromkeys(self._by_comment.get(word, ()), COMMENTED)
        for begun in self._begun_by(word) if len(word) >= _BEGINNING_CHARS else ():
            _put(weights, self._by_word[begun], BEGINS)
        _put(weights, self._by_word.get(word, ()), IN_NAME)
        return weights

    def near_word(self, word: str) -> dict[int, float]:
        """The entries with a word spelled like this one."""
        weights = dict[int, float]()
        for found in _alike(word, self._words):
            _put(weights, self._by_word[found], NEAR)
        return weights

    def near_name(self, whole: str) -> dict[int, float]:
        """The entries whose whole name is spelled like this one."""
        weights = dict[int, float]()
        _put(weights, [self._by_name[found] for found in _alike(whole, self._names)], NEAR)
        return weights

    def _begun_by(self, word: str) -> Iterator[str]:
        at = bisect_left(self._vocabulary, word)
        while at < len(self._vocabulary) and self._vocabulary[at].startswith(word):
            yield self._vocabulary[at]
            at += 1


def _numbers(structure: Structure) -> dict[str, int]:
    return {table.id: number for number, table in enumerate(structure.tables)}


def _put(weights: dict[int, float], names: Iterable[list[int]], weight: float) -> None:
    for entries in names:
        weights.update(dict.fromkeys(entries, weight))


def _by_length(texts: Iterable[str]) -> dict[int, list[str]]:
    found = defaultdict[int, list[str]](list)
    for text in texts:
        found[len(text)].append(text)
    return found


def _alike(text: str, known: Mapping[int, list[str]]) -> list[str]:
    """The known texts most like this one, best first, then in the order of the alphabet."""
    if len(text) < _NEAR_CHARS:
        return []
    alike = list[tuple[float, str]]()
    for length in range(ceil(len(text) * _ALIKE), floor(len(text) / _ALIKE) + 1):
        scored = process.extract_iter(
            text, known.get(length, ()), scorer=Levenshtein.normalized_similarity, score_cutoff=_ALIKE
        )
        alike.extend((-score, found) for found, score, _ in scored)
    return [found for _, found in sorted(alike)[:_NEAR_KEPT]]

"""The shapes in which programs write tables as JSON: each is the table that it means, and it is said how."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from runtime.ingest import IngestRefused

Read = Callable[..., Any]


@pytest.mark.parametrize(
    ("content", "rows", "said"),
    [
        pytest.param(
            '{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}',
            [(1, "x"), (2, "y")],
            "object of columns, each by the rows' numbers",
            id="columns-by-row-numbers",
        ),
        pytest.param(
            '{"columns": ["a", "b"], "index": [0, 1], "data": [[1, 2], [3, 4]]}',
            [(1, 2), (3, 4)],
            "a list of columns and a list of rows",
            id="columns-and-rows-apart",
        ),
        pytest.param(
            '{"columns": ["a", "b"], "rows": [[1, 2], [3, 4], [5, 6]]}',
            [(1, 2), (3, 4), (5, 6)],
            "a list of columns and a list of rows",
            id="more-rows-than-columns",
        ),
        pytest.param(
            r'[{"a": "x\ud83dy", "b\udfff": 1}, {"a": "\ud83d\ude00 \\ud800", "b\udfff": 2}]',
            [("x\ufffdy", 1), ("\U0001f600 \\ud800", 2)],
            "characters cut in half (lone surrogates), shown as \ufffd: 3",
            id="characters-cut-in-half",
        ),
        pytest.param(
            '[{"a": 1e99999999999999999999, "b": 1}, {"a": 2.5, "b": 2}]',
            [(None, 1), (2.5, 2)],
            "not finite",
            id="an-exponent-beyond-all-bounds",
        ),
        pytest.param(
            '{"response": {"result": {"items": [{"a": 1}, {"a": 2}]}}}',
            [(1,), (2,)],
            "what is read stands under 'response.result'",
            id="wrapped-several-times",
        ),
        pytest.param(
            '[{"name": "A", "n": 1}, {"name": "B", "n": 2}, {"name": "Total", "n": 3}]',
            [("A", 1), ("B", 2)],
            "row 3 'Total' (equal to the sum of the rows in n)",
            id="a-total-among-the-records",
        ),
        pytest.param(
            '[{"name": "Total", "n": 4}, {"name": "Shell", "n": 2}, {"name": "Eni", "n": 9}]',
            [("Total", 4), ("Shell", 2), ("Eni", 9)],
            "",
            id="a-company-called-total",
        ),
        pytest.param(
            '{"2023": {"sold": 4}, "2024": {"sold": 6}}',
            [("2023", 4), ("2024", 6)],
            "one row for each key",
            id="years-are-no-row-numbers",
        ),
        pytest.param(
            '{"2025-01": [{"day": 1, "sold": 5}, {"day": 2, "sold": 6}], "2025-02": [{"day": 1, "sold": 7}]}',
            [("2025-01", 1, 5), ("2025-01", 2, 6), ("2025-02", 1, 7)],
            "2 lists of records with the same keys put together: key says whose a row is",
            id="a-list-for-each-month",
        ),
        pytest.param(
            '{"sales": {"North": [{"key": "a", "v": 5}], "South": [{"key": "b", "v": 6}, {"key": "c", "v": 7}]}}',
            [("North", "a", 5), ("South", "b", 6), ("South", "c", 7)],
            "key_ says whose a row is",
            id="a-list-for-each-region-whose-records-have-a-key",
        ),
    ],
)
def test_read_as_it_is_meant(read: Read, content: str, rows: list[Any], said: str) -> None:
    table = read(content, "json")
    assert table.rows == rows, table.notes
    assert said in table.notes


@pytest.mark.parametrize(
    "content",
    [
        '{\n "a": 1,\n "b": "x"\n}\n{\n "a": 2,\n "b": "y"\n}\n',
        '{"a": 1, "b": "x"}{"a": 2, "b": "y"}',
        '{"a": 1, "b": "x"},\n{"a": 2, "b": "y"},\n',
    ],
)
def test_objects_one_behind_another_are_records(read: Read, content: str) -> None:
    for kind in ("json", "ndjson"):
        table = read(content, kind)
        assert table.rows == [(1, "x"), (2, "y")]
        assert "objects one behind another" in table.notes


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"a": 1}, {"a": 2},]', "a comma stands before a closing bracket: remove it"),
        ('[{"a": 1,}]', "a comma stands before a closing bracket"),
        ('// made by hand\n[{"a": 1}]', "a comment stands there: remove it"),
        ("[{'a': 1}]", "single quotes are Python's or JavaScript's: save it as JSON"),
        ('load([{"a": 1}]);', "it is a call with JSON inside"),
    ],
)
def test_what_is_nearly_json_is_refused_with_what_to_do(read: Read, content: str, said: str) -> None:
    with pytest.raises(IngestRefused, match=re.escape(said)):
        read(content, "json")


@pytest.mark.parametrize(
    "content", ['[{"id": 1, "qty": 5}, {"id": 2, "qty": 6}]', '{"id": 1, "qty": 5}\n{"id": 2, "qty": 6}\n']
)
def test_json_under_the_name_of_a_csv_is_read_as_json(read: Read, content: str) -> None:
    table = read(content, "csv")
    assert table.rows == [(1, 5), (2, 6)]
    assert "its content is JSON, though its name doesn't say so: read as that" in table.notes


def test_braces_in_a_csv_are_no_json(read: Read) -> None:
    assert read('set,n\n"{""a"": 1}",1\n{b},2\n').rows == [('{"a": 1}', 1), ("{b}", 2)]

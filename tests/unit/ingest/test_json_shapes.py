"""The shapes in which programs write tables as JSON: each is the table that it means, and it is said how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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

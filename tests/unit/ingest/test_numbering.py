"""Versions and sections stay what is written; decimals that people type unevenly stay numbers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

Read = Callable[..., Any]
D = Decimal
_TEXT = "numbered like versions or sections"


@pytest.mark.parametrize(
    ("content", "values"),
    [
        pytest.param("version,n\n1.9,1\n1.10,2\n1.1,3\n", ["1.9", "1.10", "1.1"], id="versions-by-name"),
        pytest.param("section,title\n1.1,a\n1.10,b\n2.1,c\n", ["1.1", "1.10", "2.1"], id="sections-with-gaps-by-name"),
        pytest.param("Release No.,n\n7.2,1\n7.11,2\n8,3\n", ["7.2", "7.11", "8"], id="no-zero-at-an-end"),
        pytest.param("python,n\n3.9,1\n3.10,2\n3.11,4\nn/a,3\n", ["3.9", "3.10", "3.11", "n/a"], id="by-counting-up"),
        pytest.param("nr;text\n1.9;a\n1.10;b\n2;c\n", ["1.9", "1.10", "2"], id="beside-semicolons"),
    ],
)
def test_steps_of_a_numbering_stay_text(read: Read, content: str, values: list[str]) -> None:
    table = read(content)
    name = table.reading.columns[0][0]
    assert table.column(name) == values
    assert f"{name}: {_TEXT}" in table.notes


@pytest.mark.parametrize(
    ("content", "values", "said"),
    [
        pytest.param("price,n\n1.5,1\n1.50,2\n2.25,4\n", [D("1.5"), D("1.5"), D("2.25")], "", id="prices-by-hand"),
        pytest.param("ph,n\n7.9,1\n7.10,2\n7.09,3\n", [D("7.9"), D("7.1"), D("7.09")], "", id="hundredths"),
        pytest.param("version,n\n1.11,1\n2.05,2\n", [D("1.11"), D("2.05")], "", id="as-many-digits-everywhere"),
        pytest.param(
            "price,n\n1.5,1\n1.50,2\n2,4\n",
            [D("1.5"), D("1.5"), D(2)],
            "price: 1.5 and 1.50 are both written and read as one number",
            id="what-shows-neither-is-said",
        ),
    ],
)
def test_decimals_of_uneven_length_stay_numbers(read: Read, content: str, values: list[Any], said: str) -> None:
    table = read(content)
    assert table.column(table.reading.columns[0][0]) == values
    assert said in table.notes
    assert _TEXT not in table.notes


def test_versions_in_a_large_file_stay_text(read: Read) -> None:
    table = read("id,release\n" + "12345678,1.9\n12345678,1.10\n" * 350_000)
    assert table.types["release"] == "VARCHAR"
    assert _TEXT in table.notes

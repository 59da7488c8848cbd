"""Letters whose marks stand apart, as on a Mac, are the same letters: in names, values and groups."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

Read = Callable[..., Any]

TOWNS = ["Köln", "한국", "がいこく", "Ñuñoa"]


def apart(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize("town", TOWNS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_value_written_in_two_ways_is_one_value(read: Read, town: str, encoding: str) -> None:
    text = f"{apart('Größe')},ort\n1,{apart(town)}\n2,{town}\n3,Ulm\n"
    found = read(text.encode(encoding))
    assert [*found.types] == ["Größe", "ort"]
    assert found.rows == [(1, town), (2, town), (3, "Ulm")]
    assert "marks apart" in found.notes or encoding == "utf-16"


def test_so_it_is_in_json(read: Read) -> None:
    found = read(f'[{{"{apart("Größe")}": "{apart("Köln")}"}}, {{"{apart("Größe")}": "Köln"}}]'.encode(), "json")
    assert ([*found.types], found.rows) == (["Größe"], [("Köln",), ("Köln",)])
    assert "marks apart" in found.notes


def test_letters_of_another_encoding_behind_the_first_mebibyte_are_no_marks(read: Read) -> None:
    """In Windows-1252 the bytes of such marks are letters."""
    rows = 120_000
    found = read(b"id,name\n" + b"12345,abc\n" * rows + "1,ÌÍx\n".encode("cp1252"))
    assert len(found.rows) == rows + 1
    assert found.rows[-1] == (1, "ÌÍx")

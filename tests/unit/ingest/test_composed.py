"""Letters whose marks stand apart, as on a Mac, are the same letters: in names, values and groups."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from runtime.ingest.bytescan import CHUNK

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


@pytest.mark.parametrize("town", TOWNS)
@pytest.mark.parametrize("head", [0, CHUNK // 8])
def test_so_it_is_in_a_large_text(read: Read, limits: Any, town: str, head: int) -> None:
    """Wherever it stands, also across the pieces in which a text is looked at."""
    large = replace(limits, repair_bytes=100, whole_types_bytes=100)
    for shift in range(4):
        text = "n,ort\n" + "x" * shift + ",y\n" + "12345,Z\n" * (head - 2) + f"7,{apart(town)}\n8,{town}\n"
        found = read(text.encode(), limits=large)
        assert [row[1] for row in found.rows[-2:]] == [town, town]
        assert "marks apart" in found.notes


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

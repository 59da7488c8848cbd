"""What type a column gets, judged over all its values, and what is said when it stays text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

Read = Callable[..., Any]


def times(*moments: str) -> list[datetime]:
    return [datetime.fromisoformat(moment) for moment in moments]


def column(read: Read, *values: str, quote: bool = False) -> Any:
    """A table of an unremarkable column and the column `v`."""
    cells = [f'"{value}"' if quote or "," in value else value for value in values]
    return read("label,v\n" + "".join(f"r{place}x,{cell}\n" for place, cell in enumerate(cells)))


@pytest.mark.parametrize(
    ("values", "kind", "read_as"),
    [
        (["1", "-2", "0"], "BIGINT", [1, -2, 0]),
        (["9223372036854775807", "9007199254740993"], "BIGINT", [9223372036854775807, 9007199254740993]),
        (["9223372036854775809", "1"], "DECIMAL(38,0)", [Decimal(9223372036854775809), Decimal(1)]),
        (["1", "", "3"], "BIGINT", [1, None, 3]),
        ([" 1", "2 ", "  "], "BIGINT", [1, 2, None]),
        (["1", "2.5"], "DECIMAL(18,1)", [Decimal("1.0"), Decimal("2.5")]),
        (["0.10", "-3.25", ".5", "7."], "DECIMAL(18,2)", [Decimal(x) for x in ("0.10", "-3.25", "0.50", "7.00")]),
        (["12345678901234567.25", "1.5"], "DECIMAL(38,2)", [Decimal("12345678901234567.25"), Decimal("1.50")]),
        (["0.1234567", "1"], "DOUBLE", [0.1234567, 1.0]),
        (["1.5e-3", "1e+20"], "DOUBLE", [0.0015, 1e20]),
        (["true", "FALSE", "True"], "BOOLEAN", [True, False, True]),
        (["2024-02-29", "1999-12-31"], "DATE", [date(2024, 2, 29), date(1999, 12, 31)]),
        (["2024-02-29 10:00", "2024-03-01"], "TIMESTAMP", times("2024-02-29 10:00", "2024-03-01")),
        (["2024-02-29T10:00:01.5"], "TIMESTAMP", times("2024-02-29 10:00:01.5")),
        (
            ["2024-02-29T10:00:00+02:00", "2024-02-29T10:00:00Z"],
            "TIMESTAMP",
            times("2024-02-29 08:00", "2024-02-29 10:00"),
        ),
        (["13/02/2024", "1/2/2024"], "DATE", [date(2024, 2, 13), date(2024, 2, 1)]),
        (["02/13/2024", "1/2/2024"], "DATE", [date(2024, 2, 13), date(2024, 1, 2)]),
        (["31.12.2023", "01.02.2024"], "DATE", [date(2023, 12, 31), date(2024, 2, 1)]),
        (["2024/02/13"], "DATE", [date(2024, 2, 13)]),
        (["Jan 1, 2024", "7 April 2025"], "DATE", [date(2024, 1, 1), date(2025, 4, 7)]),
    ],
)
def test_typed(read: Read, values: list[str], kind: str, read_as: list[Any]) -> None:
    table = column(read, *values)
    assert (table.types["v"], table.column("v")) == (kind, read_as)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["007", "12"], "begin with a zero"),
        (["1", "2", "perhaps"], "1 of 3 values are not plain numbers, e.g. 'perhaps'"),
        (["€5.00", "$6.00"], "several currencies (EUR 1, USD 1)"),
        (["10%", "5"], "some values are percentages and some are not"),
        (["1,5", "2.5"], "not plain numbers"),
        (["1,234.50", "1.234,50"], "not plain numbers"),
        (["(5", "7"], "e.g. '(5'"),
        (["+4915112345678", "5"], "e.g. '+4915112345678'"),
        (["12 34", "5"], "e.g. '12 34'"),
        (["1_000", "1"], "e.g. '1_000'"),
        (["0x1F", "1"], "e.g. '0x1F'"),
        (["1E5", "2", "3"], "e.g. '1E5'"),
        (["03/04/2024", "05/06/2024"], "order of day and month is not decidable"),
        (["13/04/2024", "05/16/2024"], "day and month"),
        (["2024-02-30", "2024-02-01"], "not dates"),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00"], "several ways"),
        (["123456789012345678901234567890123456789012", "1"], "fit no number type"),
    ],
)
def test_kept_as_text_and_said(read: Read, values: list[str], said: str) -> None:
    table = column(read, *values)
    assert (table.types["v"], table.column("v")) == ("VARCHAR", values)
    assert said in table.notes
    assert "kept as text" in table.notes


@pytest.mark.parametrize(
    "values", [["yes", "no"], ["SKU-01234", "SKU-99999"], ["true", "maybe"], ["epoch", "infinity"]]
)
def test_plain_text_needs_no_note(read: Read, values: list[str]) -> None:
    table = column(read, *values)
    assert (table.types["v"], table.column("v"), table.notes) == ("VARCHAR", values, "")


def test_quoted_numbers_are_numbers(read: Read) -> None:
    assert column(read, "1", "2", quote=True).column("v") == [1, 2]


def test_offsets_are_turned_into_utc_and_said(read: Read) -> None:
    assert "UTC" in column(read, "2024-02-29T10:00:00+02:00").notes


@pytest.mark.parametrize(
    ("values", "kind", "read_as", "said"),
    [
        (["1", "2", "n/a"], "BIGINT", [1, 2, None], "1 value 'n/a' is read as missing"),
        (["$5.00", "$6.50"], "DECIMAL(18,2)", [Decimal("5.00"), Decimal("6.50")], "USD ($) taken off 2 values"),
        (["1,234.50", "12.00"], "DECIMAL(18,2)", [Decimal("1234.50"), Decimal("12.00")], "thousands marked by commas"),
        (["1.234,56", "12,00"], "DECIMAL(18,2)", [Decimal("1234.56"), Decimal("12.00")], "decimal comma"),
        (["1 234,5", "-7,25"], "DECIMAL(18,2)", [Decimal("1234.50"), Decimal("-7.25")], "thousands marked by spaces"),
        (["1'234.5", "7.25"], "DECIMAL(18,2)", [Decimal("1234.50"), Decimal("7.25")], "marked by apostrophes"),
        (["1,23,456", "12"], "BIGINT", [123456, 12], "lakh grouping"),
        (["1,234", "5,678"], "BIGINT", [1234, 5678], "the comma is read as a thousands mark"),
        (["10%", "12.5 %"], "DECIMAL(18,3)", [Decimal("0.100"), Decimal("0.125")], "percent read as a fraction"),
        (["(12.00)", "3.00"], "DECIMAL(18,2)", [Decimal("-12.00"), Decimal("3.00")], "parentheses read as negative"),
        (["12.00-", "3.00"], "DECIMAL(18,2)", [Decimal("-12.00"), Decimal("3.00")], "minus behind the number"),
        (["−5", "3"], "BIGINT", [-5, 3], ""),
        (["+5", "3"], "BIGINT", [5, 3], ""),
        (["-$5.00", "$1.00"], "DECIMAL(18,2)", [Decimal("-5.00"), Decimal("1.00")], "USD"),
        (["12 kr", "3 kr"], "BIGINT", [12, 3], "currency kr"),
        (["NaN", "1", "2"], "BIGINT", [None, 1, 2], "not a number"),
        (["-inf", "1.5", "2"], "DECIMAL(18,1)", [None, Decimal("1.5"), Decimal("2.0")], "not finite"),
        (["2024-01-01", "-"], "DATE", [date(2024, 1, 1), None], "read as missing"),
        (["true", "N/A"], "BOOLEAN", [True, None], "read as missing"),
        (["99,999,999,999,999,999,999", "1"], "DECIMAL(38,0)", [Decimal("9" * 20), Decimal(1)], "thousands"),
    ],
)
def test_written_in_another_way(read: Read, values: list[str], kind: str, read_as: list[Any], said: str) -> None:
    table = column(read, *values)
    assert (table.types["v"], table.column("v")) == (kind, read_as)
    assert said in table.notes


def test_words_for_missing_values_stay_in_a_column_of_words(read: Read) -> None:
    assert column(read, "NA", "DE", "None").column("v") == ["NA", "DE", "None"]


def test_three_digits_behind_every_point_are_thousands_where_another_column_has_decimal_commas(read: Read) -> None:
    table = read("item;count;price\nscrew;12.500;0,04\nrod;1.240;2,35\n")
    assert table.column("count") == [12500, 1240]
    assert "the point is read as a thousands mark" in table.notes


def test_three_digits_behind_every_mark_stay_text_where_nothing_decides(read: Read) -> None:
    table = read("item;count;price\nscrew;12.500;4,125\nrod;1.240;2,354\n")
    assert (table.types["count"], table.types["price"]) == ("VARCHAR", "VARCHAR")
    assert "thousands" in table.notes


def test_three_digits_behind_every_point_are_said_elsewhere(read: Read) -> None:
    table = column(read, "1.250", "0.500", "12.125")
    assert table.types["v"] == "DECIMAL(18,3)"
    table = column(read, "1.250", "12.125")
    assert table.types["v"] == "DECIMAL(18,3)"
    assert "not as thousands" in table.notes


def test_digits_that_floating_point_rounds_are_said(read: Read) -> None:
    assert "rounded" in column(read, "123456789.123456789012", "1.5").notes


def big(value: str, last: str) -> str:
    """More than the 8 MiB up to which types are decided at once, all `value` but the last."""
    line = f"{'x' * 90},{value}\n"
    return "label,v\n" + line * (9 * 2**20 // len(line)) + f"end,{last}\n"


@pytest.mark.parametrize(
    ("value", "last", "kind"),
    [
        ("12", "7", "BIGINT"),
        ("12", "3.7", "DECIMAL(18,1)"),
        ("12", "007", "VARCHAR"),
        ("1.25", "1.255", "DECIMAL(18,3)"),
        ("12", "n/a", "BIGINT"),
        ("12", "perhaps", "VARCHAR"),
        ("1.50", "1,234.50", "DECIMAL(18,2)"),
        ("03/04/2024", "13/04/2024", "DATE"),
        ("13/04/2024", "04/13/2024", "VARCHAR"),
        ("", "5", "BIGINT"),
        ("2024-01-01", "2024-01-01 10:00:00", "TIMESTAMP"),
        ("1", " 2 ", "BIGINT"),
    ],
)
def test_a_value_at_the_very_end_of_a_large_file_decides(read: Read, value: str, last: str, kind: str) -> None:
    table = read(big(value, last))
    assert table.types["v"] == kind
    if kind == "VARCHAR":
        assert table.column("v")[-1] == last
        assert "kept as text" in table.notes

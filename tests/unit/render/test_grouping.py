"""Numbers in tables: thousands apart where that helps, never in what names something."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.grouping import Numerals, decimals_of, grouped, may_be_years, numerals_of


@pytest.mark.parametrize(
    ("value", "name", "kind", "shown"),
    [
        (1234567, "amount", "BIGINT", "1,234,567"),
        (-12345, "amount", "INTEGER", "-12,345"),
        (1234.5, "amount", "DOUBLE", "1,234.5"),
        ("1234567.50", "amount", "DECIMAL(18,2)", "1,234,567.50"),
        (Decimal("9876.10"), "amount", "DECIMAL(18,2)", "9,876.10"),
        (2025, "year", "BIGINT", 2025),
        (2025, "ordered", "BIGINT", 2025),
        (123456, "order_id", "BIGINT", 123456),
        (123456, "id", "BIGINT", 123456),
        ("12345", "zip", "VARCHAR", "12345"),
        ("12345", "amount", "VARCHAR", "12345"),
        (True, "amount", "BIGINT", True),
        (None, "amount", "BIGINT", None),
        (float("nan"), "amount", "DOUBLE", float("nan")),
        (1e30, "amount", "DOUBLE", 1e30),
    ],
)
def test_grouping(value, name, kind, shown):
    found = grouped(value, name, kind)
    assert found == shown or (found != found and shown != shown)


@pytest.mark.parametrize(
    ("locale", "shown", "small"),
    [
        ("en-US", "1,234,567.50", "0.50"),
        ("", "1,234,567.50", "0.50"),
        ("xx-YY", "1,234,567.50", "0.50"),
        ("ja-JP", "1,234,567.50", "0.50"),
        ("de-DE", "1.234.567,50", "0,50"),
        ("de_DE", "1.234.567,50", "0,50"),
        ("de-CH", "1’234’567.50", "0.50"),
        ("pt-BR", "1.234.567,50", "0,50"),
        ("es-ES", "1.234.567,50", "0,50"),
        ("es-LA", "1,234,567.50", "0.50"),
        ("fr-FR", "1\u00a0234\u00a0567,50", "0,50"),
        ("en-IN", "12,34,567.50", "0.50"),
    ],
)
def test_a_reader_sees_their_own_numerals(locale, shown, small):
    numerals = numerals_of(locale)
    assert grouped(1234567.5, "amount", "DOUBLE", numerals, decimals=2) == shown
    assert grouped("0.50", "amount", "DECIMAL(18,2)", numerals, decimals=2) in (small, "0.50")
    assert str(grouped("0.50", "amount", "DECIMAL(18,2)", numerals, decimals=2)) == small
    assert grouped(12.5, "zip", "DOUBLE", numerals) == 12.5
    assert grouped("1234.5", "amount", "VARCHAR", numerals) == "1234.5"


@pytest.mark.parametrize(
    ("values", "kind", "decimals"),
    [
        ([12.5, 3, None], "DOUBLE", 1),
        (["12.50", "3.00"], "DECIMAL(18,2)", 2),
        ([0.125, 2.5], "DOUBLE", 0),  # cutting or filling up would change what is known
        ([1, 2], "BIGINT", 0),
        ([None], "DOUBLE", 0),
        (["a", "1.5"], "VARCHAR", 0),
    ],
)
def test_amounts_of_a_column_line_up(values, kind, decimals):
    assert decimals_of(values, "amount", kind) == decimals


@pytest.mark.parametrize(
    ("values", "name", "years"),
    [
        ([2025, 2026, None], "ordered", True),
        ([1429, 85], "orders", False),  # no year of this shop
        ([2025, 2300], "orders", False),
        ([2025, 12], "orders", True),
        ([2025], "figure", False),
        ([1999], "rows", False),
        ([1999], "count(*)", False),
        ([1999], "total_amount", False),
        ([12, 3], "ordered", True),
    ],
)
def test_four_digits_may_be_years_unless_the_column_says_or_shows_otherwise(values, name, years):
    assert may_be_years(values, name, "BIGINT") == years
    shown = grouped(values[0], name, "BIGINT", years=may_be_years(values, name, "BIGINT"))
    assert shown == (values[0] if years else f"{values[0]:,}")


VALUES = st.one_of(st.integers(-(10**30), 10**30), st.floats(), st.text(), st.booleans(), st.none())


LOCALES = st.sampled_from(["", "de-DE", "de-CH", "fr-FR", "en-IN", "pl-PL"])


def read(text: str, numerals: Numerals) -> float:
    """The number that a reader of these numerals reads."""
    return float(text.replace(numerals.between, "").replace(numerals.mark, "."))


@given(
    VALUES, st.text(), st.sampled_from(["BIGINT", "DOUBLE", "VARCHAR", "X"]), LOCALES, st.integers(0, 2), st.booleans()
)
def test_a_grouped_number_is_the_same_number(value, name, kind, locale, decimals, years):
    numerals = numerals_of(locale)
    found = grouped(value, name, kind, numerals, decimals, years=years)
    if isinstance(found, str) and found != value:
        assert read(found, numerals) == pytest.approx(float(value), rel=1e-14)

"""Numbers in tables: thousands apart where that helps, never in what names something."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.grouping import grouped


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


VALUES = st.one_of(st.integers(-(10**30), 10**30), st.floats(), st.text(), st.booleans(), st.none())


@given(VALUES, st.text(), st.sampled_from(["BIGINT", "DOUBLE", "VARCHAR", "X"]))
def test_a_grouped_number_is_the_same_number(value, name, kind):
    found = grouped(value, name, kind)
    if isinstance(found, str) and found != value:
        assert float(found.replace(",", "")) == pytest.approx(float(value), rel=1e-14)

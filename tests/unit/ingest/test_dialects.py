"""Random tables in random dialects are read back with the same values: delimiter, encoding, quoting, marks, dates."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

_WORD = st.text(st.sampled_from("abcXYZ éü,;|\t\"'"), min_size=1, max_size=10).map(lambda text: f"w{text}w")
_AMOUNT = st.decimals(min_value=-(10**7), max_value=10**7, places=2, allow_nan=False)
_DAY = st.dates(date(1990, 1, 1), date(2060, 1, 1))
_MISSING = ("", "n/a", "-", "NULL")


@dataclass(frozen=True)
class Style:
    """How numbers and dates are written."""

    decimal: str
    thousands: str
    grouping: Literal["three", "lakh"]
    currency: str
    negative: str
    day: str
    missing: str

    def amount(self, value: Decimal | None) -> str:
        """1234.5 → '1.234,50 €'."""
        if value is None:
            return self.missing
        whole, _, cents = f"{abs(value):.2f}".partition(".")
        text = self.currency.format(f"{self._grouped(whole)}{self.decimal}{cents}")
        return self.negative.format(text) if value < 0 else text

    def count(self, value: int | None) -> str:
        """12500 → '12.500'."""
        return self.missing if value is None else self._grouped(str(value))

    def _grouped(self, digits: str) -> str:
        head, last = digits[:-3], digits[-3:]
        step = 2 if self.grouping == "lakh" else 3
        first = len(head) % step
        parts = [head[:first], *(head[at : at + step] for at in range(first, len(head), step)), last]
        return self.thousands.join(part for part in parts if part)

    def share(self, value: int | None) -> str:
        """Per mille as percent: 125 → '12.5%'."""
        return self.missing if value is None else f"{value / 10:.1f}%".replace(".", self.decimal)

    def date(self, value: date | None) -> str:
        """In the order of the style."""
        return self.missing if value is None else value.strftime(self.day)


_STYLES = st.builds(
    lambda marks, currency, negative, day, missing: Style(*marks, currency, negative, day, missing),
    st.sampled_from(
        [
            *((".", "", "three"), (".", ",", "three"), (",", "", "three"), (",", ".", "three"), (",", " ", "three")),
            *((".", "'", "three"), (".", "’", "three"), (",", "\N{NO-BREAK SPACE}", "three"), (".", ",", "lakh")),
        ]
    ),
    st.sampled_from(["{}", "{} €", "{} EUR", "{} kr", "€{}", "CHF {}", "${}"]),
    st.sampled_from(["-{}", "({})", "{}-"]),
    st.sampled_from(
        ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d %B %Y", "%d-%m-%Y", "%b %d, %Y", "%d. %B %Y"]
    ),
    st.sampled_from(_MISSING),
    # 'CHF 5.00-' stays text and is said.
).filter(lambda style: not (style.currency.startswith("CHF") and style.negative == "{}-"))


@settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    style=_STYLES,
    rows=st.lists(
        st.tuples(
            *(_WORD, st.none() | _AMOUNT, st.none() | _DAY),
            *(st.none() | st.integers(0, 1_000), st.none() | st.integers(0, 10**8)),
        ),
        min_size=1,
        max_size=6,
    ),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]),
)
def test_the_same_values_come_back(
    read: Callable[..., Any],
    style: Style,
    rows: list[tuple[str, Decimal | None, date | None, int | None, int | None]],
    delimiter: str,
    quoting: Any,
    end: str,
    encoding: str,
) -> None:
    # Rows that settle the order of day and month and what the points and commas mean, the last one so that no lone
    # text stands at the end: it is taken for a remark.
    settles = ("wfirstw", Decimal("12.25"), date(2024, 5, 31), 125, 1_234_567)
    rows = [settles, *rows, settles]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(["label", "amount", "day", "share", "count"])
    writer.writerows([[w, style.amount(a), style.date(d), style.share(s), style.count(c)] for w, a, d, s, c in rows])
    table = read(out.getvalue().encode(encoding))
    assert list(table.types) == ["label", "amount", "day", "share", "count"]
    assert table.column("label") == [row[0] for row in rows]
    assert table.column("amount") == [row[1] for row in rows], table.notes
    assert table.column("day") == [row[2] for row in rows], table.notes
    assert table.column("share") == [None if row[3] is None else Decimal(row[3]) / 1000 for row in rows], table.notes
    assert table.column("count") == [row[4] for row in rows], table.notes

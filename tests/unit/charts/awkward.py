"""Twelve awkward sets of rows, each with what they are drawn as."""

from __future__ import annotations

from datetime import date, timedelta

from runtime.charts import Chart, Field, chart_of

TEXT, NUMBER, DAY = "VARCHAR", "DOUBLE", "DATE"


def _days(count: int, start: date = date(2026, 1, 1)) -> list[str]:
    return [(start + timedelta(days=n)).isoformat() for n in range(count)]


def _chart(kind, columns, rows, title, unit="", additive=False) -> Chart:
    return chart_of(kind, [Field(*column) for column in columns], rows, title=title, unit=unit, additive=additive)


def _gap_days() -> list[tuple]:
    return [
        (day, 100 + n * 0.5 + n % 9 * 2, None if 60 <= n < 76 else 80 + n * 0.6 + n % 5)
        for n, day in enumerate(_days(180))
    ]


SETS = {
    "negatives": lambda: _chart(
        "bar",
        [("region", TEXT), ("2025", NUMBER), ("2024", NUMBER)],
        [("North", 1290, 1180), ("EMEA", 960, 1010), ("APAC", 730, 690), ("Returns", -150, -90), ("Unknown", None, 45)],
        "Revenue by region",
        "kEUR",
        additive=True,
    ),
    "gaps": lambda: _chart(
        "line", [("day", DAY), ("Orders", "BIGINT"), ("Refunds", "BIGINT")], _gap_days(), "Orders per day"
    ),
    "forty_categories": lambda: _chart(
        "bar",
        [("product", TEXT), ("sold", "BIGINT")],
        [(f"Product {n:02}", 4_000 // (n + 1)) for n in range(40)],
        "Pieces sold by product",
        "pieces",
        additive=True,
    ),
    "long_labels": lambda: _chart(
        "stacked_bar",
        [("department", TEXT), ("permanent", "BIGINT"), ("temporary", "BIGINT")],
        [
            ("Department of Environmental Protection and Nature Conservation, North", 41, 12),
            ("Department of Environmental Protection and Nature Conservation, South", 38, 9),
            ("Donaudampfschifffahrtsgesellschaftskapitänskajütenschlüssel", 3, 1),
            ("IT", 24, 2),
        ],
        "People by department and contract, as of the end of March",
        "people",
    ),
    "cjk": lambda: _chart(
        "bar",
        [("地域", TEXT), ("売上", NUMBER)],
        [("北海道", 120), ("東京都", 940), ("大阪府", 610), ("東京都千代田区丸の内一丁目", 88),
         ("서울특별시", 300), ("北京市", 410)],
        "地域別の売上（二〇二六年三月）",
        "万円",
    ),
    "rtl": lambda: _chart(
        "bar",
        [("المدينة", TEXT), ("المبيعات", NUMBER)],
        [("القاهرة", 420), ("الرياض", 380), ("דمשק / ירושלים", 150), ("Dubai دبي", 510)],
        "المبيعات حسب المدينة",
        "USD",
    ),
    "emoji": lambda: _chart(
        "bar",
        [("mood", TEXT), ("votes", "BIGINT")],
        [("😀 happy", 40), ("😐", 12), ("😡 angry", 7), ("👩‍👩‍👧 family", 3)],
        "Votes by mood 🎉",
        "votes",
    ),
    "one_point": lambda: _chart("line", [("day", DAY), ("visits", "BIGINT")], [("2026-03-01", 17)], "Visits"),
    "near_flat": lambda: _chart(
        "line",
        [("month", TEXT), ("price", "DECIMAL(18,2)")],
        [(f"2025-{n:02}", 100 + (n * 7 % 5) / 10) for n in range(1, 13)],
        "Average price per month",
        "EUR",
    ),
    "dates_as_bars": lambda: _chart(
        "bar",
        [("day", DAY), ("orders", "BIGINT")],
        [(day, 10 + n % 7 * 3) for n, day in enumerate(_days(60))][::-1],
        "Orders per day",
    ),
    "two_currencies": lambda: _chart(
        "bar",
        [("month", TEXT), ("currency", TEXT), ("revenue", NUMBER)],
        [
            (month, currency, value)
            for n, month in enumerate(("Jan", "Feb", "Mar", "Apr"))
            for currency, value in (("EUR", 1200 + n * 90), ("JPY", 180_000 - n * 9_000))
        ]
        + [("May", "EUR", 1700)],
        "Revenue by month and currency",
    ),
    "huge_and_tiny": lambda: _chart(
        "bar",
        [("what", TEXT), ("size", NUMBER)],
        [("atom", 1e-10), ("person", 1.7), ("earth", 1.27e7), ("light-year", 9.46e15), ("beyond", 8.8e26)],
        "Sizes",
        "m",
    ),
}  # fmt: skip

MORE = {
    "scatter": lambda: _chart(
        "scatter",
        [("age", "BIGINT"), ("income", NUMBER)],
        [(20 + n % 45, 20_000 + n * 137 % 60_000) for n in range(200)] + [(None, 5.0)],
        "Income by age",
        "EUR",
    ),
    "histogram": lambda: _chart(
        "histogram",
        [("minutes", NUMBER)],
        [(n * n % 97 + n % 7 / 3,) for n in range(400)] + [(None,)],
        "Time to answer",
    ),
    "area": lambda: _chart(
        "area",
        [("month", TEXT), ("a", NUMBER), ("b", NUMBER)],
        [(f"2025-{n:02}", n * 10, 90 - n * 4) for n in range(1, 13)],
        "Stock by warehouse",
        "t",
    ),
    "averages": lambda: _chart(
        "bar", [("city", TEXT), ("mean", NUMBER)], [(f"City {n}", 20 + n % 11) for n in range(45)], "Mean age by city"
    ),
    "years": lambda: _chart(
        "line", [("year", "BIGINT"), ("GDP", NUMBER)], [(2000 + n, 1.2e9 * (n + 3)) for n in range(25)], "GDP", "USD"
    ),
}

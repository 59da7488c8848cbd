"""Grades an answer against the `expect` of a folder question: right, declined (no figure claimed), or wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from runtime.charts import Chart

Grade = Literal["right", "declined", "wrong"]

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?")
_DECLINES = re.compile(
    r"(?i)\bi can't answer that\b|\bi can't do that\b|\bplease answer with one of these\b|\bi can't read\b"
)
_NO_CHART = re.compile(r"(?i)\bi can't draw that as a chart\b")


def numbers_in(text: str) -> list[float]:
    """Every number of the text, marks like [E1] left out."""
    plain = re.sub(r"\[E\d+\]", " ", text)
    return [float(found.replace(",", "").replace("−", "-")) for found in _NUMBER.findall(plain)]


def has_figure(text: str, figure: float, tolerance: float, *, sign_matters: bool = True) -> bool:
    """True when the text shows `figure` within the absolute tolerance."""
    found = numbers_in(text)
    wanted = (figure, -figure) if not sign_matters else (figure,)
    return any(abs(number - value) <= tolerance + 1e-9 for number in found for value in wanted)


def contains(text: str, entry: str) -> bool:
    """True when one of the alternatives of `entry` stands in the text."""
    return any(part.casefold() in text.casefold() for part in entry.split("|"))


def declined(text: str) -> bool:
    """True when the answer says that it gives no figure, or asks back."""
    return bool(_DECLINES.search(text))


def grade(text: str, expect: Mapping[str, Any], charts: Sequence[Chart] = ()) -> Grade:
    """`right` if everything expected is there; `declined` if it claims nothing; else `wrong`."""
    if "chart" in expect and any(_as_wanted(chart, expect) for chart in charts):
        return "right"
    if _matches(text, expect):
        return "right"
    if declined(text):
        return "declined"
    if "chart" in expect and _NO_CHART.search(text) and _charted_figures(text, expect):
        return "declined"
    return "wrong"


def _matches(text: str, expect: Mapping[str, Any]) -> bool:
    if "chart" in expect or bool(expect.get("abstain")) != (bool(expect.get("abstain")) and declined(text)):
        return False
    if any(item.casefold() in text.casefold() for item in expect.get("must_not_contain", ())):
        return False
    either_sign = any("over" in item or "under" in item for item in expect.get("contains", ()))
    tolerance = float(expect.get("tolerance", 0.0))
    figures = all(has_figure(text, f, tolerance, sign_matters=not either_sign) for f in expect.get("figures", ()))
    return figures and all(contains(text, item) for item in expect.get("contains", ()))


def _as_wanted(chart: Chart, expect: Mapping[str, Any]) -> bool:
    """The kind, each label with its values, and the order where the question fixed one."""
    wanted, tolerance = expect["chart"], float(expect.get("tolerance", 0.0))
    found = [_place(chart.labels, label) for label in wanted["labels"]]
    whole = chart.kind == wanted["type"] and len(chart.series) == len(wanted["series"])
    if not whole or len(chart.labels) != len(found) or None in found:
        return False
    places = [place for place in found if place is not None]
    if wanted.get("require_label_order") and places != sorted(places):
        return False
    return all(
        abs((series.values[place] or 0.0) - value) <= tolerance + 1e-9
        for series, one in zip(chart.series, wanted["series"], strict=True)
        for place, value in zip(places, one["values"], strict=True)
    )


def _place(labels: Sequence[str], entry: str) -> int | None:
    alternatives = {part.casefold() for part in entry.split("|")}
    return next((at for at, label in enumerate(labels) if label.casefold() in alternatives), None)


def _charted_figures(text: str, expect: Mapping[str, Any]) -> bool:
    """The words that stand in for a chart must show every value and label that it would have."""
    chart, tolerance = expect["chart"], float(expect.get("tolerance", 0.0))
    values = [value for series in chart["series"] for value in series["values"]]
    return all(has_figure(text, value, tolerance) for value in values) and all(
        contains(text, label) for label in chart["labels"]
    )

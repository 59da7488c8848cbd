"""Charts of awkward data: their specifications are golden, each is drawn, and the words say what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.local.validate.charts import DATA_VISUALIZATION
from bot.render.charts import native
from runtime.charts import Chart, Field, Painter, Series, alt_text, chart_of, spec
from runtime.charts.bins import binned
from runtime.charts.text import keys, width
from runtime.errors import CallError
from tests.unit.charts.awkward import MORE, SETS

GOLDEN = Path(__file__).parent / "golden"
ALL = {**SETS, **MORE}
NATIVE = {"cjk", "rtl", "emoji", "one_point", "near_flat", "huge_and_tiny", "area", "histogram"}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", ALL)
def test_the_specification_is_golden(name) -> None:
    """After a wanted change of the look: `python -m tests.unit.charts.golden`, and look at the pictures."""
    assert json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")) == spec(ALL[name]())


async def test_every_one_is_drawn_fine_enough_for_a_telephone() -> None:
    """Three pixels or more for each of the 360 that a telephone shows; tall ones no finer than that."""
    painter = Painter()
    for make in ALL.values():
        chart = make()
        png = await painter.png(chart)
        assert png.startswith(PNG)
        width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
        assert height >= 800
        assert width == (1080 if spec(chart)["height"] > 900 else 1440)
        assert len(png) > 5_000


def test_no_foreign_text_stands_in_an_expression_or_an_address() -> None:
    rows = [("'+alert(1)+'", 10_000.0), ("https://evil.example", -5.0)]
    chart = chart_of("bar", [Field("href", "VARCHAR"), Field("url", "DOUBLE")], rows, title="{{x}}")
    body = spec(chart)
    drawn = json.dumps({key: value for key, value in body.items() if key not in ("data", "title")})
    assert "datum.value" in drawn
    assert not [key for key in ("url", "href", "transform", "params") if f'"{key}":' in drawn]


@pytest.mark.parametrize("name", ALL)
def test_what_is_native_passes_the_strict_judge(name) -> None:
    block = native(ALL[name]())
    assert (block is not None) == (name in NATIVE)
    if block is not None:
        assert list(DATA_VISUALIZATION(block, "")) == []


def test_a_flat_line_keeps_its_zero_and_is_said() -> None:
    flat = SETS["near_flat"]()
    assert spec(flat)["encoding"]["y"]["scale"]["zero"] is True
    assert "price is nearly flat: 100 to 100.4" in " ".join(spec(flat)["title"]["subtitle"])
    assert "nearly flat" in alt_text(flat)


def test_forty_bars_lie_down_and_the_smallest_become_others() -> None:
    encoding, values = (spec(SETS["forty_categories"]())[key] for key in ("encoding", "data"))
    assert encoding["y"]["type"] == "nominal"
    labels = [row["x"] for row in values["values"]]
    assert len(labels) == 31
    assert labels[-1] == "others (10)"
    assert sum(row["y"] for row in values["values"]) == sum(4_000 // (n + 1) for n in range(40))


def test_averages_are_never_added_up() -> None:
    body = spec(MORE["averages"]())
    assert len(body["data"]["values"]) == 30
    assert "15 others not drawn" in body["title"]["subtitle"][0]


def test_time_is_put_in_order_and_gaps_are_kept() -> None:
    assert list(SETS["dates_as_bars"]().labels) == sorted(SETS["dates_as_bars"]().labels)
    chart = SETS["gaps"]()
    assert chart.scale == "time"
    assert sum(row["y"] is None for row in spec(chart)["data"]["values"]) == 16
    assert "Gaps: 16 values missing." in alt_text(chart)


def test_two_series_get_two_colours() -> None:
    colour = spec(SETS["two_currencies"]())["encoding"]["color"]
    assert (colour["type"], colour["scale"]["domain"]) == ("nominal", ["EUR", "JPY"])


texts = st.text(max_size=60)
values = st.one_of(st.none(), st.floats(-1e100, 1e100))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.one_of(st.none(), texts), values), min_size=1, max_size=50), texts)
def test_any_rows_are_drawn_or_refused_in_words(rows, title) -> None:
    try:
        chart = chart_of("bar", [Field("l", "VARCHAR"), Field("v", "DOUBLE")], rows, title=title or "t")
    except CallError as error:
        assert error.code == "chart_refused"
        return
    json.dumps(spec(chart), allow_nan=False)
    assert Chart.from_json(json.loads(json.dumps(chart.as_json()))) == chart
    assert len(alt_text(chart)) <= 1_000
    block = native(chart)
    assert block is None or list(DATA_VISUALIZATION(block, "")) == []


@given(st.lists(texts, max_size=30, unique=True))
def test_labels_stay_apart_and_short(labels) -> None:
    drawn = keys(labels)
    assert len(set(drawn)) == len(labels)
    assert all(width(line) <= 40 for key in drawn for line in key.split("\n"))


@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=300))
def test_every_value_is_in_one_bar_of_a_histogram(found) -> None:
    edges, labels, counts = binned(found)
    assert sum(counts) == len(found)
    assert len(edges) == len(counts) + 1 == len(labels) + 1
    assert list(edges) == sorted(edges)
    assert len(counts) <= 25
    assert edges[0] <= min(found)
    assert edges[-1] >= max(found)


def test_series_that_are_too_short_are_not_called_flat() -> None:
    chart = Chart("line", "t", "", "x", ("a", "b"), (Series("s", (1.0, 1.0)),))
    assert "flat" not in alt_text(chart)

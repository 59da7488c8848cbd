"""Charts: from a query's rows to a checked drawing, its PNG, and the words for those who cannot see it."""

from runtime.charts.build import chart_of
from runtime.charts.model import MOST_SERIES, Chart, Field, Kind, Series
from runtime.charts.png import NotDrawn, Painter
from runtime.charts.spec import spec
from runtime.charts.words import alt_text, flat_sentences

__all__ = [
    "MOST_SERIES",
    "Chart",
    "Field",
    "Kind",
    "NotDrawn",
    "Painter",
    "Series",
    "alt_text",
    "chart_of",
    "flat_sentences",
    "spec",
]

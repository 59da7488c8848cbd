"""A chart as data: labels and series, without any drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["bar", "line", "area", "stacked_bar", "scatter", "histogram"]
Scale = Literal["category", "ordered", "time", "number"]
MOST_SERIES = 5


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the rows that are drawn: its name and its type in the engine's words."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Series:
    """One value per label, in the labels' order; None is a gap."""

    name: str
    values: tuple[float | None, ...]

    @property
    def present(self) -> tuple[float, ...]:
        """The values that are there."""
        return tuple(value for value in self.values if value is not None)


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn. `labels` are unique but for a scatter; `scale` says what they are: names, names in an order of
    their own, ISO moments, or numbers (then `places` holds them: the x of a scatter, the edges of a histogram's bars,
    one more than there are bars). `additive`: values of several labels may be added up."""

    kind: Kind
    title: str
    unit: str
    label_name: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    scale: Scale = "category"
    places: tuple[float, ...] = ()
    additive: bool = False
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, the inverse of `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Chart:
        """A chart from what `as_json` gave. Raises TypeError on unknown or missing keys."""
        values = dict(body)
        values["series"] = tuple(Series(one["name"], tuple(one["values"])) for one in body["series"])
        for name in ("labels", "places", "notes"):
            values[name] = tuple(values[name])
        return cls(**values)

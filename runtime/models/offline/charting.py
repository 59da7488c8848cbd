"""The chart that a question asks for: which columns of its query are drawn, and as what."""

from __future__ import annotations

from typing import Any

from runtime.models.offline import dialects, results, sql
from runtime.models.offline.catalog import Column
from runtime.models.offline.plan import Dimension, Plan
from runtime.models.offline.tokens import tokenize
from runtime.models.offline.transcript import Turn
from runtime.models.offline.wording import in_its_unit, measured

_TITLE_CHARS, _UNIT_CHARS = 50, 20
_KINDS = {"line": "line", "lines": "line", "bar": "bar", "bars": "bar", "area": "area"}


def wanted(plan: Plan, turn: Turn) -> dict[str, Any] | None:
    """The arguments of `make_chart`, or None when no chart was asked for or the figures have no labels to stand at."""
    keys = [_drawn(dimension, plan) for dimension in plan.dimensions] + [column.name for column in plan.split]
    if not plan.chart or plan.shape not in ("groups", "share") or not plan.dimensions or not 1 <= len(keys) <= 2:
        return None
    words = [token.text.lower() for token in tokenize(turn.question)]
    in_time = plan.dimensions[0].in_time
    cyclic = bool(plan.dimensions[0].bucket) and not in_time
    kind = next((_KINDS[word] for word in words if word in _KINDS), "line" if in_time else "bar")
    spelled = {
        results.dimension_name(one): one.column for one in plan.dimensions if one.column.folds and one.label is None
    }
    names = ", ".join(_label(key, spelled.get(key)) for key in keys)
    order = "1" if in_time or cyclic else f"{results.FIGURE} DESC NULLS LAST, 1"
    order = dialects.in_week_order(dialects.quoted(keys[0])) if keys[0] == "weekday" and cyclic else order
    what = f"share of the {measured(plan)}" if plan.shape == "share" else measured(plan)
    title = f"{what} by {' and '.join(keys)}".replace("`", "")
    title = title[:1].upper() + title[1:]
    unit = "%" if plan.shape == "share" else in_its_unit(plan).aggregate.unit
    return {
        **({"source": plan.table.source} if plan.table.source else {}),
        **({"unit": unit} if 0 < len(unit) <= _UNIT_CHARS else {}),
        "kind": kind,
        "title": title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1].rstrip() + "…",
        "sql": f"SELECT {names}, {results.FIGURE} FROM ({sql.query(plan)}) AS found ORDER BY {order}",
        "note": "drawing the chart",
    }


def _label(key: str, column: Column | None) -> str:
    """The labels of a picture; of a value that is spelled in several ways the most common one, as in the table."""
    usual = {} if column is None else {value.strip().casefold(): value.strip() for value in reversed(column.values)}
    if not usual:
        return dialects.quoted(key)
    cases = [f"WHEN {dialects.text(one)} THEN {dialects.text(said)}" for one, said in usual.items()]
    name = dialects.quoted(key)
    return f"CASE {dialects.folded(name)} {' '.join(cases)} ELSE {name} END AS {name}"


def _drawn(dimension: Dimension, plan: Plan) -> str:
    """A group's place in the picture: its name, unless two groups may bear the same one."""
    named = dimension.label is not None and not dimension.label.shared
    return results.label_name(dimension, plan) if named else results.dimension_name(dimension)

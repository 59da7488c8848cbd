"""Finds rows of an account that name a balance and no movement, so that no sum of movements counts them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from runtime.ingest.numerals import Numeral
from runtime.ingest.totals import number_columns
from runtime.ingest.wording import Noun

_FORWARD = r"(brought|carried) (forward|down|over)"
_DAY = r"(\s*(on|at|as (of|at)|am|per|vom|zum|au|al|del?|op|em)?[\s:]*[0-9][0-9./ -]{3,12})?\s*:?"
_SURE = re.compile(
    r"((opening|closing|beginning|ending|starting|previous|initial|final|statement) balance"
    rf"|balance (forward|{_FORWARD}|[bc]/[fd])|{_FORWARD}|(anfangs|end|schluss|abschluss|eröffnungs|alt|neu|tages)saldo"
    r"|(alter|neuer) (saldo|kontostand)|saldo[- ]?(vortrag|übertrag|alt|neu)|(anfangs|end)bestand"
    r"|solde (initial|final|précédent|reporté|d'ouverture|de clôture)|(ancien|nouveau) solde|report à nouveau"
    r"|saldo (inicial|final|anterior|iniziale|finale|precedente|vorige|begin|eind|do dia)"
    r"|(begin|eind)saldo|(vorig|nieuw) saldo"
    rf"){_DAY}",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    rf"(balance|saldo|solde|kontostand|übertrag|uebertrag|vortrag|[bc]/[fd]|(new|current|available) balance){_DAY}",
    re.IGNORECASE,
)
"""Also names of other things (a transfer, a lecture, a make of shoes): the figures have to prove them."""
_SIGNS = (
    *("balance", "saldo", "solde", "bestand", "kontostand", "vortrag", "bertrag", "brought", "carried", "nouveau"),
    *("b/f", "c/f", "b/d", "c/d"),
)
WORD = re.compile("|".join(_SIGNS).encode(), re.IGNORECASE)
"""What a row that names a balance has somewhere, in bytes."""
_LEAST_MOVES = 2
_SHOWN = 4

Figures = Mapping[int, Decimal]


@dataclass(frozen=True, slots=True)
class Balances:
    """The places of rows that name a balance: those that their figures prove to be no movements, and those that may be
    rows like others."""

    apart: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


def find_balances(rows: Sequence[Sequence[str]], *, comma_likely: bool) -> Balances:
    """The rows that name a balance. Proved are those with nothing but the balance that runs along the other rows, and
    those whose amounts are what the movements between them make of one another."""
    likely = [place for place, row in enumerate(rows) if _may_name_one(row)]
    labelled = [place for place in likely if _label(rows[place], _SURE) or _label(rows[place], _MAYBE)]
    if not labelled or 2 * len(labelled) > len(rows):
        return Balances()
    ways = number_columns(rows, comma_likely=comma_likely)
    figures = [_figures(row, ways) for row in rows]
    same = {at for at in ways if len({row.get(at) for row in figures}) == 1}
    figures = [{at: value for at, value in row.items() if at not in same} for row in figures]
    apart = _beside_running(figures, labelled) or _around_moves(figures, labelled)
    kept = [place for place in labelled if place not in apart and figures[place] and _label(rows[place], _SURE)]
    return Balances(tuple(apart), tuple(kept))


def balances_told(found: Balances, rows: Sequence[Sequence[str]], lines: Sequence[int], noun: Noun) -> list[str]:
    """The notes about rows that name a balance; `lines` says where each row stands."""
    notes: list[str] = []
    if found.apart:
        what = "1 balance row" if len(found.apart) == 1 else f"{len(found.apart):,} balance rows"
        shown = [f"{noun} {lines[place]}: {_content(rows[place])}" for place in found.apart[:_SHOWN]]
        notes.append(f"{what} kept apart, not counted as rows: {'; '.join(shown)}{_more(found.apart)}")
    if found.kept:
        what = "1 row names a balance" if len(found.kept) == 1 else f"{len(found.kept):,} rows name a balance"
        shown = [f"{noun} {lines[place]} {_label(rows[place], _SURE)!r}" for place in found.kept[:_SHOWN]]
        notes.append(f"{what} ({', '.join(shown)}{_more(found.kept)}); kept as rows, so sums and counts include them")
    return notes


def _more(places: Sequence[int]) -> str:
    return f"; and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""


def _content(row: Sequence[str]) -> str:
    return " | ".join(text for cell in row if (text := cell.strip()))


def _may_name_one(row: Sequence[str]) -> bool:
    text = "\n".join(row).lower()
    return any(sign in text for sign in _SIGNS)


def _label(row: Sequence[str], form: re.Pattern[str]) -> str:
    return next((text for cell in row if (text := " ".join(cell.split())) and form.fullmatch(text)), "")


def _figures(row: Sequence[str], ways: Mapping[int, Numeral]) -> dict[int, Decimal]:
    return {at: value for at, way in ways.items() if (value := way.value(row[at].strip())) is not None}


def _beside_running(figures: Sequence[Figures], labelled: Sequence[int]) -> list[int]:
    """Rows that hold no figure but the balance, once or again as their amount, if one column is a balance: from row to
    row, downwards or upwards, it changes by a figure of the row."""
    for at in {at for place in labelled for at in figures[place]}:
        apart = [
            place
            for place in labelled
            if (balance := figures[place].get(at)) is not None
            and all(not value or abs(value) == abs(balance) for value in figures[place].values())
        ]
        if apart and any(_runs(figures, at, set(labelled), step) for step in (1, -1)):
            return apart
    return []


def _runs(figures: Sequence[Figures], at: int, labelled: set[int], step: int) -> bool:
    moves = good = 0
    for place, row in enumerate(figures):
        before = figures[place - step].get(at) if 0 <= place - step < len(figures) else None
        if place in labelled or before is None or at not in row:
            continue
        moves += 1
        good += abs(row[at] - before) in {abs(value) for other, value in row.items() if other != at}
    return good >= _LEAST_MOVES and 10 * good >= 9 * moves


def _around_moves(figures: Sequence[Figures], labelled: Sequence[int]) -> list[int]:
    """Two rows or more with amounts, of which each is the one before it and all movements between them."""
    columns = {at for row in figures for at in row}
    if len(columns) != 1 or len(labelled) < 2 or not all(figures[place] for place in labelled):
        return []
    (at,) = columns
    pairs = list(itertools.pairwise(labelled))
    between = [sum((row.get(at, Decimal(0)) for row in figures[p + 1 : q]), Decimal(0)) for p, q in pairs]
    changes = [figures[q][at] - figures[p][at] for p, q in pairs]
    several = labelled[-1] - labelled[0] - len(pairs) >= _LEAST_MOVES
    upwards = [-change for change in changes]
    return list(labelled) if several and between in (changes, upwards) else []

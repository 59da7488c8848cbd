"""Which table's reading stands: the one that its own words carry best; a question back when two are close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from runtime.models.offline.averages import completed
from runtime.models.offline.catalog import Table
from runtime.models.offline.conditions import no_dates
from runtime.models.offline.links import linked, repeating, with_units
from runtime.models.offline.listing import Listing, base_name
from runtime.models.offline.mentions import names_said, valued
from runtime.models.offline.naming import named
from runtime.models.offline.notes import noted
from runtime.models.offline.plan import Ask, Cannot, Plan, Reading
from runtime.models.offline.ratios import with_ratio
from runtime.models.offline.reading import NOTE_COSTS, read
from runtime.models.offline.related import with_related
from runtime.models.offline.several import with_several
from runtime.models.offline.tokens import Token
from runtime.models.offline.vague import praised

_CLOSE = 0.75
_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """The reading that stands, and the tables whose values are worth looking up before giving up. One that is
    `passing` is of a remark before the last; one `alone` looked like a remark and is a question of its own."""

    reading: Reading
    look_into: tuple[Table, ...] = ()
    words: tuple[str, ...] = ()
    passing: bool = False
    alone: bool = False


def choose(tokens: Sequence[Token], tables: Sequence[Table], listing: Listing, today: date | None) -> Choice:
    """The best reading over all inspected tables, with names beside the ids that it groups by."""
    choice = _chosen(tokens, [with_units(table, tables) for table in tables], listing, today)
    reading = choice.reading
    if not isinstance(reading, Plan):
        return choice
    against = named(reading.against, tables) if reading.against is not None else None
    return replace(choice, reading=noted(completed(named(replace(reading, against=against), tables), tables)))


def _chosen(tokens: Sequence[Token], tables: Sequence[Table], listing: Listing, today: date | None) -> Choice:
    def read_all(said: Sequence[Token]) -> Reading:
        return _chosen(said, tables, listing, today).reading

    held = with_ratio(tokens, read_all) or with_several(tokens, tables, read_all)
    if held is not None and (not isinstance(held, Cannot) or not held.unknown):
        return Choice(held)
    values = valued(tokens, tables)
    names = names_said(tokens, tables)
    readings = [(table, read(tokens, table, today, values, names)) for table in tables]
    whole = [(table, reading) for table, reading in readings if not (isinstance(reading, Cannot) and reading.unknown)]
    best = _best(whole) if whole else None
    related = with_related(tokens, tables, today)
    if related is not None and (best is None or isinstance(best, Cannot) or _excludes(related)):
        return Choice(related)
    if isinstance(best, Ask) and (held := with_several(tokens, tables, read_all, beside=True)) is not None:
        best = held if isinstance(held, Plan) else best
    if best is not None and not isinstance(best, Cannot):
        return Choice(best)
    linking = [(table, wide) for table in tables if (wide := linked(table, tables)) is not None]
    wide = [(table, read(tokens, wide, today, values, names)) for table, wide in linking]
    joined = _best_joined(wide)
    if joined is not None and (best is None or _carries(joined, best)):
        return Choice(joined)
    held = with_ratio(tokens, read_all, asked=True)
    if isinstance(held, Plan):
        return Choice(held)
    if (asked := praised(tokens, tables, read_all)) is not None:
        return Choice(asked)
    if (repeated := repeating(tokens, tables)) is not None:
        return Choice(repeated)
    if best is not None:
        return Choice(best)
    if (reason := _reason(wide)) is not None:
        return Choice(reason)
    return _nearest([*readings, *wide], tokens, listing)


def _excludes(reading: Reading) -> bool:
    """True for rows that no other row may belong to: customers without cancelled orders aren't those of the others."""
    return not isinstance(reading, Plan) or any(item.negated for item in reading.related)


def _carries(joined: Reading, refused: Reading) -> bool:
    """True when the joined reading stands against the refusal of one table: it carries more of the words, or is of the
    same table and finds beside it what that table lacks."""
    same = (
        isinstance(joined, Plan)
        and isinstance(refused, Cannot)
        and joined.table.id == (refused.table or joined.table).id
    )
    undated = isinstance(refused, Cannot) and refused.table and refused.reason == no_dates(refused.table).reason
    if undated and (isinstance(joined, Ask) or (same and isinstance(joined, Plan) and joined.date is not None)):
        return True
    return joined.score > refused.score + _CLOSE or (same and _unnoted(joined) >= refused.score)


def _unnoted(reading: Reading) -> float:
    """How firmly the words carry it, whatever has to be said of it."""
    return reading.score + (NOTE_COSTS * len(reading.basis + reading.assumed) if isinstance(reading, Plan) else 0.0)


def _best_joined(readings: Sequence[tuple[Table, Reading]]) -> Reading | None:
    """The best reading that needs another table. Nothing may be assumed there: words must name the figure."""
    fitting = [
        (table, reading)
        for table, reading in readings
        if not isinstance(reading, Cannot) and not (isinstance(reading, Plan) and reading.aggregate.assumed)
    ]
    return _best(fitting) if fitting else None


def _reason(readings: Sequence[tuple[Table, Reading]]) -> Cannot | None:
    """Why there is no figure although every word has its meaning, by the table that carries the words best."""
    known = [
        (table, reading)
        for table, reading in readings
        if isinstance(reading, Plan) or (isinstance(reading, Cannot) and not reading.unknown)
    ]
    if not known:
        return None
    table, reading = max(known, key=lambda pair: pair[1].score)
    if isinstance(reading, Cannot):
        return replace(reading, table=table)
    return Cannot(f"I can't tell which figure of {table.called} is meant; please name its column.", table)


def _best(readings: Sequence[tuple[Table, Reading]]) -> Reading:
    ranked = sorted(readings, key=lambda pair: (-pair[1].score, _order(pair[1])))
    (table, first), rest = ranked[0], ranked[1:]
    close = [(other, reading) for other, reading in rest if first.score - reading.score < _CLOSE]
    if isinstance(first, Cannot) or not close:
        return first
    rivals = [other for other, reading in close if not isinstance(reading, Cannot)]
    if not rivals:
        return first
    fitting = tuple(_choice(t) for t in (table, *rivals))[:3]
    return Ask("More than one table fits. Which one do you mean?", fitting, first.score)


def _choice(table: Table) -> str:
    """A table's name as an answer to a question back, which is read like any word of a question."""
    return table.name if table.several else table.file if table.source else base_name(table.file)


def _order(reading: Reading) -> int:
    return 0 if isinstance(reading, Plan) else 1 if isinstance(reading, Ask) else 2


def _nearest(readings: Sequence[tuple[Table, Reading]], tokens: Sequence[Token], listing: Listing) -> Choice:
    """No table explains every word: the reason, by the table that explains most of them."""
    missing = [(table, reading) for table, reading in readings if isinstance(reading, Cannot)]
    if not missing:
        return Choice(Cannot("There is no table here that I could read."))
    ranked = sorted(missing, key=lambda pair: (len(pair[1].unknown), -pair[1].score))
    first: dict[str, tuple[Table, Cannot]] = {}
    for table, reading in ranked:
        first.setdefault(table.id, (table, reading))
    ranked = [*first.values()]
    table, nearest = ranked[0]
    near = [pair for pair in ranked if len(pair[1].unknown) <= len(nearest.unknown) + 1][:_LOOKED_AT]
    words = tuple(dict.fromkeys(word for _, reading in near for word in reading.unknown))
    document = next((entry for token in tokens if (entry := listing.named(token)) and entry.kind == "document"), None)
    if document is not None:
        reason = f"That needs understanding {document.name}; ask what it says about a word, and I quote its lines."
        return Choice(Cannot(reason, None))
    pointed = {join.table for other, _ in near for join in other.joins}
    pointed |= {join.table for other, _ in ranked if other.id in pointed for join in other.joins}
    beside = [other for other, _ in ranked if other.id in pointed]
    return Choice(replace(nearest, table=table), tuple(dict.fromkeys([t for t, _ in near] + beside)), words)

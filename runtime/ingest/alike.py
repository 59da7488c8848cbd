"""Numbers that are all written alike, such as 1.234,56 or $5.00: where the first rows are, a large text is read once,
and each value is checked on the way against their pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass

from runtime.ingest.lexical import literal
from runtime.ingest.numerals import Numeral, Shapes, numeral_of, parts_of, read_one_way

_DIGITS = 18  # of the narrow number types


@dataclass(frozen=True, slots=True)
class Alike:
    """Numbers of these `shapes`. All match `pattern` (RE2), have nothing but a minus in front of the text `before`, and
    end with the text `after`."""

    shapes: tuple[str, ...]
    before: str
    after: str
    pattern: str

    def sql(self, numeral: Numeral, value: str) -> str:
        """SQL: the number that a `value` of the pattern writes, in plain notation."""
        for sign in sorted({*self.before, *self.after, numeral.thousands} - {""}):
            value = f"replace({value}, {literal(sign)}, '')"
        return numeral.scaled(f"replace({value}, ',', '.')" if numeral.decimal == "," else value)

    def numeral(self, values: int) -> Numeral:
        """How the numbers are written, with notes about this many values, all of which match the pattern."""
        counts = dict.fromkeys(self.shapes, 0) | {self.shapes[0]: values}
        found = numeral_of(Shapes(counts, {}), "", comma_likely=False)
        assert isinstance(found, Numeral)
        return found


def alike(shapes: Shapes, numeral: Numeral) -> Alike | None:
    """What the numbers of a column, which are written as `numeral` says, have in common. None where they are written in
    ways that have to be counted one by one, or could be read in two, or need a wide type."""
    parts = [parts_of(shape.removeprefix("-")) for shape in shapes.counts]
    around = {(each[0], each[2]) for each in parts if each}
    whole = _DIGITS - numeral.fraction - 2 * numeral.percent
    if numeral.dotted or None in parts or len(around) != 1 or whole < 3:
        return None
    if numeral != numeral_of(shapes, "", comma_likely=False):
        return None
    before, after = around.pop()
    bodies = [each[1] for each in parts if each]
    if not read_one_way(bodies) or re.search("[-+−()]", before + after):
        return None
    grouped = rf"|[1-9][0-9]{{0,2}}({re.escape(numeral.thousands)}[0-9]{{3}}){{1,{(whole - 3) // 3}}}"
    behind = rf"({re.escape(numeral.decimal)}[0-9]{{1,{numeral.fraction}}})?" if numeral.fraction else ""
    plain = rf"(0|[1-9][0-9]{{0,{whole - 1}}}{grouped if numeral.thousands in ''.join(bodies) else ''}){behind}"
    pattern = f"-?{re.escape(before)}{plain}{re.escape(after)}"
    narrow = numeral.type_name() in ("BIGINT", f"DECIMAL({_DIGITS},{_DIGITS - whole})")
    if not narrow or not all(re.fullmatch(pattern, shape) for shape in shapes.counts):
        return None
    return Alike(tuple(shapes.counts), before, after, pattern)

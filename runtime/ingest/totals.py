"""Finds rows that add up others, by label and by sum, so that they are kept apart and nothing counts twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal

from runtime.ingest.numerals import Numeral, Shapes, numeral_of, shape_of
from runtime.ingest.summaries import indented_sums, last_summaries, proved, sums_and_means
from runtime.ingest.wording import Noun

WORDS = (
    r"(grand |overall |sub[- ]?)?totals?|(zwischen|gesamt|end)?summe|gesamt|insgesamt|sum|totale|somme|suma|totaal"
    r"|total général"
)
"""What a total's label begins with, as a regular expression that ignores case. `tally.wat` knows how they begin."""
_OTHER_WORDS = (
    r"(sub|eind)?tota(lt|al|les|le[ns]|li|is|ux|lsumma|lsumme)|summa|i alt|sammenlagt|samtals|yhteensä|välisumma|kokku"
    r"|kopā|(iš )?viso|razem|łącznie|ogółem|(suma|wartość) (końcowa|częściowa|całkowita)|celkem|součet|mezisoučet|spolu"
    r"|(mind)?összesen|végösszeg|részösszeg|(genel |ara )?toplam|ukupno|skupaj|zbir|итого|всего|всього|разом|общо"
    r"|всичко|укупно|подытог|(γενικό |μερικό )?σ[υύ]νολο|jumlah( besar)?|kabuuan|tổng( cộng| số)?"
    r"|合計(金額|額)?|総?合?計|総額|小計|[总總合小共][计計]|[总總][额額]|合[计計]金[额額]|(총|소)?합계|총계|소계"
    r"|(ال)?(مجموع|إجمالي|اجمالي)( الكلي| العام)?"
    r"""|סה["״']{0,2}כ( הכל| כללי)?|סך[- ]הכו?ל|סיכום|รวม(ทั้งสิ้น|ทั้งหมด)?|ยอดรวม|कुल( योग)?|योग|মোট"""
)
LABEL = re.compile(
    rf"({WORDS}|{_OTHER_WORDS})(?!\w)[\s:.：]*(?P<rest>.*)|(?P<before>.+?)(\s+(sub)?total|\s*(合計|小計|合计|小计))[:：]?",
    re.IGNORECASE,
)
"""Words of other languages are told in each row of a small table, and in the last one of a large text."""
LABEL_COLUMNS = 3
_ORNAMENTS = " \t\u00a0*=-_#~<>|•·–—"
_NEAR = Decimal("0.01")
_FEW_ROWS = 2  # of so many the sum may be met by chance
_NEAR_ROWS = 3  # so many rows above a total that isn't quite their sum
_SHOWN = 3
_TOLD = 4
_NOT_ADDED = re.compile(
    r"price|preis|prix|precio|avg|average|mean|median|schnitt|moyen|rate|ratio|quote|share|anteil|part\b|marg[ei]"
    r"|percent|prozent|%|pct|growth|change|yoy|wachstum|per[ _]|pro[ _]|distinct|unique|\bmin|\bmax|score|rank|index",
    re.IGNORECASE,
)
"""How columns are called whose values are not added up."""
_TELLS_A_GROUP = re.compile(
    r"^(sub|grand|overall|zwischen|end)|[\d(]|\b(of|for|per|by|von|für|der|des|de|du)\b", re.IGNORECASE
)

NO_LABEL = "without a label"
"""The label of a last row that lacks what stands first in all others."""


@dataclass(frozen=True, slots=True)
class Total:
    """A row taken for a total: its place among the rows, its label, columns whose value is the sum of the rows it
    covers (or `what` else it gives of them), and columns with another value, as (name, value, sum)."""

    place: int
    label: str
    equal: tuple[str, ...]
    other: tuple[tuple[str, Decimal, Decimal], ...]
    what: str = "sum"


def find_totals(rows: Sequence[Sequence[str]], names: Sequence[str], *, comma_likely: bool) -> list[Total]:
    """The rows that are totals, or other figures about rows. A label alone is not enough: the row must equal a sum of
    rows above it, or leave other labels empty while naming nothing or a group that stands above it."""
    last = last_summaries(rows, {place for place, row in enumerate(rows) if label_of(row)})
    body = [place for place in range(len(rows)) if place not in last]
    apart = _indented([rows[place] for place in body], names, comma_likely=comma_likely)
    found = [replace(total, place=body[total.place]) for total in apart]
    body = [place for place in body if place not in {total.place for total in found}]
    sums = _sums([rows[place] for place in body], names, comma_likely=comma_likely)
    found += [replace(total, place=body[total.place]) for total in sums]
    if body and body[-1] == len(rows) - 1 and body[-1] not in {total.place for total in found}:
        apart = {total.place for total in found}
        found += _nearly([row for place, row in enumerate(rows) if place not in apart], names, comma_likely, body[-1])
    if last:
        plain = [rows[place] for place in body if place not in {total.place for total in found}]
        ways = number_columns(plain, comma_likely=comma_likely) if len(plain) > 1 else {}
        found += [
            Total(place, label, equal, (), what) for place, label, what, equal in proved(rows, last, plain, names, ways)
        ]
    return sorted(found, key=lambda total: total.place)


def doubted(
    rows: Sequence[Sequence[str]], names: Sequence[str], line: int, noun: Noun, *, comma_likely: bool
) -> list[str]:
    """A note about a last row that calls itself a total and is kept, since its figures are no sums of the others."""
    label, pairs = _last_figures(rows, comma_likely=comma_likely)
    if not pairs:
        return []
    (at, value, above), *_ = pairs
    name, total = names[at], sum(above)
    times = {sum(above) / value if value else None for _, value, above in pairs}
    levels = next(iter(times)) if len(times) == 1 else None
    why = f", exactly {levels:f} times that: some of them are sums of others" if levels in (2, 3, 4) else ""
    return [f"{noun} {line} {label!r} kept as a row: {name} says {value:,} where the rows add up to {total:,}{why}"]


def _nearly(rows: Sequence[Sequence[str]], names: Sequence[str], comma_likely: bool, place: int) -> list[Total]:
    """The last row, which stands at `place`, if it calls itself a total and each figure of it is greater than any above
    and near their sum: the file's own total is wrong, or rows are missing."""
    label, pairs = _last_figures(rows, comma_likely=comma_likely)
    likely = all(value > max(above) and 4 * abs(value - sum(above)) <= sum(above) for _, value, above in pairs)
    if not pairs or not likely or len(rows) <= _NEAR_ROWS:
        return []
    equal = tuple(names[at] for at, value, above in pairs if _same(value, sum(above, Decimal(0))))
    other = [(names[at], value, sum(above, Decimal(0))) for at, value, above in pairs]
    return [Total(place, label, equal, tuple(each for each in other if each[0] not in equal))]


def _last_figures(
    rows: Sequence[Sequence[str]], *, comma_likely: bool
) -> tuple[str, list[tuple[int, Decimal, list[Decimal]]]]:
    """The label of a last row that says nothing but that it is a total, and its figures: the place of each, its value
    and the values above."""
    label = label_of(rows[-1]) if len(rows) > 2 else ""
    if not label or any(beside_the_word(label)):
        return "", []
    plain = rows[:-1]
    found: list[tuple[int, Decimal, list[Decimal]]] = []
    for at, way in number_columns(plain, comma_likely=comma_likely).items():
        above = [number for row in plain if (number := way.value(row[at].strip())) is not None]
        if above and (value := way.value(rows[-1][at].strip())) is not None:
            found.append((at, value, above))
    return label, found


def _indented(rows: Sequence[Sequence[str]], names: Sequence[str], *, comma_likely: bool) -> list[Total]:
    if not any(row[0][:1].isspace() for row in rows):
        return []
    ways = number_columns(rows, comma_likely=comma_likely)
    equal = tuple(names[at] for at in ways)
    return [Total(place, rows[place][0].strip(), equal, ()) for place in indented_sums(rows, ways)]


def _sums(rows: Sequence[Sequence[str]], names: Sequence[str], *, comma_likely: bool) -> list[Total]:
    labelled = {place: label for place, row in enumerate(rows) if (label := label_of(row))}
    bare = [place for place in _bare(rows) if place not in labelled]
    gaps = [place for place in _with_gaps(rows, comma_likely=comma_likely) if place not in labelled]
    if not (labelled or bare or gaps) or 2 * len(labelled) > len(rows) > 2:
        return []
    # Rows without a label continue the one above them, unless each of them adds up others: then only the last may.
    for unlabelled in filter(None, (gaps, bare)):
        found = _all_unlabelled(rows, names, labelled, unlabelled, comma_likely=comma_likely)
        if found is not None:
            return found
    ways, texts, plain = _columns(rows, {*labelled, *bare}, comma_likely=comma_likely)
    found = judged(rows, names, labelled, ways, texts)
    if bare == [len(rows) - 1] and (equal := sums_and_means(rows[-1], plain, names, ways)):
        found.append(Total(len(rows) - 1, NO_LABEL, equal, (), "sum or the mean"))
    return found


def _columns(
    rows: Sequence[Sequence[str]], apart: Set[int], *, comma_likely: bool
) -> tuple[dict[int, Numeral], list[int], list[Sequence[str]]]:
    """How the numbers are written, which columns hold labels, and the rows without those `apart`, which tell both."""
    plain = [row for place, row in enumerate(rows) if place not in apart]
    ways = number_columns(plain, comma_likely=comma_likely)
    width = len(rows[0])
    return ways, [at for at in range(width) if at not in ways and any(row[at].strip() for row in plain)], plain


def _all_unlabelled(
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    labelled: Mapping[int, str],
    unlabelled: Sequence[int],
    *,
    comma_likely: bool,
) -> list[Total] | None:
    """The totals, if each of the `unlabelled` rows is one; None if one of them isn't, or may be one by chance only."""
    ways, texts, _ = _columns(rows, {*labelled, *unlabelled}, comma_likely=comma_likely)
    found = judged(rows, names, {**dict.fromkeys(unlabelled, NO_LABEL), **labelled}, ways, texts)
    unnamed = [total for total in found if total.place in unlabelled]
    # One figure in one row without a label may be the sum of those above by chance, unless it is the last.
    last = list(unlabelled) == [len(rows) - 1] and not rows[-1][0].strip()
    sure = len(unlabelled) > 1 or last or any(len(total.equal) > 1 for total in unnamed)
    return found if len(unnamed) == len(unlabelled) and sure else None


def _with_gaps(rows: Sequence[Sequence[str]], *, comma_likely: bool) -> list[int]:
    """The rows that lack one of the labels which all others have: they may add up the rows of their group."""
    ways = number_columns(rows, comma_likely=comma_likely)
    for at in [at for at in range(len(rows[0]) if rows else 0) if at not in ways][1:LABEL_COLUMNS]:
        gaps = [place for place, row in enumerate(rows) if not row[at].strip() and any(cell.strip() for cell in row)]
        if gaps and gaps[0] > 1 and 2 * len(gaps) < len(rows):
            return gaps
    return []


def judged(
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    labelled: Mapping[int, str],
    ways: Mapping[int, Numeral],
    texts: Sequence[int],
) -> list[Total]:
    """Those of the `labelled` rows that are totals. `ways` says how the numbers of a column are written, `texts` which
    columns hold labels. What stands between two labelled rows may be given as one row with its sums."""
    found = [
        total
        for total in _walk(rows, names, labelled, ways, texts)
        if total.label is not NO_LABEL or (total.equal and not total.other)
    ]
    return [*_first(rows, names, labelled, ways, texts, {total.place for total in found}), *found]


def _bare(rows: Sequence[Sequence[str]]) -> list[int]:
    """The rows that lack the label which stands first in most others: they may add them up."""
    found = [place for place, row in enumerate(rows) if not row[0].strip() and any(cell.strip() for cell in row)]
    return found if found and found[0] > 1 and 2 * len(found) < len(rows) else []


def _first(
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    labelled: Mapping[int, str],
    ways: Mapping[int, Numeral],
    texts: Sequence[int],
    known: Set[int],
) -> list[Total]:
    """The first row when it is the proved total of all below it."""
    if 0 not in labelled or 0 in known:
        return []
    below = [row for place, row in enumerate(rows) if place and place not in known]
    totals = _walk([*below, rows[0]], names, {len(below): labelled[0]}, ways, texts)
    return [replace(total, place=0) for total in totals if total.equal and not total.other]


def _walk(
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    labelled: Mapping[int, str],
    ways: Mapping[int, Numeral],
    texts: Sequence[int],
) -> list[Total]:
    found: list[Total] = []
    overall = dict.fromkeys(ways, Decimal(0))
    group = dict.fromkeys(ways, Decimal(0))
    groups: set[str] = set()
    covered = 0
    for place, row in enumerate(rows):
        numbers = {at: value for at, way in ways.items() if (value := way.value(row[at].strip())) is not None}
        if place in labelled and covered:
            total = _judge(place, labelled[place], row, numbers, (group, overall), names, texts, groups, covered)
            if total:
                found.append(total)
                group = dict.fromkeys(ways, Decimal(0))
                continue
        covered += 1
        groups.update(row[at].strip().casefold() for at in texts if row[at].strip())
        for at, value in numbers.items():
            overall[at] += value
            group[at] += value
    return found


def _judge(
    place: int,
    label: str,
    row: Sequence[str],
    numbers: Mapping[int, Decimal],
    sums: tuple[Mapping[int, Decimal], Mapping[int, Decimal]],
    names: Sequence[str],
    texts: Sequence[int],
    groups: Set[str],
    covered: int,
) -> Total | None:
    best = max(sums, key=lambda each: sum(_same(value, each[at]) for at, value in numbers.items()))
    equal = tuple(names[at] for at, value in numbers.items() if _same(value, best[at]))
    other = tuple((names[at], value, best[at]) for at, value in numbers.items() if not _same(value, best[at]))
    proved = any(_same(value, best[at]) and value for at, value in numbers.items())
    behind, before = beside_the_word(label)
    rest = behind or before
    gap = sum(bool(row[at].strip()) for at in texts) <= 1 and (len(texts) > 1 or not numbers)
    if proved and _may_be_a_name(label, row, texts, groups):
        # One figure may be the sum of those above by chance, the more so the fewer they are and if others contradict.
        alike = sum(bool(value) and _same(value, best[at]) for at, value in numbers.items())
        against = sum(_contradicts(*each) for each in other)
        sure = alike > 1 or (label is not NO_LABEL and covered > 1)
        return Total(place, label, equal, other) if sure and alike + (covered > _FEW_ROWS) > against else None
    if proved or (gap and numbers and (not rest or rest in groups)):
        return Total(place, label, equal, other)
    return None


def _contradicts(name: str, value: Decimal, total: Decimal) -> bool:
    """Whether another value than the sum tells against a total: not in a column that isn't added up, nor if rounded."""
    return not _NOT_ADDED.search(name) and abs(value - total) * 200 > abs(total)


def _may_be_a_name(label: str, row: Sequence[str], texts: Sequence[int], groups: Set[str]) -> bool:
    """Whether a row that looks like a total's may be of something called so, such as a company: by words behind the
    label that are no group above, or by other labels that no row above has."""
    behind, _ = beside_the_word(label)
    if behind and behind not in groups and not _TELLS_A_GROUP.search(label):
        return True
    cells = (row[at].strip() for at in texts)
    return any(cell.casefold() not in groups for cell in cells if cell and cell.strip(_ORNAMENTS) != label)


def beside_the_word(label: str) -> tuple[str, str]:
    """What a total's label says behind its word and before it, whatever the case; nothing for what is no label."""
    match = LABEL.fullmatch(label)
    behind, before = (match["rest"] or "", match["before"] or "") if match else ("", "")
    return behind.strip(" :.").casefold(), before.strip(" :.").casefold()


def _same(value: Decimal, total: Decimal) -> bool:
    return abs(value - total) <= _NEAR


def label_of(row: Sequence[str]) -> str:
    """The label of a row that may be a total, else nothing: one of its first cells, none but it filled before."""
    for cell in row[:LABEL_COLUMNS]:
        text = cell.strip(_ORNAMENTS)
        if text and LABEL.fullmatch(text):
            return text
    return ""


def number_columns(rows: Sequence[Sequence[str]], *, comma_likely: bool) -> dict[int, Numeral]:
    """How the numbers of each column that holds only numbers are written."""
    ways: dict[int, Numeral] = {}
    for place in range(len(rows[0]) if rows else 0):
        cells = Counter(shape_of(row[place].strip()) for row in rows)
        del cells[""]
        shapes = Shapes(cells, {})
        way = numeral_of(shapes, "comma" if comma_likely else "point", comma_likely=comma_likely)
        if isinstance(way, Numeral):
            ways[place] = way
    return ways


def told(totals: Sequence[Total], lines: Sequence[int], noun: Noun) -> str:
    """The note about all total rows of a table, each of which stands in one of `lines`, called a `noun`."""
    what = "1 total row" if len(totals) == 1 else f"{len(totals):,} total and subtotal rows"
    if len(totals) == 1 and totals[0].label.casefold().startswith("sub"):
        what = "1 subtotal row"
    shown = [said(total, line, noun) for total, line in zip(totals[:_TOLD], lines, strict=False)]
    more = f"; and {len(totals) - _TOLD} more" if len(totals) > _TOLD else ""
    return f"{what} kept apart, not counted as rows: {'; '.join(shown)}{more}"


def said(total: Total, line: int, noun: Noun = "line") -> str:
    """One clause about a total row: what of it agrees with the rows, and what does not, a record called a `noun`."""
    parts: list[str] = []
    if total.equal:
        parts.append(f"equal to the {total.what} of the rows in {', '.join(total.equal[:_SHOWN])}")
    for name, value, rows in total.other[:_SHOWN]:
        parts.append(f"{name} says {value:,} where the rows add up to {rows:,}")
    return f"{noun} {line} {total.label!r}" + (f" ({'; '.join(parts)})" if parts else "")

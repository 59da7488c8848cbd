"""Rows that other rows point at, or don't: over random rows, counts and rates equal those worked out in plain Python,
and what could mean two things is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.sqlite_tools import Database, converse
from tests.unit.offline.test_random_lines import BUYERS, GOODS, MONTHS, Deal, books, database_of, lines_of
from tests.unit.offline.test_shares import rows_of

MONTH = st.none() | st.sampled_from(MONTHS)


def within(deal: Deal, month: str | None) -> bool:
    return month is None or f"{deal.day:%B}" == month


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.none() | st.sampled_from(["won", "lost"]), MONTH, st.booleans())
async def test_rows_that_no_row_points_at(book: list[Deal], state: str | None, month: str | None, town: bool) -> None:
    deals = f"{state + ' ' if state else ''}deals{f' in {month} 2025' if month else ''}"
    text = await converse(database_of(book), f"How many buyers{' in Rome' if town else ''} have no {deals}?")
    dealing = {deal.buyer for deal in book if (state is None or deal.state == state) and within(deal, month)}
    lacking = [number for number, _, where in BUYERS if number not in dealing and (not town or where == "Rome")]
    assert not declined(text) and has_figure(text, len(lacking), 0), (len(lacking), text)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), MONTH)
async def test_rows_that_a_row_two_steps_away_belongs_to(book: list[Deal], month: str | None) -> None:
    sold = {line.good for line in lines_of(book) if within(line.deal, month)}
    text = await converse(database_of(book), f"Goods without deal lines{f' in {month} 2025' if month else ''}")
    names = {name for number, name, _ in GOODS if number not in sold}
    assert not declined(text), text
    assert {row.split(" | ")[1] for row in rows_of(text)} == names, text


@dataclass(frozen=True)
class Parcel:
    depot: str
    claims: int


PARCELS = st.lists(st.builds(Parcel, st.sampled_from(["North", "South"]), st.integers(0, 3)), max_size=12)


def post_of(parcels: list[Parcel]) -> Database:
    database = Database(
        "CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, depot TEXT, sent_on DATE, currency TEXT, worth INTEGER);"
        "CREATE TABLE claims (claim_id INTEGER PRIMARY KEY, parcel_id INTEGER NOT NULL REFERENCES parcels (parcel_id),"
        " filed_on DATE, currency TEXT);"
    )
    numbered = [*enumerate(parcels, start=1)]
    database.insert("parcels", [(n, p.depot, "2025-01-10", ("EUR", "USD")[n % 2], 10 * n) for n, p in numbered])
    claims = [n for n, parcel in numbered for _ in range(parcel.claims)]
    database.insert("claims", [(at, n, "2025-02-01", ("EUR", "USD")[n % 2]) for at, n in enumerate(claims, start=1)])
    return database


RATES = ("What is the claim rate", "What share of parcels was claimed", "Share of parcels with a claim")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PARCELS, st.sampled_from(RATES), st.booleans())
async def test_a_rate_counts_each_row_once(parcels: list[Parcel], asks: str, grouped: bool) -> None:
    parcels = [Parcel("North", 2), Parcel("South", 0), *parcels]
    text = await converse(post_of(parcels), asks + (" by depot?" if grouped else "?"))
    assert not declined(text), text
    part, whole = Counter[str](), Counter[str]()
    for parcel in parcels:
        name = parcel.depot if grouped else ""
        whole[name] += 1
        part[name] += parcel.claims > 0
    for name, count in whole.items():
        line = next(row for row in rows_of(text) if row.startswith(f"| {name} |")) if grouped else text
        assert has_figure(line, 100 * part[name] / count, 0.006), text
        assert f"| {part[name]} | {count} |" in line or f": {part[name]} of {count} " in line, text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Total worth of parcels without claims in EUR", "whether “EUR” is that of"),
        ("How many parcels without claims at depot South?", "whether “South” is that of"),
        ("How many parcels in January 2025 have no claims?", "whether that time is that of"),
        ("How many parcels without frobnicated claims?", "frobnicated"),
        ("How many parcels have no claims over 5?", "no"),
    ],
)
async def test_what_could_mean_two_things_is_refused(question: str, said: str) -> None:
    text = await converse(post_of([Parcel("North", 2), Parcel("South", 1)]), question)
    assert declined(text) and said in text, text


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How many parcels have no claims?", 1),
        ("How many parcels were never claimed?", 1),
        ("How many parcels weren't claimed?", 1),
        ("How many parcels were claimed?", 2),
        ("How many parcels without claims in February 2025?", 1),
        ("How many parcels without any claims?", 1),
        ("How many claims are there?", 3),
    ],
)
async def test_ways_to_say_it(question: str, right: int) -> None:
    text = await converse(post_of([Parcel("North", 2), Parcel("South", 0), Parcel("South", 1)]), question)
    assert not declined(text) and has_figure(text, right, 0), text


MEMBERS = ("Ada", "ada ", "Bo", "CY", "Cy", "Di")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(MEMBERS), min_size=1, max_size=12))
async def test_people_are_told_apart_by_name_whatever_its_case(names: list[str]) -> None:
    database = Database("CREATE TABLE members (member_id INTEGER PRIMARY KEY, member TEXT NOT NULL);")
    database.insert("members", [*enumerate(names, start=1)])
    for question in ("How many different people are members?", "How many different members are there?"):
        text = await converse(database, question)
        assert has_figure(text, len({name.strip().casefold() for name in names}), 0), text
        assert "rows of one `member`" in text, text
    assert has_figure(await converse(database, "How many members are there?"), len(names), 0)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PARCELS, st.sampled_from(["North", "South"]))
async def test_what_narrows_a_rate_narrows_its_whole(parcels: list[Parcel], depot: str) -> None:
    parcels = [Parcel("North", 2), Parcel("South", 0), *parcels]
    whole = [parcel for parcel in parcels if parcel.depot == depot]
    part = sum(parcel.claims > 0 for parcel in whole)
    for question in (f"Claim rate in the {depot}", f"What share of parcels in the {depot} was claimed?"):
        text = await converse(post_of(parcels), question)
        assert f": {part} of {len(whole)} " in text, text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.sampled_from(GOODS), MONTH)
async def test_how_many_rows_at_the_end_of_a_way_were_met(
    book: list[Deal], wanted: tuple[int, str, str], month: str | None
) -> None:
    number, good, _ = wanted
    met = {line.deal.buyer for line in lines_of(book) if line.good == number and within(line.deal, month)}
    asks = f"How many buyers had deals of good {good}{f' in {month} 2025' if month else ''}?"
    text = await converse(database_of(book), asks)
    assert not declined(text) and has_figure(text, len(met), 0), (len(met), text)


async def test_of_two_kinds_of_rows_it_is_not_guessed_which_lack_the_others() -> None:
    database = database_of([Deal(1, date(2025, 1, 5), "won", ((1, 2),)), Deal(2, date(2025, 2, 5), "lost", ())])
    text = await converse(database, "How many buyers with deals in February 2025 have no deal lines?")
    assert declined(text), text

"""Programs made at random never take the host down. FOOTNOTE_GUEST_PROGRAMS sets how many (1,000 before a release)."""

import asyncio
import dataclasses
import os
import random
from typing import get_args

from guest import Guest
from guest.port import Status
from tests.unit.guest.conftest import LIMITS, NOW, sql

PROGRAMS = int(os.environ.get("FOOTNOTE_GUEST_PROGRAMS", "150"))
ATOMS = [
    *"x y 0 1 -1 2.5 None True [] {} () '' 'é' b'a' 10**20 float('nan') float('inf') range(50) object".split(),
    *"sql table median stdev pearsonr linregress print type len sorted list dict str repr iter next eval exec".split(),
    *"__builtins__ __import__('os') __import__('sys') __import__('json') __import__('gc') globals() locals()".split(),
    *"__import__('wit_world') __import__('re') __import__('datetime').datetime __import__('decimal').Decimal".split(),
    *"(lambda *a, **k: x)|type('T', (), {})()|'rows 5'|'bad'|'\\ud800'|'\\x00'|Exception()|x.__class__.__mro__".split(
        "|"
    ),
]
FORMS = [
    "{a}({b})", "{a}({b}, {c})", "{a}[{b}]", "{a}.__class__({b})", "{a} + {b}", "{a} * {b}", "[{a} for x in {b}]",
    "{a} if {b} else {c}", "getattr({a}, dir({a})[{n} % len(dir({a}))])",
    "getattr({a}, dir({a})[{n} % len(dir({a}))])({b})",
    "{{**{a}}}", "f'{{{a}!r:>{n}}}'", "{a} < {b}", "{a}, *{b}",
]  # fmt: skip
STATEMENTS = [
    "x = {e}", "y = {e}", "{e}", "try:\n    {e}\nexcept Exception as y:\n    x = y", "for x in {e}:\n    y = {f}",
    "def f(a):\n    return {e}\nx = f", "while {e}:\n    x = {f}", "del x", "raise {e}", "class x:\n    y = {e}",
    "with {e} as x:\n    {f}", "x.y = {e}", "x[0] = {e}", "import {m}", "yield {e}", "{e} = 1", "assert {e}",
    "x = (lambda: 0).__code__.replace(co_code=bytes({e2}), co_stacksize={n})\nexec(x)",
]  # fmt: skip


def expression(rng: random.Random, depth: int = 0) -> str:
    if depth > 2 or rng.random() < 0.35:
        return rng.choice(ATOMS)
    parts = {name: expression(rng, depth + 1) for name in "abc"}
    return rng.choice(FORMS).format(**parts, n=rng.randrange(200))


def program(number: int) -> str:
    """A program of a few statements; some are damaged text, most are valid Python with wild objects."""
    rng = random.Random(number)
    lines = ["x = y = 1"]
    for _ in range(rng.randrange(1, 12)):
        lines.append(
            rng.choice(STATEMENTS).format(
                e=expression(rng),
                f=expression(rng),
                e2=[rng.randrange(256) for _ in range(2 * rng.randrange(1, 20))],
                n=rng.randrange(60),
                m=rng.choice(["os", "posix", "gc", "sys", "socket", "wall", "bridge", "zoneinfo", "_io", "nothing"]),
            )
        )
        lines[-1] = (
            lines[-1] if "\n" in lines[-1] or rng.random() < 0.3 else f"try: {lines[-1]}\nexcept Exception: pass"
        )
    source = "\n".join(lines)
    if rng.random() < 0.1:
        source = "".join(c for c in source if rng.random() < 0.97)
    return source


async def test_the_host_survives_every_program(guest: Guest) -> None:
    limits = dataclasses.replace(LIMITS, fuel=200_000_000, error_chars=300, output_chars=500)
    statuses: dict[str, int] = {}
    for first in range(0, PROGRAMS, 4):
        numbers = range(first, min(first + 4, PROGRAMS))
        runs = (guest.run(program(n), sql, now=NOW, seed=n, limits=limits) for n in numbers)
        for result in await asyncio.gather(*runs):
            statuses[result.status] = statuses.get(result.status, 0) + 1
            assert len(result.error) <= 300 and len(result.stdout) <= 500
    assert set(statuses) <= set(get_args(Status)) and len(statuses) > 2 and sum(statuses.values()) == PROGRAMS
    clean = await guest.run("print(1)", sql, now=NOW, seed=1)
    assert (clean.status, clean.stdout) == ("ok", "1\n")

"""What an analyst's program can do, and what it reads when it asks for more."""

import datetime
import decimal
import uuid

import pytest

from guest import Guest
from tests.unit.guest.conftest import NOW, Run, sql

ORDINARY = {
    "statistics": (
        "import statistics as s; print(s.mean([1, 2, 6]), s.quantiles([1, 2, 3, 4]))",
        "3 [1.25, 2.5, 3.75]",
    ),
    "datetime": (
        "import datetime as d; print(d.datetime.strptime('2026-01-31', '%Y-%m-%d').strftime('%d %b'), "
        "d.date(2026, 1, 31) + d.timedelta(days=1))",
        "31 Jan 2026-02-01",
    ),
    "decimal": ("from decimal import Decimal as D; print(D('0.1') + D('0.2'), round(D('2.675'), 2))", "0.3 2.68"),
    "collections": (
        "from collections import Counter, defaultdict, namedtuple, deque\nP = namedtuple('P', 'a b')\n"
        "print(Counter('abca').most_common(1), P(1, 2), deque([1, 2], 1))",
        "[('a', 2)] P(a=1, b=2) deque([2], maxlen=1)",
    ),
    "re": (r"import re; print(re.sub(r'(\d+)-(\d+)', r'\2/\1', 'a 12-34'))", "a 34/12"),
    "json": ("import json; print(json.dumps(json.loads('{\"a\": [1, null]}'), indent=None))", '{"a": [1, null]}'),
    "itertools": ("import itertools as i; print(list(i.pairwise(i.accumulate([1, 2, 3]))))", "[(1, 3), (3, 6)]"),
    "math": ("import math; print(math.isclose(math.exp(math.log(7)), 7), math.comb(5, 2))", "True 10"),
    "zoneinfo": (
        "import datetime as d, zoneinfo as z\n"
        "berlin = z.ZoneInfo('Europe/Berlin')\n"
        "print(d.datetime(2026, 7, 1, tzinfo=berlin).utcoffset(), len(z.available_timezones()) > 400)",
        "2:00:00 True",
    ),
    "textwrap": ("import textwrap; print(textwrap.shorten('one two three', 10))", "one [...]"),
    "csv": ("import csv, io; print(list(csv.DictReader(io.StringIO('a,b\\n1,2'))))", "[{'a': '1', 'b': '2'}]"),
    "dataclasses": ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nprint(A(1))", "A(x=1)"),
    "exec and eval": ("y = 2\nexec('z = y + 1')\nprint(eval('z * 2'), [eval('y') for _ in 'a'])", "6 [2]"),
    "heapq, bisect, fractions": (
        "import heapq as h, bisect as b, fractions as f\n"
        "print(h.nlargest(1, [1, 3]), b.bisect([1, 2], 1), f.Fraction(2, 4))",
        "[3] 1 1/2",
    ),
    "leaving early": ("print('a')\nimport sys\nsys.exit()\nprint('b')", "a"),
    "unicode": ("print('Zürich ✓ \\ud800')", "Zürich ✓ ?"),
}


@pytest.mark.parametrize("name", ORDINARY)
async def test_ordinary_code_works(run: Run, name: str) -> None:
    source, printed = ORDINARY[name]
    result = await run(source)
    assert (result.status, result.stdout, result.error) == ("ok", printed + "\n", "")


async def test_helpers_return_what_they_document_and_leave_out_none(run: Run) -> None:
    result = await run(
        "print(median([3, None, 1]), median([]), stdev([1, 2, None]), stdev([1]))\n"
        "r, p = pearsonr([1, 2, 3, 4, None], [2, 4, 5, 9, 1])\nprint(round(r, 6), round(p, 6))\n"
        "line = linregress([1, 2, 3, 4], [2, 4, 5, 9])\n"
        "print(line.slope, line.intercept, round(line.rvalue, 6), round(line.stderr, 6))\n"
        "print(pearsonr([1, 2], [2, 4]).pvalue, linregress([1, 2, 3], [4, 4, 4]).rvalue)"
    )
    assert result.stdout.splitlines() == [
        "2.0 None 0.7071067811865476 None",
        "0.964764 0.035236",
        "2.2 -0.5 0.964764 0.424264",
        "1.0 0.0",
    ]


@pytest.mark.parametrize("call", ["pearsonr([1, 1], [1, 2])", "linregress([1], [1])", "linregress([1, 2], [1])"])
async def test_helpers_say_why_there_is_no_figure(run: Run, call: str) -> None:
    result = await run(call)
    assert result.status == "error" and "ValueError: " in result.error


async def test_rows_arrive_as_dicts_and_are_counted(run: Run) -> None:
    result = await run("rows = sql('rows 3')\nprint(rows[2], sql('a', source='shop'), sql('b'))")
    assert "{'id': 2, 'grp': 'g2', 'x': 3.0}" in result.stdout
    assert "[{'query': 'a', 'source': 'shop'}] [{'query': 'b', 'source': None}]" in result.stdout
    assert (result.sql_calls, result.sql_rows) == (3, 5) and result.sql_bytes > 60


async def test_cells_arrive_as_numbers_and_text(run: Run) -> None:
    async def typed(query: str, source: str | None):
        moment = datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC)
        cells = [decimal.Decimal("1.50"), decimal.Decimal("2.00"), moment, moment.date(), float("nan"), 10**30]
        cells += [decimal.Decimal("NaN"), b"\x01", uuid.UUID(int=1), datetime.timedelta(minutes=1), ["a"], {"k": None}]
        return ["a"] * len(cells), [cells]

    result = await run("print(*sql('x')[0].items(), sep='\\n')", sql=typed)
    assert result.stdout.splitlines() == [
        "('a', 1.5)",
        "('a_2', 2)",
        "('a_3', '2026-01-02T03:04:00+00:00')",
        "('a_4', '2026-01-02')",
        "('a_5', None)",
        f"('a_6', {10**30})",
        "('a_7', None)",
        "('a_8', '01')",
        "('a_9', '00000000-0000-0000-0000-000000000001')",
        "('a_10', 60.0)",
        "('a_11', ['a'])",
        "('a_12', {'k': None})",
    ]


async def test_a_refused_query_is_an_exception_with_its_text(run: Run) -> None:
    caught = await run("try:\n    sql('bad')\nexcept SqlError as e:\n    print(e)")
    assert caught.stdout == "no table 'bad'; did you mean 'orders'?\n"
    left = await run("x = 1\nsql('bad')")
    assert left.status == "error" and left.error.rstrip().endswith("SqlError: no table 'bad'; did you mean 'orders'?")
    assert "line 2" in left.error and "bridge" not in left.error


async def test_what_breaks_behind_sql_reaches_the_caller(guest: Guest) -> None:
    with pytest.raises(ConnectionError, match="broken"):
        await guest.run("try:\n    sql('broken')\nexcept BaseException:\n    pass", sql, now=NOW, seed=1)


async def test_one_table_is_published(run: Run) -> None:
    result = await run(
        "import datetime, decimal\n"
        "table(['day', 'sum'], [[datetime.date(2026, 1, 2), decimal.Decimal('1.5')], {'sum': None, 'day': 'x'}])"
    )
    assert result.table == (["day", "sum"], [["2026-01-02", 1.5], ["x", None]])
    assert result.stdout == ""


@pytest.mark.parametrize(
    "call",
    [
        "table(['a'], [[1]]); table(['a'], [[1]])",
        "table(['a'], [[1]] * 1001)",
        "table(['a'], [['x' * 1000]] * 300)",
        "table(['a'], [[1, 2]])",
        "table(['a'], [[object()]])",
        "table([], [])",
    ],
)
async def test_a_table_beyond_the_bounds_is_refused(run: Run, call: str) -> None:
    result = await run(call)
    assert result.status == "error" and ("table()" in result.error or "cells" in result.error)


async def test_a_forged_table_is_no_table(run: Run) -> None:
    result = await run(
        "import wit_world\nfor text in ['{}', '[', '{\"columns\": [\"a\"], \"rows\": [[[]]]}', '[' * 50000]:\n"
        "    print(wit_world.emit('t' + text))"
    )
    assert result.stdout == "False\n" * 4 and result.table is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pandas", "sql(query)"),
        ("numpy.linalg", "sql(query)"),
        ("matplotlib.pyplot", "table(columns, rows)"),
        ("requests", "no network"),
        ("urllib.request", "no network"),
        ("sqlite3", "sql(query)"),
        ("subprocess", "one thread"),
        ("asyncio", "one thread"),
        ("pytz", "zoneinfo"),
        ("somebody_elses", "statistics, math, datetime"),
    ],
)
async def test_a_missing_module_says_what_exists_instead(run: Run, name: str, hint: str) -> None:
    result = await run(f"import {name}")
    assert result.status == "error" and "ModuleNotFoundError" in result.error and hint in result.error


async def test_the_traceback_shows_the_program_and_nothing_of_ours(run: Run) -> None:
    result = await run("def share(a, b):\n    return a / b\n\nshare(1, 0)\n")
    assert result.error.splitlines() == [
        "Traceback (most recent call last):",
        '  File "program.py", line 4, in <module>',
        "    share(1, 0)",
        '  File "program.py", line 2, in share',
        "    return a / b",
        "           ^^^^^",
        "ZeroDivisionError: division by zero",
    ]
    broken = await run("total = (1 +\n")
    assert broken.status == "error" and "SyntaxError: '(' was never closed" in broken.error


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("def f(:", 1, "invalid syntax"),
        ("x = 1\nif (x == 1:\n    pass", 2, "invalid syntax"),
        ("class A(:\n    pass", 1, "invalid syntax"),
        ("whille True: pass", 1, "invalid syntax"),
        ("d = {'a': 1 'b': 2,\n     'c': 3}", 1, "invalid syntax. Perhaps you forgot a comma?"),
        ("rows = sql('rows 3'\nprint(rows)", 1, "'(' was never closed"),
        ("print(1))", 1, "unmatched ')'"),
    ],
)
async def test_a_program_that_does_not_parse_is_told_where(run: Run, source: str, line: int, message: str) -> None:
    result = await run(source)
    assert result.status == "error"
    shown = result.error.splitlines()
    assert shown[0] == f'  File "program.py", line {line}' and shown[-1] == f"SyntaxError: {message}"
    caught = await run(
        f"import traceback\ntry:\n    compile({source!r}, 'x', 'exec')\n"
        "except SyntaxError:\n    print(traceback.format_exc())"
    )
    assert f"SyntaxError: {message}" in caught.stdout


async def test_output_before_an_error_is_kept(run: Run) -> None:
    result = await run("print('first')\n1 / 0")
    assert (result.status, result.stdout) == ("error", "first\n")


async def test_the_moment_is_the_given_one(run: Run) -> None:
    result = await run(
        "import datetime as d, time, zoneinfo as z\n"
        "print(d.datetime.now(), d.date.today(), d.datetime.now(d.timezone.utc))\n"
        "print(d.datetime.now(z.ZoneInfo('America/New_York')), time.time(), time.strftime('%H:%M'))\ntime.sleep(9)"
    )
    assert result.stdout.splitlines() == [
        "2026-03-04 05:06:07 2026-03-04 2026-03-04 04:06:07+00:00",
        "2026-03-03 23:06:07-05:00 1772597167.0 05:06",
    ]

"""Programs that attack a limit or the wall end with the right status; the next run is clean, the host stays healthy."""

import dataclasses

import pytest

from guest import Guest
from tests.unit.guest.conftest import LIMITS, NOW, Run, sql

ENDED = {
    "endless loop": ("while True:\n    pass", "fuel"),
    "a loop that catches everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "fuel",
    ),
    "power tower": ("9 ** 9 ** 8", "fuel"),
    "growing product": ("x = 3\nwhile True: x *= x + 1", "fuel"),
    "regular expression": ("import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", "fuel"),
    "printing for ever": ("while True: print('x' * 100)", "fuel"),
    "a huge array": ("x = bytearray(10 ** 9)", "memory"),
    "a growing text": ("x = 'x' * 1000\nwhile True: x += x", "memory"),
    "a list that doubles": ("x = [0]\nwhile True: x += x", "memory"),
    "a huge field": ("f'{1:>999999999}'", "memory"),
    "endless precision": ("from decimal import *\ngetcontext().prec = MAX_PREC\nDecimal(1) / 3", "memory"),
    "a factorial": ("import math\nmath.factorial(10 ** 7)", "fuel"),
    "a packed bomb": ("import zlib\nzlib.decompress(zlib.compress(b'0' * 10 ** 8))", "fuel"),
    "sleeping for ever": ("import time\nwhile True: time.sleep(1)", "fuel"),
    "plain recursion": ("def f(): return f()\nf()", "error"),
    "recursion beyond the raised limit": ("import sys\nsys.setrecursionlimit(10 ** 8)\ndef f(): f()\nf()", "stack"),
    "recursion through C": ("def f(n): return max(map(f, [n + 1]))\nf(0)", "error"),
    "recursion through C beyond the raised limit": (
        "import sys\nsys.setrecursionlimit(10 ** 8)\ndef f(n): return max(map(f, [n + 1]))\nf(0)",
        "stack",
    ),
    "freeing a deep chain": ("x = iter(())\nfor _ in range(100000): x = map(int, x)\ndel x", "stack"),
    "nested json": ("import json\njson.loads('[' * 100000 + ']' * 100000)", "stack"),
    "nested repr": ("x = []\nfor _ in range(100000): x = [x]\nrepr(x)", "stack"),
    "nested parentheses": ("eval('(' * 1000 + ')' * 1000)", "memory"),
    "unary bomb": ("eval('-' * 100000 + '1')", "memory"),
    "a long number as text": ("print(int('9' * 5000))", "error"),
    "sql flood": ("while True: sql('rows 1')", "error"),
    "sql flood that catches": ("while True:\n    try: sql('rows 1')\n    except Exception: pass", "sql_flood"),
    "emit flood": ("import wit_world\nwhile True: wit_world.emit('oxxxxxxxxxxxxxxxxxxxxx')", "output"),
    "emit flood of nonsense": ("import wit_world\nwhile True: wit_world.emit('')", "output"),
    "too many rows": ("sql('rows 10001')", "error"),
    "too large an answer": (f"sql('chars {4 * 1024 * 1024}')", "error"),
    "too much in all": ("for _ in range(5): sql('chars 4000000')", "error"),
    "sql with a number": ("sql(5)", "error"),
    "sql with half a character": ("sql('\\ud800')", "error"),
    "raw sql with a number": ("import wit_world\nwit_world.sql(5, None)", "trap"),
    "a program with half a character": ("print('\ud800')", "error"),
    "reading a file": ("open('/etc/passwd')", "error"),
    "reading through io": ("import io\nio.FileIO('/etc/passwd')", "error"),
    "reading through pathlib": ("import pathlib\npathlib.Path('/etc/passwd').read_text()", "error"),
    "reading as an importer does": (
        "import importlib.machinery as m\nm.SourceFileLoader('a', '/etc/passwd').get_data('/etc/passwd')",
        "error",
    ),
    "listing a folder": ("import os\nos.listdir('/')", "error"),
    "the working folder": ("import os\nos.getcwd()", "error"),
    "leaving at once": ("import os\nos._exit(0)", "error"),
    "abort": ("import os\nos.abort()", "error"),
    "input": ("input()", "error"),
    "writing a file": ("open('a', 'w')", "error"),
    "deleting a file": ("import os\nos.remove('/etc/passwd')", "error"),
    "the system's own open": ("import posix\nposix.open('/etc/passwd', 0)", "error"),
    "a shell": ("import os\nos.system('id')", "error"),
    "a shell found in a class": (
        "[c for c in object.__subclasses__() if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('id')",
        "error",
    ),
    "an importer of its own": (
        "import sys, importlib.machinery as m\nsys.meta_path[:] = [m.PathFinder]\nsys.path[:] = ['/']\n"
        "sys.path_hooks[:] = [m.FileFinder.path_hook((m.SourceFileLoader, ['.py']))]\nimport anything",
        "error",
    ),
    **{
        f"a fresh {name}": (
            "import sys, importlib.machinery as m\nsys.meta_path[:] = [m.BuiltinImporter, m.FrozenImporter]\n"
            f"sys.modules.pop('{name}', None)\nimport {name}\nprint({name}.{call})",
            "trap",
        )
        for name, call in {
            "posix": "listdir('/')",
            "_io": "open('/etc/passwd').read()",
            "time": "time()",
            "_socket": "socket()",
        }.items()
    },
    "a mistake in a file's name": ("compile('x = (', '/etc/passwd', 'exec')", "error"),
    "a mistake inside exec": ("exec('x = (')", "error"),
    "network": ("import socket", "error"),
    "network by the import function": ("__import__('socket')", "error"),
    "a page of the network": ("import urllib.request", "error"),
    "the loop of the network": ("import asyncio", "error"),
    "a database of its own": ("import sqlite3", "error"),
    "compiled packages": ("import numpy", "error"),
    "signals": ("import signal", "error"),
    "a process": ("import subprocess", "error"),
    "a process by its inner part": ("import _posixsubprocess", "error"),
    "foreign functions": ("import ctypes", "error"),
    "the fault handler": ("import faulthandler", "error"),
    "a thread": ("import threading\nthreading.Thread(target=print).start()", "error"),
    "pickle": ("import pickle\npickle.loads(b\"cposix\\nsystem\\n(S'id'\\ntR.\")", "error"),
    "walking to file classes": (
        "import io\n[c for c in io.RawIOBase.__subclasses__() if 'File' in c.__name__][0]('/etc/passwd')",
        "error",
    ),
    "forged bytecode": (
        "def f(): pass\n"
        "f.__code__ = f.__code__.replace(co_code=bytes([100, 200] * 50 + [255] * 18), co_stacksize=1)\nf()",
        "trap",
    ),
    "an exception without text": (
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
        "error",
    ),
    "an interrupt": ("raise KeyboardInterrupt", "error"),
    "leaving with a failure": ("import sys\nsys.exit(3)", "error"),
    "a program that is too long": ("#" * 32_001, "source_too_large"),
    "a program with too many bytes": ("#" + "é" * 16_000, "source_too_large"),
}


@pytest.mark.parametrize("name", ENDED)
async def test_it_ends_within_limits_and_the_next_run_is_clean(run: Run, name: str) -> None:
    source, status = ENDED[name]
    result = await run(source)
    assert result.status == status, result.error
    assert result.error and len(result.error) <= LIMITS.error_chars
    assert len(result.stdout) <= LIMITS.output_chars and result.fuel_used <= LIMITS.fuel
    assert (await run("print(sum(range(10)))")).stdout == "45\n"


async def test_honest_depth_fits_the_stack(run: Run) -> None:
    result = await run(
        "import json, sys\nsys.setrecursionlimit(10 ** 6)\nx = []\nfor _ in range(3000): x = [x]\n"
        "def f(n): return 0 if n == 0 else max(map(f, [n - 1]))\n"
        "print(len(json.loads('[' * 3000 + ']' * 3000)), len(repr(x)), f(800))"
    )
    assert (result.status, result.stdout) == ("ok", "1 6002 0\n")


async def test_output_is_cut_and_said(run: Run) -> None:
    result = await run("for i in range(5000): print('line', i)")
    assert result.status == "ok" and result.truncated and len(result.stdout) == 16_000


async def test_the_program_learns_of_its_last_query(run: Run) -> None:
    result = await run("for n in range(30):\n    sql('rows 1')")
    assert "at most 25 queries" in result.error and result.sql_calls == 26


async def test_the_reason_tells_what_to_do(run: Run) -> None:
    assert "aggregate in SQL" in (await run("sql('rows 10001')")).error
    assert "LIMIT" in (await run("sql('rows 10001')")).error
    assert "fewer columns" in (await run(f"sql('chars {4 * 1024 * 1024}')")).error


async def test_long_errors_are_shortened_to_their_head_and_end(run: Run) -> None:
    result = await run("raise ValueError('a' * 90000 + 'the end')")
    assert len(result.error) <= 4_000 and result.error.startswith("Traceback") and "the end" in result.error


async def test_a_program_that_waits_too_long_for_itself_times_out(guest: Guest) -> None:
    short = dataclasses.replace(LIMITS, wall_s=2.0, fuel=10**15)
    result = await guest.run("print('before')\nwhile True: pass", sql, now=NOW, seed=1, limits=short)
    assert (result.status, result.stdout) == ("timeout", "before\n")


async def test_the_environment_and_the_file_system_look_empty(run: Run) -> None:
    result = await run("import os\nprint(dict(os.environ), os.getenv('HOME'), os.path.exists('/etc/passwd'))")
    assert result.stdout == "{} None False\n"


async def test_nothing_is_carried_over(run: Run) -> None:
    spoil = (
        "import builtins, json, statistics, datetime, random, sys\nbuiltins.print = None\njson.dumps = None\n"
        "builtins.leak = sql.__globals__['leak'] = statistics.leak = 1\nsys.modules['leaked'] = json\nrandom.seed(5)"
    )
    look = (
        "import builtins, json, statistics, sys\n"
        "print(hasattr(builtins, 'leak'), 'leak' in sql.__globals__, hasattr(statistics, 'leak'), json.dumps([1]), "
        "'leaked' in sys.modules)"
    )
    before = await run(look)
    assert (await run(spoil)).status == "ok"
    after = await run(look)
    assert before.stdout == after.stdout == "False False False [1] False\n"
    assert before.fuel_used == after.fuel_used

"""Run every bench_*.py (or those named on the command line) in a process of its own and print one table.

`python -m tests.bench` runs all, `python -m tests.bench guard boundary` those two, `--strict` fails on a missed bar.
Each module exposes `def run() -> list[Row]`. A process each, so that what one imports doesn't warm or burden the next.
"""

import argparse
import dataclasses
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.row import Row

FOLDER = Path(__file__).parent


def available() -> list[str]:
    """Names of the benchmarks, without prefix and suffix, in order."""
    return sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def measure(name: str) -> list[Row]:
    """Run one benchmark in a fresh interpreter; raises CalledProcessError when it fails (its stderr is shown)."""
    command = [sys.executable, "-m", "tests.bench", "--child", name]
    done = subprocess.run(command, cwd=FOLDER.parent.parent, check=True, stdout=subprocess.PIPE, text=True)
    return [Row(**row) for row in json.loads(done.stdout.splitlines()[-1])]


def table(rows: list[Row]) -> str:
    """The rows as aligned text."""
    head = ("measured", "value", "unit", "bar", "", "baseline of this run")
    body = [
        (
            row.name,
            f"{row.value:,.2f}",
            row.unit,
            "-" if row.bar is None else f"{row.bar:,.2f}",
            "ok" if row.met else "MISSED",
            row.baseline,
        )
        for row in rows
    ]
    widths = [max(len(line[i]) for line in (head, *body)) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in (head, *body)
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 when a benchmark failed, or a bar was missed under --strict."""
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(available())}")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument("--child", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        rows = importlib.import_module(f"tests.bench.bench_{options.child}").run()
        print(json.dumps([dataclasses.asdict(row) for row in rows]))
        return 0
    unknown = set(options.names) - set(available())
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    rows, failed = [], []
    for name in options.names or available():
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        try:
            rows += measure(name)
        except subprocess.CalledProcessError as error:
            failed.append(f"{name} failed with exit code {error.returncode}")
    print(table(rows))
    met = f"{sum(row.met for row in rows)} of {len(rows)} within their bar"
    print(f"\n{met}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")
    print("\n".join(failed), end="\n" if failed else "")
    return 1 if failed or (options.strict and not all(row.met for row in rows)) else 0


if __name__ == "__main__":
    sys.exit(main())

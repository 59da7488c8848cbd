"""Reading a sheet of 100,000 rows and 5 columns right, against calamine giving its values alone."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import xlsxwriter

from runtime.ingest import FileJob, ReadWorkbook
from runtime.ingest.reader import FileReader
from runtime.limits import DEFAULT
from tests.bench.row import Row

ROWS = 100_000
_NEW_YEAR = 45_292
"""The serial of 2024-01-01."""
RUNS = 3
_BARE = """
import sys, python_calamine
python_calamine.CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0).to_python()
"""


def write(path: Path) -> None:
    """Ids, labels, money, dates and percentages."""
    draw = random.Random(7)
    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        sheet = book.add_worksheet("Data")
        day, share = (book.add_format({"num_format": code}) for code in ("yyyy-mm-dd", "0%"))
        sheet.write_row(0, 0, ["id", "customer", "amount", "day", "rate"])
        for row in range(1, ROWS + 1):
            sheet.write_number(row, 0, row)
            sheet.write_string(row, 1, f"customer {draw.randrange(5_000)}")
            sheet.write_number(row, 2, draw.randrange(100, 99_999) / 100)
            sheet.write_number(row, 3, _NEW_YEAR + draw.randrange(300), day)
            sheet.write_number(row, 4, draw.randrange(100) / 100, share)


async def read(path: Path, store: Path) -> float:
    """Reads with a new reader process and an empty store; gives the reader's peak memory in MB."""
    reader = FileReader(DEFAULT)
    job = FileJob(str(path.parent), path.name, "workbook", str(store))
    found, _ = await reader.read(job, path.stat().st_size)
    assert isinstance(found, ReadWorkbook) and found.tables[0].rows == ROWS
    peak = reader.peak_bytes() / 2**20
    await reader.close()
    return peak


def run() -> list[Row]:
    """Both sides start their process each time, so that start-up is in both figures."""
    bare: list[float] = []
    ours: list[float] = []
    peaks: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "sheet.xlsx"
        write(path)
        for turn in range(RUNS):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", _BARE, str(path)], check=True)
            bare.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            peaks.append(asyncio.run(read(path, Path(name) / f"store{turn}")))
            ours.append(time.perf_counter() - begun)
    return [
        Row("XLSX of 100,000 x 5 cells read right", min(ours), "s", 6, f"{min(bare):.2f} s for the values alone"),
        Row("peak memory of the reader of sheets", max(peaks), "MB", 1_024, "resident size"),
    ]

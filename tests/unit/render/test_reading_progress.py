"""A large file's progress as a person sees it: a percentage in Slack's status, a bar in the terminal."""

from __future__ import annotations

import io

from bot.progress_bar import ProgressBar, line
from bot.render import limits
from bot.render.status import reading
from runtime.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_status_names_the_file_and_the_percentage_within_its_limit() -> None:
    assert reading(Progress("exports/2024.csv", 43)) == "is reading exports/2024.csv: 43 %…"
    assert reading(Progress("exports/2024.csv", 100)) == "is working…"
    long = reading(Progress("x" * 500, 7))
    assert long.endswith(": 7 %…")
    assert len(long) <= limits.STATUS_CHARS


async def test_the_bar_stands_on_one_line_and_goes_when_the_work_is_over() -> None:
    terminal = Terminal()
    bar = ProgressBar(terminal)
    for percent in (0, 50, 100):
        await bar(Progress("a\nb.csv", percent))
    assert terminal.getvalue().split("\r\x1b[K") == [
        "",
        "Reading a?b.csv  " + "·" * 24 + "  0 %",
        "Reading a?b.csv  " + "█" * 12 + "·" * 12 + "  50 %",
        "",
    ]
    assert len(line(Progress("y" * 300, 99))) < 80


async def test_no_bar_where_no_person_looks() -> None:
    stream = io.StringIO()
    await ProgressBar(stream)(Progress("a.csv", 10))
    assert stream.getvalue() == ""

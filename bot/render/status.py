"""The words of the status line: what the bot is doing right now, after its name ("Footnote is …")."""

from __future__ import annotations

from bot.render import limits
from bot.render.clean import blank, one_line
from bot.render.measure import cut
from bot.render.text import name_text
from runtime.progress import Progress

THINKING = "is thinking…"


def working(note: str = "") -> str:
    """`is working: counts orders by month…` from the note of a call; just `is working…` without one."""
    line = one_line(note).rstrip(".… ")
    if blank(line):
        return "is working…"
    return cut(f"is working: {name_text(line, limits.STATUS_CHARS)}…", limits.STATUS_CHARS)


def reading(progress: Progress) -> str:
    """`is reading export.csv: 43 %…` while a large file is read, then `is working…` again."""
    if progress.percent >= 100:
        return working()
    after = f": {progress.percent} %…"
    name = name_text(one_line(progress.what), limits.STATUS_CHARS)
    return cut(f"is reading {name}", limits.STATUS_CHARS - len(after)) + after

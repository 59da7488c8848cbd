"""The words of the status line: what the bot is doing right now, after its name ("Footnote is …")."""

from __future__ import annotations

from bot.render import limits
from bot.render.clean import blank, one_line
from bot.render.measure import cut
from bot.render.text import name_text

THINKING = "is thinking…"
CHECKING = "is checking the figures…"


def working(note: str = "") -> str:
    """`is working: counts orders by month…` from the note of a call; just `is working…` without one."""
    line = one_line(note).rstrip(".… ")
    if blank(line):
        return "is working…"
    return cut(f"is working: {name_text(line, limits.STATUS_CHARS)}…", limits.STATUS_CHARS)

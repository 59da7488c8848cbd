"""A bar in the terminal for work that takes long; nothing at all where no person looks at one."""

from __future__ import annotations

import sys
from typing import TextIO

from runtime.progress import Progress

_CELLS = 24
_NAME_CHARS = 36


class ProgressBar:
    """Hears the progress of some work and draws it on one line of `stream` (standard error unless given), if that is a
    terminal. The line is taken away when the work is over."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    async def __call__(self, progress: Progress) -> None:
        """Draws the present state."""
        stream = self._stream or sys.stderr
        if stream.isatty():
            stream.write("\r\x1b[K" + ("" if progress.percent >= 100 else line(progress)))
            stream.flush()


def line(progress: Progress) -> str:
    """`Reading export.csv  ██████······  43 %`."""
    full = progress.percent * _CELLS // 100
    name = "".join(sign if sign.isprintable() else "?" for sign in progress.what)
    name = name if len(name) <= _NAME_CHARS else "…" + name[1 - _NAME_CHARS :]
    return f"Reading {name}  {'█' * full}{'·' * (_CELLS - full)}  {progress.percent} %"

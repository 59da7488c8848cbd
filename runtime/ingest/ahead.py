"""Copies a large text into its table while its bytes are still being scanned, on what its beginning promises.

The copy is used only when the scan of all bytes leads to the very same way of reading them, and thrown away otherwise.
So it saves time and decides nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait

from runtime.ingest.columns import ColumnType
from runtime.ingest.dialect import Dialect

Types = tuple[ColumnType, ...]
_BETWEEN_INTERRUPTS = 0.02  # seconds; one that falls between two statements stops nothing


class Ahead:
    """One copy on its way, made by reading `source` (SQL) as `dialect` says. Until it is taken or stopped nobody else
    may use its connection."""

    def __init__(self, source: str, dialect: Dialect, copy: Callable[[], Types], interrupt: Callable[[], None]) -> None:
        self._way = (source, dialect)
        self._interrupt = interrupt
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="copying ahead")
        self._copy = self._thread.submit(copy)

    def take(self, source: str, dialect: Dialect) -> Types | None:
        """The types of the finished copy, None when it was made another way and is worth nothing. Raises what copying
        raised."""
        if (source, dialect) == self._way:
            return self._copy.result()
        self.stop()
        return None

    def stop(self) -> None:
        """Ends the copying, whatever becomes of it."""
        while wait([self._copy], timeout=0).not_done:
            self._interrupt()
            wait([self._copy], timeout=_BETWEEN_INTERRUPTS)
        self._thread.shutdown()


@contextlib.contextmanager
def stopped_at_last(ahead: Ahead | None) -> Generator[Ahead | None]:
    """Sees to it that nothing is being copied any more when the block is left."""
    try:
        yield ahead
    finally:
        if ahead:
            ahead.stop()

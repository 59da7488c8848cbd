"""One program on its way: what it was given, what it has sent out, and why it was stopped."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from guest.host.meter import Answer
from guest.limits import FRAMES_AFTER_CUT, TABLE_BYTES, TABLE_COLUMNS, TABLE_ROWS, GuestLimits
from guest.port import Json, Status

SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True)
class Outcome:
    """A run as the executing side knows it; the SQL totals are added by the side that serves SQL."""

    status: Status
    stdout: str
    error: str
    truncated: bool
    table: tuple[list[str], list[list[Json]]] | None
    fuel_used: int
    elapsed_ms: float
    memory_bytes: int | None = None


@dataclass
class Job:
    """A program with its limits; `ask` serves a query and blocks. The host's threads set `stopped`."""

    source: str
    options: str
    limits: GuestLimits
    ask: Callable[[str, str | None], Answer]
    stopped: Status | None = None
    table: tuple[list[str], list[list[Json]]] | None = None
    truncated: bool = False
    waited_s: float = 0.0  # for SQL, over all queries that were answered
    _paused_at: float | None = None
    _output: list[str] = field(default_factory=list)
    _chars: int = 0
    _refused: int = 0

    @property
    def stdout(self) -> str:
        """The output kept so far."""
        return "".join(self._output)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Time inside doesn't count as the guest's own."""
        self._paused_at = time.perf_counter()
        try:
            yield
        finally:
            started, self._paused_at = self._paused_at, None
            self.waited_s += time.perf_counter() - started

    def waiting(self, now: float) -> float:
        """Seconds spent for SQL until `now` (perf_counter), the query under way included."""
        paused = self._paused_at
        return self.waited_s + (now - paused if paused is not None else 0.0)

    def take(self, frame: str) -> bool | None:
        """Keep a frame of the guest: True when kept, False when refused, None when it must be ended for flooding."""
        kind, body = frame[:1], frame[1:]
        if kind == "o" and self._keep_output(body):
            return True
        if kind == "t" and self.table is None and (table := read_table(body)):
            self.table = table
            return True
        self._refused += 1
        return None if self._refused > FRAMES_AFTER_CUT else False

    def _keep_output(self, text: str) -> bool:
        room = self.limits.output_chars - self._chars
        kept = text[: max(room, 0)]
        self._chars += len(kept)
        if kept:
            self._output.append(kept)
        if len(kept) < len(text):
            self.truncated = True
            return False
        return True


def read_table(text: str) -> tuple[list[str], list[list[Json]]] | None:
    """The table of a frame, or None when it isn't one within the bounds: the guest's own checks don't count."""
    if len(text) > TABLE_BYTES:
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or set(value) != {"columns", "rows"}:
        return None
    columns, rows = value["columns"], value["rows"]
    if not isinstance(columns, list) or not 1 <= len(columns) <= TABLE_COLUMNS or not isinstance(rows, list):
        return None
    if len(rows) > TABLE_ROWS or not all(isinstance(column, str) for column in columns):
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        return None
    sound = all(isinstance(cell, SCALARS) and cell not in (float("inf"), -float("inf")) and cell == cell
                for row in rows for cell in row)  # fmt: skip
    return (columns, rows) if sound else None


def shortened(text: str, chars: int) -> str:
    """The first quarter and the end of a text that is too long: a traceback says most at its end."""
    if len(text) <= chars:
        return text
    head = chars // 4
    return f"{text[:head]}\n…\n{text[-(chars - head - 3) :]}"

"""Counts line ends and looks for words of totals in a text, many bytes at a time, by a program in WebAssembly.

Python's own operations on bytes need several passes and the engine another one over its columns; this takes a fifth of
their time. `tally.wat` is the program; it sees nothing but the bytes it is given.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import struct
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

MOST = 1 << 20
"""The most bytes that are taken at once."""
_TEXT = 1 << 16
_BEFORE = 128
_REACH = 64  # bytes behind a place that decide whether a label stands there
_STATE = struct.Struct("<12q")
_BEGIN = _STATE.pack(*(0,) * 8, 0, 1, 0, 2)  # as behind a line end
_SETTINGS = {
    # The process that reads files has a bound on its addresses, of which Wasmtime would take most for itself.
    "memory_reservation": 0,
    "memory_reservation_for_growth": 0,
    "memory_guard_size": 0,
    "gc_support": False,
    "signals_based_traps": False,
    "parallel_compilation": False,
}


@dataclass(frozen=True, slots=True)
class Lines:
    """Feeds, returns, and pairs of a return and a feed among these; lines without any text."""

    feeds: int
    returns: int
    pairs: int
    blank: int


class Tally:
    """One text on its way through, from its beginning; only one at a time. `label`: some value of it may be a total's
    label."""

    def __init__(self) -> None:
        self._lines, self._labels, self._address = _program()
        self.label = False
        ctypes.memmove(self._address, _BEGIN, len(_BEGIN))
        ctypes.memset(self._address + _TEXT - _BEFORE, ord("\n"), _BEFORE)

    def take(self, text: bytes) -> None:
        """Takes the next bytes, at most `MOST`."""
        assert len(text) <= MOST
        ctypes.memmove(self._address + _TEXT, text, len(text))
        self._lines(_TEXT, _TEXT + len(text))
        self._look(len(text))

    def end(self) -> None:
        """Says that the text has no more bytes, so that its last values are looked at."""
        ctypes.memset(self._address + _TEXT, ord("\n"), _REACH)
        self._look(_REACH)

    def lines(self) -> tuple[Lines, Lines, bool, bool]:
        """The lines so far, as if quotes meant nothing and with quotes honoured; whether a quote is open, and whether
        the last byte ends a line. That a last return ends an empty line counts here, too."""
        *counts, inside, _, returned, ends = _STATE.unpack(ctypes.string_at(self._address, _STATE.size))
        if returned and ends & 1:
            counts[3] += 1
            counts[7] += not inside
        return Lines(*counts[:4]), Lines(*counts[4:]), bool(inside), bool(ends & 2)

    def _look(self, size: int) -> None:
        begin = _TEXT - _REACH
        self.label = self.label or bool(self._labels(begin, begin + size))
        ctypes.memmove(self._address + _TEXT - _BEFORE, self._address + _TEXT + size - _BEFORE, _BEFORE)


@functools.cache
def _program() -> tuple[Any, Any, int]:
    """The functions `lines` and `labels`, and the address of the memory that they see."""
    import wasmtime  # costs as much as reading a few small files

    config = wasmtime.Config()
    for name, value in _SETTINGS.items():
        setattr(config, name, value)
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    source = files("runtime.ingest").joinpath("tally.wat").read_text("utf-8")
    exports = wasmtime.Instance(store, wasmtime.Module(engine, source), []).exports(store)
    memory: Any = exports["memory"]
    lines: Any = exports["lines"]
    labels: Any = exports["labels"]
    address = ctypes.addressof(memory.data_ptr(store).contents)
    return functools.partial(lines, store), functools.partial(labels, store), address


atexit.register(_program.cache_clear)  # at the interpreter's end Wasmtime's objects can't be given up any more

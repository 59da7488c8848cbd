"""Replaces, before the snapshot, what would reach a missing system: clocks, files, environment, random, input.

These refusals exist for their messages. The barrier is that the component imports nothing but `sql` and `emit`.
"""

import builtins
import datetime
import gc
import io
import itertools
import linecache
import os
import posix
import random
import sys
import time
import traceback
import zoneinfo
from zoneinfo import _common

import offered
import zones

# CPython opens the file named in a SyntaxError with C's fopen, which ends a guest without files. A name that can't be
# encoded is never opened; the mark is taken out of every text shown.
MARK = "\ud800"
NAME = "program.py" + MARK
PURE_OS = frozenset(
    "fspath fsencode fsdecode strerror PathLike path error stat_result terminal_size get_exec_path _exists "
    "_fspath _check_methods GenericAlias Mapping MutableMapping _Environ _wrap_close".split()
)
moment = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
ticks = itertools.count()
sources = itertools.count()
real = {name: getattr(builtins, name) for name in ("compile", "exec", "eval")}
clock = {name: getattr(time, name) for name in ("gmtime", "strftime", "asctime")}


def deny(what, why=offered.NO_FILES):
    """A function that refuses with `what` in its message."""

    def denied(*args, **kwargs):
        raise PermissionError(f"{what} is not possible here. {why}")

    return denied


def set_clock(now, seed):
    """Take the host's moment (ISO 8601) and seed."""
    global moment
    moment = datetime.datetime.fromisoformat(now)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    random.seed(seed)


def _seconds():
    return moment.timestamp()


def _now(cls, tz=None):
    shown = moment.astimezone(tz) if tz is not None else moment.replace(tzinfo=None)
    parts = (shown.year, shown.month, shown.day, shown.hour, shown.minute, shown.second, shown.microsecond)
    return cls(*parts, tzinfo=tz, fold=shown.fold)


def _utcnow(cls):
    return _now(cls, datetime.UTC).replace(tzinfo=None)


def _today(cls):
    return cls(moment.year, moment.month, moment.day)


def _utc(seconds=None):
    return clock["gmtime"](_seconds() if seconds is None else seconds)


def _local(seconds=None):
    return _utc((_seconds() if seconds is None else seconds) + moment.utcoffset().total_seconds())


def clocks():
    """The given moment for every clock; timers count calls, since nothing here may depend on speed."""
    # The types are static, so the methods are set in the dictionary behind the read-only view.
    behind = gc.get_referents(datetime.datetime.__dict__)[0]
    behind.update(now=classmethod(_now), today=classmethod(_now), utcnow=classmethod(_utcnow))
    gc.get_referents(datetime.date.__dict__)[0]["today"] = classmethod(_today)
    sys._clear_internal_caches()
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        timer = _seconds if name == "time" else (lambda: next(ticks) / 1e6)
        setattr(time, name, timer)
        setattr(time, name + "_ns", lambda timer=timer: round(timer() * 1e9))
    time.sleep = lambda seconds: None
    time.gmtime, time.localtime = _utc, _local
    time.strftime = lambda form, t=None: clock["strftime"](form, _local() if t is None else t)
    time.asctime = lambda t=None: clock["asctime"](_local() if t is None else t)
    time.ctime = lambda seconds=None: clock["asctime"](_local(seconds))
    for name in ("clock_gettime", "clock_gettime_ns", "clock_getres", "get_clock_info", "clock_settime"):
        if hasattr(time, name):
            setattr(time, name, deny(f"time.{name}"))
    if datetime.datetime.now().year != 2000 or datetime.date.today().year != 2000:
        raise RuntimeError("the clock of datetime could not be replaced")


def files():
    """No files, environment, processes or input."""
    for module in (posix, os):
        for name in dir(module):
            value = getattr(module, name)
            if callable(value) and name not in PURE_OS and not isinstance(value, type) and not name.startswith("__"):
                setattr(module, name, deny(f"os.{name}"))
    os.environ._data.clear()
    posix.environ.clear()
    os.getenv = lambda key, default=None: default
    os.getcwd = posix.getcwd = deny("os.getcwd")
    os.urandom = posix.urandom = random._urandom = lambda size: random.randbytes(size)
    os.getpid = posix.getpid = lambda: 1
    builtins.open = io.open = io.open_code = deny("open")
    io.FileIO = sys.modules["_io"].FileIO = deny("FileIO")
    sys.modules["_io"].open = sys.modules["_io"].open_code = deny("open")
    builtins.input = deny("input", "A program is given nothing but sql(query).")
    builtins.breakpoint = deny("breakpoint", "Use print().")
    builtins.exit = builtins.quit = sys.exit
    seeded = random.Random.__init__

    def __init__(self, x=None):
        seeded(self, random.getrandbits(64) if x is None else x)

    random.Random.__init__ = __init__
    real_seed = random.seed
    random.seed = lambda a=0, version=2: real_seed(0 if a is None else a, version)


def time_zones():
    """All zones of the tz database, from memory."""
    zoneinfo.reset_tzpath(to=())

    def load(key):
        if key not in zones.ZONES:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return io.BytesIO(zones.ZONES[key])

    _common.load_tzdata = load
    zoneinfo.available_timezones = lambda: set(zones.ZONES)


def source_text():
    """compile, exec and eval under names that no system call can open; tracebacks from memory."""

    def compile(source, filename="", mode="exec", *args, **kwargs):
        return real["compile"](source, f"text {next(sources)}{MARK}", mode, *args, **kwargs)

    def code_of(source, mode):
        return compile(source.strip(" \t") if mode == "eval" else source, "", mode, dont_inherit=True)

    def scope(variables, local):
        frame = sys._getframe(2)
        if variables is None:
            return frame.f_globals, frame.f_locals if local is None else local
        return variables, variables if local is None else local

    def exec(source, globals=None, locals=None, /, *, closure=None):
        code = code_of(source, "exec") if isinstance(source, (str, bytes)) else source
        return real["exec"](code, *scope(globals, locals), closure=closure)

    def eval(source, globals=None, locals=None, /):
        code = code_of(source, "eval") if isinstance(source, (str, bytes)) else source
        return real["eval"](code, *scope(globals, locals))

    builtins.compile, builtins.exec, builtins.eval = compile, exec, eval
    linecache.updatecache = lambda filename, module_globals=None: []
    linecache.checkcache = lambda filename=None: None
    traceback._extract_caret_anchors_from_line_segment = lambda segment: None
    # It looks for a misspelled keyword with the tokenizer, whose own errors open a file by a name that we can't choose.
    traceback.TracebackException._find_keyword_typos = lambda self: None


def imports():
    """Nothing can be imported that is not loaded."""
    sys.meta_path[:] = [offered.Missing]
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()


def build():
    """Put everything in place; called once, before the snapshot."""
    offered.load()
    clocks()
    time_zones()
    files()
    source_text()
    imports()

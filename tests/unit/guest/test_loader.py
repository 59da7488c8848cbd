"""Only the artifact that was built, with two imports, is loaded; compiled code in doubt is made again."""

import stat
from pathlib import Path

import pytest
import wasmtime

from guest import GuestUnavailable, open_guest
from guest.artifact import IMPORTS, Manifest, checked, digest
from guest.host.compiled import compiled_file, is_sound, load, new_engine

# A component small enough to compile at once, with the imports of the real one.
BOTH = '(component (import "sql" (func)) (import "emit" (func)))'
MORE = '(component (import "sql" (func)) (import "emit" (func)) (import "clock" (func)))'
FEWER = '(component (import "emit" (func)))'


def artifact(folder: Path, text: str = BOTH, imports: tuple[str, ...] = IMPORTS) -> Path:
    """A build folder around a component given as text."""
    folder.mkdir(exist_ok=True)
    wasm = folder / "guest.wasm"
    wasm.write_bytes(wasmtime.wat2wasm(text))
    manifest = Manifest(inputs="none", wasm_sha256=digest(wasm), imports=imports, versions={})
    (folder / "manifest.json").write_text(manifest.model_dump_json())
    return folder


def test_the_built_artifact_imports_sql_and_emit_only(built: Path) -> None:
    _, manifest = checked(built)
    component = load(new_engine(), compiled_file(built, built))
    assert manifest.imports == ("emit", "sql")
    assert sorted(component.type.imports(new_engine())) == ["emit", "sql"]


@pytest.mark.parametrize("isolated", [True, False])
async def test_what_is_not_built_says_how_to_build_it(tmp_path: Path, isolated: bool) -> None:
    guest = open_guest(artifact_dir=tmp_path / "none", cache_dir=tmp_path, isolated=isolated)
    with pytest.raises(GuestUnavailable, match="make install"):
        await guest.start()
    await guest.close()


@pytest.mark.parametrize("text", [MORE, FEWER])
def test_other_imports_are_refused_whatever_the_manifest_says(tmp_path: Path, text: str) -> None:
    with pytest.raises(GuestUnavailable, match="must import exactly emit and sql"):
        compiled_file(artifact(tmp_path / "a", text), tmp_path / "cache")


def test_compiled_code_with_other_imports_is_refused(tmp_path: Path) -> None:
    engine = new_engine()
    foreign = tmp_path / "foreign.cwasm"
    foreign.write_bytes(wasmtime.component.Component(engine, MORE).serialize())
    with pytest.raises(GuestUnavailable, match="clock"):
        load(engine, foreign)


def test_a_manifest_with_other_imports_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GuestUnavailable, match="wasi:cli/environment"):
        checked(artifact(tmp_path / "a", imports=("emit", "sql", "wasi:cli/environment")))


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    folder = artifact(tmp_path / "a")
    with (folder / "guest.wasm").open("ab") as wasm:
        wasm.write(b"\0")
    with pytest.raises(GuestUnavailable, match="SHA-256 differs"):
        checked(folder)


@pytest.mark.parametrize("text", ["", "{}", "not json", '{"inputs": 1}'])
def test_a_damaged_manifest_is_refused(tmp_path: Path, text: str) -> None:
    folder = artifact(tmp_path / "a")
    (folder / "manifest.json").write_text(text)
    with pytest.raises(GuestUnavailable, match="manifest"):
        checked(folder)


@pytest.mark.parametrize("damage", ["empty", "cut", "junk", "one byte", "no note", "gone"])
def test_damaged_compiled_code_is_made_again(tmp_path: Path, damage: str) -> None:
    folder, cache = artifact(tmp_path / "a"), tmp_path / "cache"
    path = compiled_file(folder, cache)
    sound = path.read_bytes()
    note = path.with_name(path.name + ".sha256")
    middle = len(sound) // 2
    match damage:
        case "no note":
            note.unlink()
        case "gone":
            path.unlink()
        case _:
            changed = {"empty": b"", "cut": sound[:middle], "junk": b"junk" * 99}
            flipped = sound[:middle] + bytes([sound[middle] ^ 1]) + sound[middle + 1 :]
            path.write_bytes(changed.get(damage, flipped))
    assert not is_sound(path)
    assert compiled_file(folder, cache) == path and is_sound(path)
    load(new_engine(), path)


async def test_compiled_code_of_another_engine_is_made_again(tmp_path: Path) -> None:
    folder, cache = artifact(tmp_path / "a"), tmp_path / "cache"
    path = compiled_file(folder, cache)
    other = wasmtime.Engine()
    path.write_bytes(wasmtime.component.Component(other, BOTH).serialize())
    path.with_name(path.name + ".sha256").write_text(digest(path))  # sound as a file, yet without fuel
    guest = open_guest(artifact_dir=folder, cache_dir=cache, isolated=False)
    await guest.start()
    await guest.close()
    load(new_engine(), path)


def test_the_cache_is_private_and_a_built_folder_needs_none(tmp_path: Path) -> None:
    folder, cache = artifact(tmp_path / "a"), tmp_path / "deep" / "cache"
    assert compiled_file(folder, cache).parent == cache
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    compiled_file(folder, folder)
    assert compiled_file(folder, tmp_path / "unused").parent == folder
    assert not (tmp_path / "unused").exists()


def test_a_deeper_stack_than_wasmtime_can_bear_is_refused() -> None:
    with pytest.raises(ValueError, match="stack_bytes"):
        new_engine(4 * 1024 * 1024)

"""Lists the files below a workspace's root: a bounded walk that opens nothing and follows no link."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runtime.engines.workspace.secret_names import private
from runtime.errors import CallError
from runtime.ingest import Kind, Stamp
from runtime.limits import Limits

_KINDS: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".md": "document",
    ".txt": "document",
    ".log": "document",
    ".pdf": "pdf",
    ".docx": "docx",
    ".html": "html",
    ".htm": "html",
    ".xlsx": "workbook",
    ".xlsm": "workbook",
    ".xls": "workbook",
    ".xlsb": "workbook",
    ".ods": "workbook",
}
_DATABASES = frozenset({".db", ".sqlite", ".sqlite3", ".duckdb"})
_PACKED = frozenset({".gz", ".zip", ".zst", ".bz2", ".xz", ".7z", ".tar", ".tgz"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A name below the root. `kind` says how it will be read; None means it is not, for `reason`."""

    path: str
    stamp: Stamp
    kind: Kind | None = None
    reason: str = ""


def list_folder(root: Path, limits: Limits) -> tuple[FoundFile, ...]:
    """Everything below `root` in the order of its paths. Hidden and secret-looking names, links, devices, too deep
    folders and everything past the bound on entries are listed with a reason and never opened. Raises CallError
    `no_workspace` when the root is no readable folder."""
    if not os.path.isdir(root):  # which is False, too, where looking is not allowed
        raise CallError("no_workspace", "The workspace folder is not there or cannot be read.")
    found: list[FoundFile] = []
    for file in _walk(root, "", 1, limits):
        if len(found) == limits.workspace_entries:
            reason = f"more than {limits.workspace_entries:,} entries: what comes after is not listed"
            found.append(FoundFile("…", Stamp(0, 0, 0, 0), reason=reason))
            break
        found.append(file)
    return tuple(sorted(found, key=lambda file: file.path))


def folder_digest(root: Path, limits: Limits) -> str:
    """A digest over the paths and sizes of the files that are read. It opens nothing and leaves times out, so that
    copies of one folder on several machines have the same; a file edited to the same size isn't told by it. Raises as
    `list_folder`."""
    files = (file for file in list_folder(root, limits) if file.kind)
    body = "".join(f"{file.path}\0{file.stamp.size}\n" for file in files)
    return f"sha256:{hashlib.sha256(body.encode()).hexdigest()}"


def _walk(folder: Path, prefix: str, depth: int, limits: Limits) -> Iterator[FoundFile]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        if not prefix:
            raise CallError("no_workspace", "The workspace folder is not there or cannot be read.") from error
        yield FoundFile(
            prefix.rstrip("/"), Stamp(0, 0, 0, 0), reason=f"a folder that cannot be opened ({error.strerror})"
        )
        return
    for entry in entries:
        path = prefix + _printable(entry.name)
        try:
            state = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue  # gone between the listing and the look
        except OSError as error:
            yield FoundFile(path, Stamp(0, 0, 0, 0), reason=f"cannot be looked at ({error.strerror})")
            continue
        if stat.S_ISDIR(state.st_mode) and not entry.name.startswith("."):
            if private(entry.name):
                yield FoundFile(path, _stamp(state), reason="a folder whose name looks like that of secrets")
            elif _printable(entry.name) != entry.name:
                yield FoundFile(path, _stamp(state), reason="a folder whose name is not valid UTF-8")
            elif depth >= limits.workspace_depth:
                yield FoundFile(
                    path, _stamp(state), reason=f"folders more than {limits.workspace_depth} deep are not read"
                )
            else:
                yield from _walk(folder / entry.name, path + "/", depth + 1, limits)
        else:
            kind, reason = _judge(entry.name, state)
            yield FoundFile(path, _stamp(state), kind, reason)


def _judge(name: str, state: os.stat_result) -> tuple[Kind | None, str]:
    if stat.S_ISLNK(state.st_mode):
        return None, "a symbolic link; links are not followed"
    if name.startswith("."):
        return None, "a hidden folder" if stat.S_ISDIR(state.st_mode) else "a hidden file"
    if not stat.S_ISREG(state.st_mode):
        return None, "not an ordinary file (a pipe, socket or device)"
    return kind_of(name)


def kind_of(name: str) -> tuple[Kind | None, str]:
    """How an ordinary file of this name is read, or None with the reason why it is not."""
    suffix = os.path.splitext(name)[1].lower()
    if private(name):
        return None, "its name looks like that of a secret"
    if _printable(name) != name:
        return None, "its name is not valid UTF-8"
    if suffix in _KINDS:
        return _KINDS[suffix], ""
    if suffix in _DATABASES:
        return None, "databases are admitted as sources, not as files of a workspace"
    if suffix in _PACKED:
        return None, "packed files are not read; unpack it first"
    return None, f"files of the kind {suffix} are not read" if suffix else "files without an extension are not read"


def _printable(name: str) -> str:
    """As it can be shown: of bytes that are no UTF-8 their values, so that each file has a path of its own."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _stamp(state: os.stat_result) -> Stamp:
    return Stamp(state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)

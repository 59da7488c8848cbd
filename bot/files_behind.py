"""The files behind an answer: noted when it is given, and looked for when it is to be shown to the model again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping

from runtime.admission.policy import WORKSPACE
from runtime.engines.workspace.file_set import file_set
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile
from runtime.errors import CallError
from runtime.evidence import Evidence, SourceRef

# What an answer rests on beside its sources. No source's id holds a colon.
_FILE, _ALL = f"{WORKSPACE}:file:", f"{WORKSPACE}:files"
_NAMED = 100  # of more files together only their digest is kept: 6 KB a turn are all that the state may grow
UNKNOWN: Mapping[str, str] = {_ALL: ""}
"""Files that could not be told: nothing ever equals them."""


def of_files(name: str) -> bool:
    """Whether a ground is one of files, not a source."""
    return name.startswith((_FILE, _ALL))


def files_behind(evidence: Iterable[Evidence], catalog: WorkspaceCatalog) -> Mapping[str, str]:
    """The files that these items read: those of the folder by path, since a file that is written anew goes on being
    the same one; those attached in a conversation by content. All files there are, where an item doesn't tell; and
    UNKNOWN where one that was read isn't there any more."""
    by_path = {file.path: file for file in catalog.files}
    found = dict[str, str]()
    for item in evidence:
        refs = [*item.sources, *(ref for query in item.queries for ref in query.sources)]
        if not refs:
            found |= all_files(catalog)
        for ref in (ref for ref in refs if ref.source == WORKSPACE):
            read = _read(by_path, catalog, ref)
            if read is None:
                return UNKNOWN
            found |= read
    return found


def all_files(catalog: WorkspaceCatalog) -> Mapping[str, str]:
    """Every file there is."""
    return _kept(catalog.files) if len(catalog.files) <= _NAMED else {_ALL: _digest(catalog)}


def still_there(grounds: Mapping[str, str], catalog: WorkspaceCatalog | None) -> bool:
    """Whether all files among the grounds of an answer are there now. None: there is no workspace."""
    files = {name: content for name, content in grounds.items() if of_files(name)}
    if not files or catalog is None:
        return not files
    now = _kept(catalog.files)
    attached = {file.revision for file in catalog.files if file.attached}
    return all(_there(name, content, now, attached, catalog) for name, content in files.items())


def _there(
    name: str, content: str, now: Mapping[str, str], attached: Collection[str], catalog: WorkspaceCatalog
) -> bool:
    if name == _ALL:
        return content == _digest(catalog)
    return content in attached if content else now.get(name) == ""


def _read(by_path: Mapping[str, WorkspaceFile], catalog: WorkspaceCatalog, ref: SourceRef) -> Mapping[str, str] | None:
    """The file of a reference, which may say a part of it behind a comma, or the set of files that its pattern took;
    None when they are not there as they were read."""
    path = ref.file
    while path not in by_path and ", " in path:
        path = path.rpartition(", ")[0]
    if path in by_path:
        return {_FILE + path: ref.revision if by_path[path].attached else ""}
    try:
        chosen = file_set(catalog, ref.file, len(catalog.files))
    except CallError:
        return None
    taken = {table.file for table in chosen.tables}
    return _kept(file for file in catalog.files if file.path in taken) if chosen.digest == ref.revision else None


def _kept(files: Iterable[WorkspaceFile]) -> dict[str, str]:
    return {_FILE + file.path: file.revision if file.attached else "" for file in files}


def _digest(catalog: WorkspaceCatalog) -> str:
    told = "\n".join(f"{name}\0{content}" for name, content in sorted(_kept(catalog.files).items()))
    return f"sha256:{hashlib.sha256(told.encode()).hexdigest()}"

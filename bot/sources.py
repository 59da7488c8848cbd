"""Opens what the manifest declares: the workspace and the databases, each behind its engine."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from bot.settings import Settings
from runtime.admission import Audience, Manifest
from runtime.admission.manifest import McpSource, PostgresqlSource, Source, SqliteSource, environment_value
from runtime.admission.policy import WORKSPACE
from runtime.capability import Capability, SourceKind, SourceTerms
from runtime.clock import Clock
from runtime.engines.mcp import Changed, RemoteServer
from runtime.engines.port import DatabaseEngine, ReadEngine, ReadEngines
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError, ConfigurationError
from runtime.limits import Limits
from runtime.toolboxes.sources.mcp_tool import remote_capabilities


@dataclass(frozen=True, slots=True)
class OpenSources:
    """The engines of one manifest, with the terms of each source that has one."""

    manifest: Manifest
    limits: Limits
    workspace: Workspace | None
    databases: Mapping[str, DatabaseEngine]
    remotes: Mapping[str, RemoteServer]
    terms: Mapping[str, SourceTerms]

    @property
    def engines(self) -> ReadEngines:
        """What reads may choose from."""
        files: dict[str, ReadEngine] = {WORKSPACE: self.workspace} if self.workspace is not None else {}
        return ReadEngines({**files, **self.databases}, self.databases)

    def remote_capabilities(self, limits: Limits) -> tuple[Capability[Any], ...]:
        """A capability for each tool that the manifest admits of a remote server."""
        return tuple(item for remote in self.remotes.values() for item in remote_capabilities(remote, limits))

    async def revision(self, source_id: str) -> str:
        """The revision of a source's structure; '' while it cannot be reached, which the read itself will say."""
        if source_id == WORKSPACE and self.workspace is not None:
            return (await self.workspace.catalog()).revision
        database = self.databases.get(source_id)
        try:
            return "" if database is None else (await database.structure()).revision
        except CallError:
            return ""

    async def ready(self, source_ids: Iterable[str]) -> None:
        """Waits until the remote ones of these sources were looked at: before that their tools are in no run."""
        await asyncio.gather(*(self.remotes[name].ready() for name in source_ids if name in self.remotes))

    def terms_now(self, source_ids: Iterable[str]) -> dict[str, SourceTerms]:
        """The terms of these sources, with what is unavailable of the remote ones."""
        found = {name: self.terms[name] for name in source_ids}
        shut = {name: self.remotes[name].standing for name in found if name in self.remotes}
        return found | {name: replace(found[name], closed=reason) for name, reason in shut.items()}

    @property
    def all(self) -> tuple[Workspace | DatabaseEngine | RemoteServer, ...]:
        """Every engine that is open."""
        files = () if self.workspace is None else (self.workspace,)
        return (*files, *self.databases.values(), *self.remotes.values())

    def serving(self, manifest: Manifest, limits: Limits) -> frozenset[str]:
        """The sources whose engines serve `manifest` as they are: nothing differs but to whom and how far they open."""
        if limits != self.limits:
            return frozenset()
        mine, same = {source.id: _place_of(source) for source in self.manifest.sources}, set[str]()
        same |= {source.id for source in manifest.sources if mine.get(source.id) == _place_of(source)}
        if manifest.workspace and self.manifest.workspace and manifest.workspace.root == self.manifest.workspace.root:
            same.add(WORKSPACE)
        return frozenset(same)

    async def close(self, *, but: OpenSources | None = None) -> None:
        """Closes all of them but those of `but`; one that fails to close keeps none of the others open."""
        kept = () if but is None else but.all
        async with AsyncExitStack() as stack:
            for engine in self.all:
                if not any(engine is other for other in kept):
                    stack.push_async_callback(engine.close)


async def open_sources(
    manifest: Manifest,
    settings: Settings,
    limits: Limits,
    clock: Clock,
    *,
    opened: OpenSources | None = None,
    changed: Changed | None = None,
) -> OpenSources:
    """Opens every source that has an engine; those of `opened` that serve as they are go on. A database that is down or
    a file that is missing stops no start. `changed` hears of remote tools that aren't what was admitted any more.
    Raises ConfigurationError for a folder or an address that cannot be used."""
    same = frozenset[str]() if opened is None else opened.serving(manifest, limits)
    terms = {source.id: terms_of(source) for source in manifest.sources}
    root = await asyncio.to_thread(workspace_root, manifest, settings.manifest)
    async with AsyncExitStack() as fresh:
        workspace: Workspace | None = None
        if root is not None and manifest.workspace is not None:
            if opened is not None and WORKSPACE in same:
                workspace = opened.workspace
            else:
                await asyncio.to_thread(_require_writable, settings.data_dir)
                workspace = await Workspace.open(root, settings.data_dir / "workspace", limits, clock)
                fresh.push_async_callback(workspace.close)
            terms[WORKSPACE] = SourceTerms(SourceKind.WORKSPACE, manifest.workspace.model_rows)
        databases, remotes = dict[str, DatabaseEngine](), dict[str, RemoteServer]()
        if opened is not None:
            databases = {name: engine for name, engine in opened.databases.items() if name in same}
            remotes = {name: remote for name, remote in opened.remotes.items() if name in same}
        for source in manifest.sources:
            if source.id in same:
                continue
            if is_remote(source):
                remotes[source.id] = open_remote(source, limits, clock, changed)
                remotes[source.id].begin()
                fresh.push_async_callback(remotes[source.id].close)
            elif engine := await open_database(source, settings, limits, clock):
                databases[source.id] = engine
                fresh.push_async_callback(engine.close)
        fresh.pop_all()
        return OpenSources(manifest, limits, workspace, databases, remotes, terms)


def terms_of(source: Source) -> SourceTerms:
    """On which terms a declared source is open."""
    updates = isinstance(source, PostgresqlSource) and bool(source.updates)
    return SourceTerms(SourceKind(source.kind), source.model_rows, updates=updates)


def _place_of(source: Source) -> Source:
    """What an engine is opened by: everything but the audience and what leaves for the model."""
    return source.model_copy(update={"audience": Audience(), "model_rows": "full", "label": "internal"})


async def open_database(source: Source, settings: Settings, limits: Limits, clock: Clock) -> DatabaseEngine | None:
    """The engine of a declared database, not connected yet; None for what is no database. Raises ConfigurationError."""
    if isinstance(source, SqliteSource):
        from runtime.engines.sqlite.engine import SqliteEngine

        path = await asyncio.to_thread(sqlite_path, source, settings.manifest)
        await asyncio.to_thread(_require_writable, settings.data_dir)
        return await SqliteEngine.open(source, path, settings.data_dir / "sqlite" / source.id, limits, clock)
    if isinstance(source, PostgresqlSource):
        from runtime.engines.postgresql import PostgresqlEngine  # its driver is loaded only where it is used

        return await PostgresqlEngine.open(source, limits, clock)
    return None


def open_remote(source: McpSource, limits: Limits, clock: Clock, changed: Changed | None = None) -> RemoteServer:
    """A declared remote server, not connected yet."""
    return RemoteServer(source, environment_value(source.token) if source.token else None, limits, clock, changed)


def is_remote(source: Source) -> TypeGuard[McpSource]:
    """Whether a source is a remote server."""
    return isinstance(source, McpSource)


def workspace_root(manifest: Manifest, manifest_path: Path) -> Path | None:
    """The workspace's folder, relative to the manifest. Raises ConfigurationError when it is no folder."""
    if manifest.workspace is None:
        return None
    root = _beside(manifest_path, manifest.workspace.root, "workspace.root")
    if not root.is_dir():
        raise ConfigurationError(f"workspace.root: {root} is not a folder. Create it or mend the path.")
    return root


def sqlite_path(source: SqliteSource, manifest_path: Path) -> Path:
    """The file of a SQLite source, relative to the manifest; it may be missing. Raises ConfigurationError."""
    return _beside(manifest_path, source.path, f"sources.{source.id}.path")


def _beside(manifest_path: Path, named: str, key: str) -> Path:
    try:
        return (manifest_path.parent / named).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # a NUL byte, a loop of links
        raise ConfigurationError(f"{key}: {named!r} is no path: {error}") from error


def _require_writable(folder: Path) -> None:
    """Caches and artifacts go here; without it no file can be read. Raises ConfigurationError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigurationError(
            f"The data folder {folder} cannot be written: {reason}. Mend its rights, or set FOOTNOTE_DATA_DIR."
        ) from error

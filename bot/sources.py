"""Opens what the manifest declares: the workspace and the databases, each behind its engine."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from bot.settings import Settings
from runtime.admission import Manifest
from runtime.admission.manifest import McpSource, PostgresqlSource, Source, SqliteSource
from runtime.admission.policy import WORKSPACE
from runtime.capability import SourceKind, SourceTerms
from runtime.clock import Clock
from runtime.engines.port import DatabaseEngine, ReadEngine, ReadEngines
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError, ConfigurationError
from runtime.limits import Limits


@dataclass(frozen=True, slots=True)
class OpenSources:
    """The engines of one process, with the terms of each source that has one."""

    workspace: Workspace | None
    databases: Mapping[str, DatabaseEngine]
    terms: Mapping[str, SourceTerms]

    @property
    def engines(self) -> ReadEngines:
        """What reads may choose from."""
        files: dict[str, ReadEngine] = {WORKSPACE: self.workspace} if self.workspace is not None else {}
        return ReadEngines({**files, **self.databases}, self.databases)

    async def revision(self, source_id: str) -> str:
        """The revision of a source's structure; '' while it cannot be reached, which the read itself will say."""
        if source_id == WORKSPACE and self.workspace is not None:
            return (await self.workspace.catalog()).revision
        database = self.databases.get(source_id)
        try:
            return "" if database is None else (await database.structure()).revision
        except CallError:
            return ""

    async def close(self) -> None:
        """Closes all of them; one that fails to close keeps none of the others open."""
        async with AsyncExitStack() as stack:
            for engine in (self.workspace, *self.databases.values()):
                if engine is not None:
                    stack.push_async_callback(engine.close)


async def open_sources(manifest: Manifest, settings: Settings, limits: Limits, clock: Clock) -> OpenSources:
    """Opens every source that has an engine. A database that is down or a file that is missing stops no start. Raises
    ConfigurationError for a folder or an address that cannot be used."""
    terms = {
        source.id: SourceTerms(SourceKind(source.kind), source.model_rows)
        for source in manifest.sources
        if not isinstance(source, McpSource)  # remote tools are no engine: nothing serves them yet
    }
    root = await asyncio.to_thread(workspace_root, manifest, settings.manifest)
    async with AsyncExitStack() as opened:
        workspace: Workspace | None = None
        if root is not None and manifest.workspace is not None:
            await asyncio.to_thread(_require_writable, settings.data_dir)
            workspace = await Workspace.open(root, settings.data_dir / "workspace", limits, clock)
            opened.push_async_callback(workspace.close)
            terms[WORKSPACE] = SourceTerms(SourceKind.WORKSPACE, manifest.workspace.model_rows)
        databases: dict[str, DatabaseEngine] = {}
        for source in manifest.sources:
            engine = await open_database(source, settings, limits, clock)
            if engine is not None:
                databases[source.id] = engine
                opened.push_async_callback(engine.close)
        opened.pop_all()
        return OpenSources(workspace, databases, terms)


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

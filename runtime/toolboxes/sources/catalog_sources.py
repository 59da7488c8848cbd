"""The structures that a catalog call works on: of each source that is open now, or why one has none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from runtime.capability import READABLE, CallContext, SourceKind
from runtime.catalog import CatalogColumn, CatalogTable, Structure, TableKind
from runtime.catalog.ranking import search
from runtime.catalog.resources import Resource, found, source_of
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceTable
from runtime.engines.workspace.query import DIALECT, SOURCE
from runtime.errors import CallError
from runtime.evidence import Json, SourceRef
from runtime.toolboxes.files.workspace_scope import workspace
from runtime.toolboxes.sources.database_scope import database


@dataclass(frozen=True, slots=True)
class Catalogs:
    """The structures of the sources asked, in the order of their ids, and the failures of those that gave none."""

    structures: tuple[Structure, ...]
    failures: tuple[tuple[str, CallError], ...]

    @property
    def refs(self) -> tuple[SourceRef, ...]:
        """What was looked at, for the evidence."""
        return tuple(SourceRef(one.source, "catalog", one.revision) for one in self.structures)

    @property
    def unavailable(self) -> list[Json]:
        """The failures as the model reads them."""
        return [{"source": source, **error.as_json()} for source, error in self.failures]

    def of(self, source_id: str) -> Structure | None:
        """The structure of a source."""
        return next((one for one in self.structures if one.source == source_id), None)


async def catalogs(context: CallContext, sources: Sequence[str] | None = None) -> Catalogs:
    """The structures of these sources of the run, of all of them without names. A source that fails is told beside
    the others. Raises CallError `not_found` for a source that isn't open, and the failure when no source is left."""
    open_now = context.scope.of_kind(*READABLE)
    wanted = sorted(set(sources)) if sources is not None else open_now
    for source in wanted:
        if source not in open_now:
            raise _no_source(source, open_now)
    answers = await asyncio.gather(*(_structure_or_failure(context, source) for source in wanted))
    structures = tuple(answer for answer in answers if isinstance(answer, Structure))
    failures = tuple(
        (source, answer) for source, answer in zip(wanted, answers, strict=True) if isinstance(answer, CallError)
    )
    if failures and not structures:
        raise failures[0][1]
    return Catalogs(structures, failures)


def sources_of(context: CallContext, resource_ids: Sequence[str]) -> list[str] | None:
    """The sources that these ids stand in; all of them (None) when one isn't open, to find what is near."""
    sources = {source_of(name) for name in resource_ids}
    return sorted(sources) if sources <= set(context.scope.of_kind(*READABLE)) else None


def resource(known: Catalogs, resource_id: str) -> Resource:
    """The resource of this id. Raises CallError `not_found` with near ids, and the failure of its source."""
    source = source_of(resource_id)
    failure = next((error for name, error in known.failures if name == source), None)
    if failure is not None:
        raise failure
    structure = known.of(source)
    hit = found(structure, resource_id) if structure is not None else None
    if hit is None:
        raise not_found(known, resource_id)
    return hit


def not_found(known: Catalogs, resource_id: str) -> CallError:
    """What is said of an id that no open source has."""
    near = near_ids(known, resource_id)
    return CallError(
        "not_found",
        f"No resource is called {resource_id!r}.",
        hint=f"Near ids: {', '.join(near)}." if near else "catalog_search finds ids by words.",
        retryable=True,
        details={"near": [*near]},
    )


def near_ids(known: Catalogs, resource_id: str, most: int = 5) -> list[str]:
    """Ids of existing resources most like this one, best first: in its own source, else in all."""
    own = known.of(source_of(resource_id))
    name = resource_id.partition("/")[2] or resource_id
    bare = name.rpartition(".")[2]
    for structures in ((own,) if own is not None else (), known.structures):
        for words in (name, bare):
            if hits := search(structures, words)[:most]:
                return [hit.resource.id for hit in hits]
    return []


async def _structure_or_failure(context: CallContext, source: str) -> Structure | CallError:
    try:
        async with asyncio.timeout(context.limits.catalog_seconds):
            await context.admitted(source)
            if context.scope.kind(source) is SourceKind.WORKSPACE:
                return workspace_structure(await workspace(context).catalog())
            return await database(context, source).structure()
    except CallError as error:
        return error
    except TimeoutError:
        seconds = context.limits.catalog_seconds
        message = f"The catalog of {source} was not read within {seconds} s."
        return CallError("source_unavailable", message, hint="Go on without it, or ask again later.", retryable=True)


def _no_source(source: str, open_now: Sequence[str]) -> CallError:
    return CallError(
        "not_found",
        f"No source {source!r} is open here.",
        hint=f"Open here: {', '.join(open_now)}.",
        retryable=True,
        details={"near": list(open_now)},
    )


def workspace_structure(catalog: WorkspaceCatalog) -> Structure:
    """The workspace's tables as a source like the others: counted rows, no declared keys, where they come from as
    comment. Those of files not read yet have their name and no columns."""
    unread = tuple((name, file.path) for file in catalog.files if file.unread for name in file.tables)
    return _workspace_structure(catalog.revision, catalog.tables, unread)


@lru_cache(maxsize=4)
def _workspace_structure(
    revision: str, tables: tuple[WorkspaceTable, ...], unread: tuple[tuple[str, str], ...]
) -> Structure:
    found = [_workspace_table(table) for table in tables]
    found += [_unread_table(name, path) for name, path in unread]
    return Structure(SOURCE, DIALECT, tuple(sorted(found, key=lambda table: table.id)), revision)


def _workspace_table(table: WorkspaceTable) -> CatalogTable:
    columns = tuple(CatalogColumn(column.name, column.type) for column in table.columns)
    return CatalogTable(
        table.name,
        "",
        table.name,
        TableKind.TABLE,
        columns,
        comment=f"from {table.origin}",
        rows_estimate=table.rows,
    )


def _unread_table(name: str, path: str) -> CatalogTable:
    comment = f"from {path}, which is read when it is used: inspect_table shows its columns"
    return CatalogTable(name, "", name, TableKind.TABLE, (), comment=comment)

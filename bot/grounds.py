"""What an answer rests on: sources, each under the rules by which its cells were seen, and the files that it read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.files_behind import UNKNOWN, all_files, files_behind, of_files
from runtime.admission.policy import WORKSPACE
from runtime.engines.workspace.model import WorkspaceCatalog
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError
from runtime.evidence import Evidence

# The files of a conversation where the workspace's folder isn't open: another ground than the folder. No source's id
# holds a colon.
ATTACHED = f"{WORKSPACE}:attached"


@dataclass(slots=True)
class Grounds:
    """Of one turn. `opened` are the sources open at its start, by id, with the rules of `Policy.sight`; `carried` is
    what the earlier answers it was shown rest on; `workspace` what it sees of files, and `files` those behind its own
    evidence, once that was noted."""

    opened: dict[str, str] = field(default_factory=dict[str, str])
    carried: Mapping[str, str] = field(default_factory=dict[str, str])
    workspace: Workspace | None = None
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    def used(self, evidence: Sequence[Evidence]) -> frozenset[str]:
        """The sources that an answer over `evidence` rests on: all that are open, where an item doesn't tell."""
        found = {name for name in self.carried if not of_files(name)}
        for item in evidence:
            named: Iterable[str] = {ref.source for ref in item.sources}
            named |= {ref.source for query in item.queries for ref in query.sources}
            found |= named or self.opened.keys()
        if ATTACHED in self.opened and WORKSPACE in found:
            found = found - {WORKSPACE} | {ATTACHED}
        return frozenset(found)

    async def note_files(self, evidence: Sequence[Evidence]) -> None:
        """Notes the files behind the evidence as long as they are there: one that is deleted takes the answer along."""
        if self.workspace is not None and evidence and not self.used(evidence).isdisjoint((WORKSPACE, ATTACHED)):
            catalog = await self.catalog()
            self.files = UNKNOWN if catalog is None else files_behind(evidence, catalog)

    async def note_all_files(self) -> None:
        """For words that may tell of any file."""
        if self.workspace is not None:
            catalog = await self.catalog()
            self.files = UNKNOWN if catalog is None else all_files(catalog)

    async def catalog(self) -> WorkspaceCatalog | None:
        """The files that are there now; None where there are none to be looked for."""
        try:
            return None if self.workspace is None else await self.workspace.catalog()
        except CallError:
            return None

    def rests_on(self, evidence: Sequence[Evidence]) -> Mapping[str, str]:
        """The sources with their rules, and the files, as the state keeps them. A source that was open only to an
        earlier attempt of this turn has rules that nothing equals."""
        sources = {source: self.opened.get(source, "") for source in sorted(self.used(evidence))}
        return sources | {name: content for name, content in self.carried.items() if of_files(name)} | dict(self.files)

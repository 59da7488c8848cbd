"""What an answer rests on: sources, each under the rules by which its cells were seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from runtime.admission.policy import WORKSPACE
from runtime.evidence import Evidence

# The files of a conversation where the workspace's folder isn't open: another ground than the folder. No source's id
# holds a colon.
ATTACHED = f"{WORKSPACE}:attached"


@dataclass(slots=True)
class Grounds:
    """Of one turn. `opened` are the sources open at its start, by id, with the rules of `Policy.sight`; `carried` those
    that the earlier answers it was shown rest on."""

    opened: dict[str, str] = field(default_factory=dict[str, str])
    carried: frozenset[str] = frozenset()

    def used(self, evidence: Sequence[Evidence]) -> frozenset[str]:
        """The sources that an answer over `evidence` rests on: all that are open, where an item doesn't tell."""
        found = set(self.carried)
        for item in evidence:
            named: Iterable[str] = {ref.source for ref in item.sources}
            named |= {ref.source for query in item.queries for ref in query.sources}
            found |= named or self.opened.keys()
        if ATTACHED in self.opened and WORKSPACE in found:
            found = found - {WORKSPACE} | {ATTACHED}
        return frozenset(found)

    def rests_on(self, evidence: Sequence[Evidence]) -> Mapping[str, str]:
        """The same with each source's rules, as the state keeps it. A source that was open only to an earlier attempt
        of this turn has rules that nothing equals."""
        return {source: self.opened.get(source, "") for source in sorted(self.used(evidence))}

"""The policy in force: a manifest with its digest, and the decisions it gives for a place and a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from runtime.admission.audience import Asker, Audience, Conversation, decide
from runtime.admission.manifest import Manifest

WORKSPACE = "workspace"
# What a source's declaration says beside what of it is seen.
_NOT_SIGHT = frozenset({"audience", "label", "updates", "updates_url"})

_HINTS: Mapping[str, str] = {
    "im_off": "The data is not open in direct messages.",
    "place_not_listed": "The data is not open in this channel.",
    "wildcard_excludes_shared": "The data is open in the workspace's own channels only, not in shared ones.",
    "place_external": "The data is not open in channels shared with another organisation.",
    "person_external": "The data is not open to people of another organisation.",
    "guest_asker": "The data is not open to guests.",
    "guest_can_read": "A guest can read this channel.",
    "person_not_listed": "The data is open to some people only.",
    "asker_deactivated": "This account is closed.",
    "asker_bot": "Bots may not ask.",
    "no_person": "The data is open to some people only, and nobody in particular asks.",
    "place_archived": "The channel is archived.",
    "unknown_state": "Who can read this conversation could not be learned, so it stays closed.",
}


def _digest(declared: BaseModel, without: Iterable[str] = ()) -> str:
    body = json.dumps(declared.model_dump(mode="json", exclude=set(without)), sort_keys=True)
    return "sha256:" + hashlib.sha256(body.encode()).hexdigest()


def sentence_of(reason: str) -> str:
    """A reason's code in words for people."""
    return _HINTS.get(reason, "The data is closed here.")


@dataclass(frozen=True, slots=True)
class Denied:
    """A source that is closed here, with the reason's code and a sentence for people."""

    reason: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Policy:
    """One manifest in force. `revision` is the digest over everything it says."""

    manifest: Manifest
    revision: str

    @classmethod
    def of(cls, manifest: Manifest) -> Policy:
        """The policy of a manifest."""
        return cls(manifest, _digest(manifest))

    def audiences(self) -> dict[str, Audience]:
        """The audience of every declared source, by id."""
        found = {source.id: source.audience for source in self.manifest.sources}
        if self.manifest.workspace is not None:
            found[WORKSPACE] = self.manifest.workspace.audience
        return found

    def admitted(self, conversation: Conversation, asker: Asker | None) -> frozenset[str]:
        """The ids of the sources that are open here, now, to this asker."""
        audiences = self.audiences()
        return frozenset(name for name, item in audiences.items() if decide(item, conversation, asker).admitted)

    def denial(self, source: str, conversation: Conversation, asker: Asker | None) -> Denied | None:
        """Why a source is closed here, or None when it is open. An undeclared source is closed without a word more."""
        audience = self.audiences().get(source)
        if audience is None:
            return Denied("place_not_listed", _HINTS["place_not_listed"])
        verdict = decide(audience, conversation, asker)
        return None if verdict.admitted else Denied(verdict.reason, sentence_of(verdict.reason))

    def sight(self, sources: Iterable[str]) -> dict[str, str]:
        """For each declared one of these sources a digest of what decides which of its cells are seen: where it is,
        its tables, columns and `model_rows`. Its audience is another matter."""
        workspace = self.manifest.workspace
        declared: dict[str, BaseModel] = {source.id: source for source in self.manifest.sources}
        declared |= {} if workspace is None else {WORKSPACE: workspace}
        return {name: _digest(declared[name], _NOT_SIGHT) for name in sorted(sources) if name in declared}

    def timezone(self, channel: str) -> str:
        """The zone in force: the channel's setting, else the manifest's."""
        settings = self.manifest.channels.get(channel)
        return (settings.timezone if settings else None) or self.manifest.timezone

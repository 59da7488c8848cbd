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
_OWN_CHANNELS = "Ask me in one of the workspace's own channels."
_NEXT: Mapping[str, str] = {
    "im_off": "Ask me in a channel where it is open.",
    "place_not_listed": "Ask me in a channel where it is open, or an operator to open it here.",
    "wildcard_excludes_shared": _OWN_CHANNELS,
    "place_external": _OWN_CHANNELS,
    "person_external": "Somebody of this workspace has to ask, or an operator can open it to you.",
    "guest_asker": "A member of this workspace who is no guest has to ask, or an operator can open it to guests.",
    "guest_can_read": "Ask me where no guest reads along, or an operator can open it to them.",
    "person_not_listed": "Ask one of them, or an operator to open it to you.",
    "asker_deactivated": "Ask from an account that is in use.",
    "asker_bot": "A person has to ask.",
    "no_person": "Ask me yourself.",
    "place_archived": "Ask me in a channel that is in use.",
    "unknown_state": "Ask again in a moment.",
}


def _digest(declared: BaseModel, without: Iterable[str] = ()) -> str:
    body = json.dumps(declared.model_dump(mode="json", exclude=set(without)), sort_keys=True)
    return "sha256:" + hashlib.sha256(body.encode()).hexdigest()


def sentence_of(reason: str) -> str:
    """A reason's code in words for people."""
    return _HINTS.get(reason, "The data is closed here.")


def next_step_of(reason: str, asker: Asker | None = None) -> str:
    """What a person can do about a reason, by its code. Other places help nobody from another organisation."""
    if asker is not None and asker.external and _NEXT.get(reason) == _OWN_CHANNELS:
        reason = "person_external"
    return _NEXT.get(reason, "An operator can tell more.")


@dataclass(frozen=True, slots=True)
class Denied:
    """A source that is closed here, with the reason's code, a sentence for people, and what they can do."""

    reason: str
    sentence: str
    next_step: str


def _denied(reason: str, asker: Asker | None) -> Denied:
    return Denied(reason, sentence_of(reason), next_step_of(reason, asker))


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
            return _denied("place_not_listed", asker)
        verdict = decide(audience, conversation, asker)
        return None if verdict.admitted else _denied(verdict.reason, asker)

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

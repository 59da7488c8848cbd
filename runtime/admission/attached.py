"""Files attached in a conversation: open there to whoever reads along, and to be asked about by people of our own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from runtime.admission.audience import Asker, Audience, Conversation, decide
from runtime.admission.now import Present
from runtime.admission.policy import WORKSPACE
from runtime.capability import AdmissionNow, Closed, Open, Scope

_OWN_PEOPLE = Audience(im=True)


def attached_open(place: Conversation, asker: Asker | None) -> bool:
    """What was posted in a place is readable by its readers, guests and other organisations among them; but only our
    own people have it read. What could not be learned closes."""
    here = Audience(channels=(place.id,) if place.kind != "im" else (), im=True, external=True, guests=True)
    return decide(here, place, asker).admitted and decide(_OWN_PEOPLE, Conversation("im", ""), asker).admitted


@dataclass(frozen=True, slots=True)
class AdmissionWithAttached:
    """Admission for a run whose workspace holds attached files: beside the folder's where that was open when the run
    began (`beside_folder`), else alone. `revision` is of what the run's workspace holds."""

    policy: AdmissionNow
    present: Present
    beside_folder: bool
    revision: Callable[[], Awaitable[str]]

    async def source(self, scope: Scope, source_id: str) -> Open | Closed:
        """As `AdmissionByPolicy.source`. A folder that closes meanwhile closes the attached files, too: both are one
        workspace to the run."""
        if source_id != WORKSPACE:
            return await self.policy.source(scope, source_id)
        if self.beside_folder:
            decision = await self.policy.source(scope, source_id)
            if isinstance(decision, Closed):
                return decision
        place, asker = await self.present.look(scope)
        if not attached_open(place, asker):
            return Closed("The attached files are no longer open here.", "Say so; do not try another way.")
        return Open(await self.revision())

"""What a run needs, with journals in memory, so that a test names only the parts it is about."""

from __future__ import annotations

from typing import Any

from runtime.capability import AdmissionNow, Services
from runtime.clock import SystemClock
from runtime.limits import DEFAULT
from runtime.registry import Registry
from runtime.run import Wiring
from runtime.testing.clock import counted_ids
from runtime.testing.journal import MemoryJournal, MemoryReplies
from runtime.testing.scripted_model import ScriptedModel


def wiring_over(services: Services, admission: AdmissionNow, **parts: Any) -> Wiring:
    """All tools that `services` can serve, a model without a script, the default limits, this machine's clock and
    counted ids; `parts` are fields of Wiring that take the place of these."""
    usual: dict[str, Any] = {
        "registry": Registry.of().served(services),
        "model": ScriptedModel([]),
        "instructions": "",
        "journal": MemoryJournal(),
        "replies": MemoryReplies(),
        "limits": DEFAULT,
        "clock": SystemClock(),
        "new_id": counted_ids(),
    }
    return Wiring(admission=admission, services=services, **{**usual, **parts})

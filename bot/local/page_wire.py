"""What went over the wire, for the page's developer panel: API calls and deliveries, each with its JSON, no secrets."""

from __future__ import annotations

from typing import Any

from .delivery import Delivered
from .hub import Hub
from .wire import ApiCall, Json

_MOST = 200
_HIDDEN = "(hidden)"
#: Names whose values open something: shown nowhere, not even on the person's own machine.
_SECRETS = frozenset({"token", "response_url", "trigger_id", "upload_url", "client_secret", "signing_secret"})


def since(hub: Hub, calls: int, deliveries: int) -> Json:
    """Records after the first `calls` and `deliveries`, oldest first, at most 200 of each kind (the newest), with the
    two numbers to ask with next time. A call that is still running is left for the next time."""
    known_calls, attempts = hub.workspace.calls, hub.delivery.attempts
    finished = next((at for at in range(calls, len(known_calls)) if known_calls[at].result is None), len(known_calls))
    new_calls = known_calls[max(calls, finished - _MOST) : finished]
    new_deliveries = attempts[max(deliveries, len(attempts) - _MOST) :]
    entries = [*map(_call, new_calls), *map(_delivery, new_deliveries)]
    return {
        "entries": sorted(entries, key=lambda entry: entry["at"]),
        "calls": finished,
        "deliveries": len(attempts),
    }


def _call(call: ApiCall) -> Json:
    outcome = "ok" if call.ok else call.error or f"HTTP {call.status}"
    return {
        "way": "call",
        "name": call.method,
        "at": call.at,
        "ok": call.ok and call.delivered,
        "outcome": outcome if call.delivered else f"{outcome}, reply lost",
        "sent": without_secrets(call.args),
        "answered": without_secrets(call.result),
    }


def _delivery(delivered: Delivered) -> Json:
    event = delivered.payload.get("event") or {}
    name = event.get("type") or delivered.payload.get("command") or delivered.payload.get("type") or delivered.kind
    said = "acknowledged" if delivered.ack.ok else delivered.ack.reason or "refused"
    return {
        "way": "event",
        "name": str(name),
        "at": delivered.at,
        "ok": delivered.ack.ok,
        "outcome": said if not delivered.attempt else f"{said}, attempt {delivered.attempt + 1}",
        "sent": without_secrets(delivered.payload),
        "answered": without_secrets(delivered.ack.payload),
    }


def without_secrets(value: Any) -> Any:
    """A copy of a JSON value in which values of secret names are replaced; text that isn't JSON stays as it is."""
    if isinstance(value, dict):
        return {key: _HIDDEN if key in _SECRETS and item else without_secrets(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_secrets(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)

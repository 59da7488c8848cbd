"""Words shared by every part of the server: errors as Slack names them, calls as recorded, arguments as read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


class SlackError(Exception):
    """A refusal in Slack's words: `error` is the published name, `extra` goes beside it in the reply."""

    def __init__(
        self, error: str, *messages: str, status: int = 200, headers: Json | None = None, **extra: Any
    ) -> None:
        super().__init__(": ".join([error, *messages]))
        self.error = error
        self.status = status
        self.headers: dict[str, str] = headers or {}
        self.extra: Json = dict(extra)
        if messages:
            self.extra["response_metadata"] = {"messages": list(messages)}

    def body(self) -> Json:
        """The JSON reply."""
        return {"ok": False, "error": self.error, **self.extra}


@dataclass(slots=True)
class ApiCall:
    """One recorded Web API call: arguments as understood, reply as sent (None while it is running).

    `delivered` is False when the request was done but its reply was lost on purpose.
    """

    number: int
    method: str
    args: Json
    app_id: str | None
    at: float
    result: Json | None = None
    status: int = 0
    delivered: bool = True

    @property
    def ok(self) -> bool:
        """Whether Slack said yes."""
        return bool(self.result and self.result.get("ok"))

    @property
    def error(self) -> str | None:
        """Slack's error name, if it said no."""
        return None if self.result is None else self.result.get("error")


@dataclass(slots=True)
class Args:
    """Arguments of one call, typed on reading; a missing or malformed one is Slack's own error."""

    values: Json = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether the argument was given and isn't empty."""
        return self.values.get(name) not in (None, "")

    def text(self, name: str, default: str | None = None) -> str:
        """A string; `invalid_arguments` when required and absent or not a scalar."""
        value = self.values.get(name, default)
        if value is None:
            raise SlackError("invalid_arguments", f"[ERROR] missing required field: {name}")
        if isinstance(value, (dict, list)):
            raise SlackError("invalid_arguments", f"[ERROR] must be a string [json-pointer:/{name}]")
        return str(value)

    def optional(self, name: str) -> str | None:
        """A string, or None when absent or empty."""
        return self.text(name) if self.has(name) else None

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean in any of Slack's spellings."""
        if not self.has(name):
            return default
        return str(self.values[name]).lower() in ("1", "true", "yes", "on")

    def number(self, name: str, default: int) -> int:
        """A whole number; `invalid_arguments` otherwise."""
        if not self.has(name):
            return default
        try:
            return int(self.values[name])
        except (TypeError, ValueError):
            raise SlackError("invalid_arguments", f"[ERROR] must be an integer [json-pointer:/{name}]") from None

    def json(self, name: str, error: str = "invalid_arguments") -> Any:
        """A JSON value, decoded when it came as text; None when absent."""
        if not self.has(name):
            return None
        value = self.values[name]
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            raise SlackError(error, f"[ERROR] not valid JSON [json-pointer:/{name}]") from None

    def listing(self, name: str) -> list[str]:
        """Strings from a JSON list or a comma-separated text."""
        value = self.values.get(name)
        if isinstance(value, list):
            return [str(item) for item in value]
        text = self.optional(name) or ""
        if text.startswith("["):
            return [str(item) for item in self.json(name)]
        return [item.strip() for item in text.split(",") if item.strip()]

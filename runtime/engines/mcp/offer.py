"""What a server offers, and the digest that pins one tool of it together with the server's identity."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

PINNED_PARTS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""The parts of a tool's definition that its digest covers; the others (icons, `_meta`) reach nobody."""


@dataclass(frozen=True)
class Offer:
    """One tool as its server offers it now, and who the server says it is."""

    server: Mapping[str, str]
    tool: Mapping[str, Any]

    @cached_property
    def pinned(self) -> Mapping[str, Any]:
        """What the digest covers: `{server: {name, version}, tool: {…}}`, a missing part left out."""
        return {
            "server": dict(self.server),
            "tool": {part: self.tool[part] for part in PINNED_PARTS if self.tool.get(part) is not None},
        }

    @cached_property
    def digest(self) -> str:
        """`sha256:` and the hexadecimal digits over `pinned` as canonical JSON: keys sorted, no spaces, ASCII."""
        text = json.dumps(self.pinned, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

    def size(self) -> int:
        """How many characters the canonical JSON has."""
        return len(json.dumps(self.pinned, separators=(",", ":")))

    def differences(self, before: Offer) -> list[str]:
        """The names of the parts that are not as they were, in our words only."""
        found = ["the server's name or version"] if self.pinned["server"] != before.pinned["server"] else []
        now, then = self.pinned["tool"], before.pinned["tool"]
        return found + [f"its {part}" for part in PINNED_PARTS if now.get(part) != then.get(part)]

    @property
    def says_it_writes(self) -> bool:
        """Whether the server itself says that the tool is more than a read. Its silence proves nothing."""
        hints = cast(Mapping[str, Any], self.tool.get("annotations") or {})
        return hints.get("readOnlyHint") is False or hints.get("destructiveHint") is True


@dataclass(frozen=True)
class Listing:
    """All tools of a server at one moment, in the order in which it lists them."""

    server: Mapping[str, str]
    tools: tuple[Mapping[str, Any], ...]

    @cached_property
    def repeated(self) -> frozenset[str]:
        """Names that are listed more than once, so that nobody can tell which tool is meant."""
        return frozenset(name for name, times in Counter(map(_name, self.tools)).items() if times > 1)

    def offer(self, name: str) -> Offer | None:
        """The tool of this name, or None."""
        return next((Offer(self.server, tool) for tool in self.tools if _name(tool) == name), None)

    def offers(self) -> list[Offer]:
        """Every tool whose name is listed once."""
        return [Offer(self.server, tool) for tool in self.tools if _name(tool) not in self.repeated]


def _name(tool: Mapping[str, Any]) -> str:
    name = tool.get("name")
    return name if isinstance(name, str) else ""

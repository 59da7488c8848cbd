"""One admitted remote tool: its pin, its contract once that was seen, and why it can't be called now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.capability import ArgumentCheck
from runtime.engines.mcp.contract import PinnedContract
from runtime.engines.mcp.offer import Listing, Offer
from runtime.engines.mcp.safe_schema import SchemaRefused
from runtime.errors import CallError
from runtime.limits import Limits

_READMIT = "An operator has to compare it with `footnote check` and admit it anew in the manifest."


class RemoteTool:
    """The contract is a constant, since its digest is pinned; whether it still holds is asked with every listing."""

    def __init__(self, name: str, digest: str, limits: Limits) -> None:
        self.name, self.digest = name, digest
        self._limits = limits
        self._contract: PinnedContract | None = None
        self.changed = ""
        self.closed = "it was not looked at yet"

    @property
    def offered(self) -> bool:
        """Whether a run may see it: what was admitted is known, and the server still offered it when last asked."""
        return not self.reason

    @property
    def reason(self) -> str:
        """Why it can't be called now, in our words, or ''."""
        return self.changed or self.closed

    def input_schema(self) -> Mapping[str, Any]:
        """The pinned schema as the model sees it. Raises LookupError while it isn't known."""
        return self._known().schema

    def check(self) -> ArgumentCheck:
        """What arguments are held against. Raises LookupError while it isn't known."""
        return self._known().check

    def settle(self, listing: Listing) -> None:
        """Compares what is offered now with what was admitted. A change stays until an operator admits it anew."""
        offer = listing.offer(self.name)
        if self.name in listing.repeated:
            self._change("the server lists more than one tool of this name")
        elif offer is None:
            self.closed = "the server doesn't offer it now"
        elif offer.digest != self.digest:
            self._change(f"{self._differences(offer)} changed since it was admitted")
        else:
            self._hold(offer)

    def require(self) -> None:
        """Raises CallError `remote_changed` or `source_unavailable` when it may not be called."""
        if self.changed:
            raise CallError("remote_changed", f"{self.name} is not called: {self.changed}.", hint=_READMIT)
        if self.closed:
            raise CallError("source_unavailable", f"{self.name} can't be called: {self.closed}.", retryable=True)

    def _change(self, reason: str) -> None:
        self.changed = self.changed or reason

    def _differences(self, offer: Offer) -> str:
        if self._contract is None:
            return "the server's identity, or this tool's description or schema,"
        return " and ".join(offer.differences(self._contract.offer))

    def _hold(self, offer: Offer) -> None:
        try:
            self._contract = self._contract or PinnedContract.of(offer, self._limits)
        except SchemaRefused as error:
            self.closed = str(error)
        else:
            self.closed = ""

    def _known(self) -> PinnedContract:
        if self._contract is None:
            raise LookupError(f"the contract of {self.name} is not known yet")
        return self._contract

"""People who answer at once, and remember what they were asked and told."""

from __future__ import annotations

from runtime.boundary import Approved, NotApproved


class Yes:
    """Approves every frozen call. `meanwhile` happens while it is asked; `left` is what an earlier attempt left."""

    def __init__(self, change=lambda call: call.digest, meanwhile=lambda: None, left=None) -> None:
        self.asked = []
        self.outcomes = []
        self.change = change
        self.meanwhile = meanwhile
        self.left = left

    async def earlier(self, run_id, call_id):
        return self.left

    async def ask(self, call):
        self.asked.append(call)
        self.meanwhile()
        return Approved("a1", self.change(call), "U0ANN")

    async def settle(self, approval_id, outcome):
        self.outcomes.append(outcome)


class No(Yes):
    """Rejects every frozen call."""

    async def ask(self, call):
        return NotApproved("U0ANN rejected it.", rejected=True)

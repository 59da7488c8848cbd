"""What tests can see: messages, calls, refusals, statuses, deliveries; and waiting for them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TypeVar

from .delivery import Delivered
from .faults import Faults
from .hub import Hub
from .wire import ApiCall, Json
from .workspace import Refusal, Status, Workspace
from .world import AppInstall

Found = TypeVar("Found")

#: What a test waits for is given up after this many seconds: more than a busy machine takes.
PATIENCE_SECONDS = 60.0


class Watching:
    """Read-only views of the workspace, and conditions to wait for."""

    hub: Hub
    workspace: Workspace

    @property
    def app(self) -> AppInstall:
        """The app under test."""
        return self.workspace.app()

    @property
    def faults(self) -> Faults:
        """The fault switches."""
        return self.workspace.faults

    @property
    def calls(self) -> list[ApiCall]:
        """Every Web API call so far."""
        return self.workspace.calls

    def calls_to(self, method: str) -> list[ApiCall]:
        """The calls of one method."""
        return [call for call in self.workspace.calls if call.method == method]

    @property
    def refusals(self) -> list[Refusal]:
        """Every payload that a limit refused."""
        return self.workspace.refusals

    @property
    def cautions(self) -> list[str]:
        """What Slack accepts but treats badly: over-long text, unfurled links."""
        return self.workspace.cautions

    @property
    def statuses(self) -> list[Status]:
        """Every status line so far, clearings included."""
        return self.workspace.statuses

    @property
    def deliveries(self) -> list[Delivered]:
        """Every finished delivery attempt."""
        return self.hub.delivery.attempts

    @property
    def ephemerals(self) -> list[Json]:
        """Messages shown to one person (`shown_to`)."""
        return self.workspace.ephemerals

    @property
    def views(self) -> dict[str, Json]:
        """Open modals by id."""
        return self.workspace.views

    @property
    def sockets(self) -> int:
        """How many sockets the app under test holds."""
        return len(self.hub.sockets.live(self.app.app_id))

    def home(self, user: str) -> Json | None:
        """A person's App Home as published."""
        return self.workspace.homes.get((self.app.app_id, user))

    def status(self, channel: str, thread_ts: str) -> str:
        """The status line of a thread now."""
        return self.workspace.status(self.workspace.channel_named(channel).id, thread_ts)

    def messages(self, channel: str, thread_ts: str | None = None) -> list[Json]:
        """Copies of a channel's top-level messages or of a thread (root first), metadata included."""
        where = self.workspace.channel_named(channel).id
        found = self.workspace.history(where) if thread_ts is None else self.workspace.thread(where, thread_ts)
        return deepcopy(found)

    def answers(self, channel: str, thread_ts: str) -> list[Json]:
        """The bot's messages in a thread, oldest first."""
        return [m for m in self.messages(channel, thread_ts) if m.get("bot_id") == self.app.bot_id]

    def file(self, file_id: str) -> bytes:
        """A file's bytes."""
        content = self.workspace.files[file_id].content
        if content is None:
            raise LookupError(f"no bytes for {file_id}")
        return content

    async def wait_for(self, predicate: Callable[[], Found | None], timeout: float = PATIENCE_SECONDS) -> Found:
        """Wait until `predicate()` is true, woken by every change; TimeoutError with the last calls."""
        try:
            return await self.workspace.changes.wait_for(predicate, timeout)
        except TimeoutError:
            raise TimeoutError(self._story()) from None

    async def wait_for_answers(
        self, channel: str, thread_ts: str, count: int = 1, timeout: float = PATIENCE_SECONDS
    ) -> list[Json]:
        """Wait for at least `count` messages of the bot in a thread."""

        def enough() -> list[Json] | None:
            found = self.answers(channel, thread_ts)
            return found if len(found) >= count else None

        return await self.wait_for(enough, timeout)

    async def wait_for_socket(self, count: int = 1, timeout: float = PATIENCE_SECONDS) -> None:
        """Wait until the app holds at least `count` sockets."""
        await self.wait_for(lambda: self.sockets >= count, timeout)

    async def settled(self, timeout: float = PATIENCE_SECONDS) -> None:
        """Wait until every event was delivered or given up (retries that wait for their minute count as on the way)."""
        await self.wait_for(lambda: self.hub.delivery.idle, timeout)

    def _story(self) -> str:
        lines = [f"  {c.number} {c.method} → {c.error or ('ok' if c.ok else c.status)}" for c in self.calls[-12:]]
        refused = [f"  {r.method}: {r.error} {' '.join(r.messages)}" for r in self.refusals[-5:]]
        parts = ["nothing like it happened; last calls:", *(lines or ["  none"])]
        return "\n".join([*parts, *(["refused:", *refused] if refused else [])])

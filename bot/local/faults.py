"""Faults on demand: what the real Slack does on a bad day, switched on by tests and by the page."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from .wire import Json

Action = Literal["rate_limit", "lose_reply", "lose_request", "http_error", "error", "delay", "hold"]


@dataclass(slots=True, eq=False)
class Rule:
    """One fault on Web API calls whose method matches `method` (`chat.*` works); `remaining` None = for ever."""

    action: Action
    method: str
    remaining: int | None
    when: Callable[[Json], bool] | None = None
    seconds: float = 0.0
    status: int = 500
    error: str = "internal_error"
    extra: Json = field(default_factory=dict)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self) -> None:
        """Let held calls go on; later calls are not held."""
        self.remaining = 0
        self.released.set()

    def take(self, method: str, args: Json) -> bool:
        """Whether the rule applies to this call; uses up one of its times if so."""
        if self.remaining == 0 or not fnmatchcase(method, self.method):
            return False
        if self.when is not None and not self.when(args):
            return False
        if self.remaining is not None:
            self.remaining -= 1
        return True


@dataclass(slots=True)
class EventFaults:
    """What happens to deliveries towards the bot."""

    copies: int = 1
    delay: float = 0.0
    lost_acks: int = 0
    holding: bool = False
    timestamp_skew: float = 0.0
    signature_skew: float = 0.0


class Faults:
    """All switches in one place; `clear()` makes the day good again."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._rules: list[Rule] = []
        self.events = EventFaults()
        self.refused_blocks: dict[str, int | None] = {}
        self.lost_shares = 0
        self.files_held = False
        self._held_events: list[Callable[[], Any]] = []
        self._held_files: list[Callable[[], Any]] = []

    # -- Web API ---------------------------------------------------------------------------------------------

    def _add(self, action: Action, method: str, times: int | None, **fields: Any) -> Rule:
        rule = Rule(action, method, times, **fields)
        self._rules.append(rule)
        return rule

    def rate_limit(self, method: str = "*", *, times: int | None = 1, retry_after: float = 1) -> Rule:
        """HTTP 429 with `Retry-After` (seconds); the request is not done."""
        return self._add("rate_limit", method, times, seconds=retry_after)

    def lose_reply(self, method: str, *, times: int | None = 1, when: Callable[[Json], bool] | None = None) -> Rule:
        """The request is done, then the connection drops before the reply."""
        return self._add("lose_reply", method, times, when=when)

    def lose_request(self, method: str, *, times: int | None = 1) -> Rule:
        """The connection drops before the request is done."""
        return self._add("lose_request", method, times)

    def http_error(self, method: str = "*", *, status: int = 500, times: int | None = 1) -> Rule:
        """An HTTP error with an HTML body; the request is not done."""
        return self._add("http_error", method, times, status=status)

    def error(self, method: str, error: str, *, times: int | None = 1, **extra: Any) -> Rule:
        """`{"ok": false, "error": error}` with `extra` fields; the request is not done."""
        return self._add("error", method, times, error=error, extra=extra)

    def delay(self, method: str, seconds: float, *, times: int | None = None) -> Rule:
        """The request waits before it is done."""
        return self._add("delay", method, times, seconds=seconds)

    def hold(self, method: str, *, times: int | None = None, when: Callable[[Json], bool] | None = None) -> Rule:
        """The request waits until `rule.release()`; `rule.reached` is set when one arrives."""
        return self._add("hold", method, times, when=when)

    def rule_for(self, method: str, args: Json) -> Rule | None:
        """The first rule that applies to this call, used up by one."""
        return next((rule for rule in self._rules if rule.take(method, args)), None)

    # -- blocks and files ------------------------------------------------------------------------------------

    def refuse_blocks(self, block_type: str, *, times: int | None = None) -> None:
        """Messages with a block of this type are answered `invalid_blocks`."""
        self.refused_blocks[block_type] = times

    def refuses(self, block_types: set[str]) -> str | None:
        """The refused block type among these, used up by one; None when all are welcome."""
        for block_type, times in self.refused_blocks.items():
            if block_type in block_types and times != 0:
                if times is not None:
                    self.refused_blocks[block_type] = times - 1
                return block_type
        return None

    def drop_file_shares(self, times: int = 1) -> None:
        """Completed uploads say ok but are never shared into the channel."""
        self.lost_shares += times

    def hold_files(self) -> None:
        """Uploads stay in processing (no mimetype, no shares, no message) until `release_files()`."""
        self.files_held = True

    def when_files_flow(self, action: Callable[[], Any]) -> None:
        """Run `action` now, or when held files are released."""
        if self.files_held:
            self._held_files.append(action)
        else:
            action()

    def release_files(self) -> None:
        """Finish the processing of every held upload, in order."""
        self.files_held = False
        held, self._held_files = self._held_files, []
        for action in held:
            action()

    # -- events ----------------------------------------------------------------------------------------------

    def duplicate_events(self, copies: int = 2) -> None:
        """Deliver every event this many times, with the same event id."""
        self.events.copies = copies

    def delay_events(self, seconds: float) -> None:
        """Deliver events late."""
        self.events.delay = seconds

    def lose_acks(self, times: int = 1) -> None:
        """Ignore the bot's next acknowledgements, so that Slack retries."""
        self.events.lost_acks += times

    def hold_events(self) -> None:
        """Keep events back until `release_events()`."""
        self.events.holding = True

    def keep_event(self, deliver: Callable[[], Any]) -> bool:
        """Keep one delivery back if events are held."""
        if self.events.holding:
            self._held_events.append(deliver)
        return self.events.holding

    def release_events(self, order: Literal["same", "reversed", "shuffled"] = "same", *, times: int = 1) -> int:
        """Deliver what was kept back, each `times` times, in the given order; the number of deliveries."""
        self.events.holding = False
        held, self._held_events = self._held_events * times, []
        if order == "reversed":
            held.reverse()
        elif order == "shuffled":
            self._random.shuffle(held)
        for deliver in held:
            deliver()
        return len(held)

    def skew_clock(self, *, event_seconds: float = 0.0, signature_seconds: float = 0.0) -> None:
        """Shift the time in events and in request signatures (HTTP mode)."""
        self.events.timestamp_skew = event_seconds
        self.events.signature_skew = signature_seconds

    def clear(self) -> None:
        """End every fault; held calls, events and files are let go."""
        for rule in self._rules:
            rule.release()
        self._rules = []
        self.refused_blocks = {}
        self.lost_shares = 0
        self.events = EventFaults()
        self.release_events()
        self.release_files()

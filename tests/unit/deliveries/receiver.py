"""A receiver in memory that can lose requests and replies, and a process that can be killed at any boundary."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from runtime.deliveries import CannotTell, InDoubt, Later, NotThere, Probed, Refused, SendOutcome, Sent
from runtime.state import Deliveries, Delivery

Posted = tuple[str, int, str]


class Receiver:
    """Keeps what arrives. `faults` are taken one per request: `ok`, `lost` (never arrives), `reply_lost` (arrives, no
    answer), `later`, `refused`; when they run out everything works. While it is `away` nothing arrives and nobody can
    look; each attempt brings its return closer. It does not drop repeats by itself."""

    def __init__(self, faults: Iterable[str] = (), *, can_look: bool = True, away: int = 0) -> None:
        self._faults: Iterator[str] = iter(faults)
        self.can_look = can_look
        self.away = away
        self.posted: list[Posted] = []
        self.probes = 0

    async def send(self, delivery: Delivery) -> SendOutcome:
        if self._is_away():
            return Later(5.0)
        fault = next(self._faults, "ok")
        if fault == "later":
            return Later(1.5)
        if fault == "refused":
            return Refused("invalid_blocks")
        if fault == "lost":
            return InDoubt("the connection broke")
        self.posted.append((delivery.dest, delivery.part_no, delivery.client_token))
        return InDoubt("no answer") if fault == "reply_lost" else Sent(str(len(self.posted)))

    async def probe(self, delivery: Delivery) -> Probed:
        if self._is_away():
            return Later(5.0)
        self.probes += 1
        if not self.can_look:
            return CannotTell("missing_scope")
        tokens = [token for _, _, token in self.posted]
        return Sent(str(tokens.index(delivery.client_token) + 1)) if delivery.client_token in tokens else NotThere()

    def _is_away(self) -> bool:
        self.away -= 1
        return self.away >= 0

    def doubled(self) -> list[Posted]:
        return [posted for posted, count in Counter(self.posted).items() if count > 1]


class Killed(BaseException):
    """The process died here."""


class Life:
    """One life of a process: it dies at the `boundary`-th boundary (before or after some effect), and once dead does
    nothing more. Wrap whatever has effects in it."""

    def __init__(self, boundary: int | None) -> None:
        self._left = boundary

    def _pass(self) -> None:
        if self._left is None:
            return
        if self._left <= 0:
            raise Killed
        self._left -= 1

    def over(self, target: Any) -> Any:
        """`target` with a boundary before and after each of its coroutines."""
        return _Mortal(target, self._pass)


class Cut(Life):
    """One life in which the work is cancelled at the `boundary`-th boundary; the process lives on."""

    def __init__(self, boundary: int, cancel: Callable[[], object]) -> None:
        super().__init__(boundary)
        self._cancel = cancel

    def _pass(self) -> None:
        if self._left == 0:
            self._cancel()
        self._left = (self._left or 0) - 1


class _Mortal:
    def __init__(self, target: Deliveries | Receiver, boundary: Any) -> None:
        self._target = target
        self._boundary = boundary

    def __getattr__(self, name: str) -> Any:
        effect = getattr(self._target, name)

        async def mortal(*args: Any, **kwargs: Any) -> Any:
            self._boundary()
            result = await effect(*args, **kwargs)
            self._boundary()
            return result

        return mortal

"""The repeat memo: an exact repeat of a successful read in the same run is answered from memory."""

from __future__ import annotations

from runtime.boundary.call import CallResult


class Memo:
    """Successful reads by call digest and source revision. Any effect clears it."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], CallResult] = {}

    def find(self, digest: str, revision: str) -> CallResult | None:
        """The first result of exactly this call under the same revision, or None."""
        return self._known.get((digest, revision))

    def remember(self, digest: str, revision: str, result: CallResult) -> None:
        """Keeps the first success."""
        self._known.setdefault((digest, revision), result)

    def clear(self) -> None:
        """Forgets everything: the world may have changed."""
        self._known.clear()

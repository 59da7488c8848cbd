"""What was seen at previews, by fingerprint, so that drift can be told in words: the newest that fit into a bound."""

from __future__ import annotations

from collections import OrderedDict

from runtime.engines.postgresql.updates.preview import Preview

_CELL_BYTES = 64
"""What a cell takes beside its text, about."""
_PREVIEW_BYTES = 16_384
"""What a preview takes beside its rows, about: mostly what the catalogue says of the table."""


class SeenPreviews:
    """Holds previews of at most about `most_bytes` together, and always the newest. What waits for people while others
    look at many changes is told as much as possible: small previews are kept by the thousand."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._by_fingerprint: OrderedDict[str, Preview] = OrderedDict()
        self._bytes = 0

    def get(self, fingerprint: str) -> Preview | None:
        """The preview, unless it was never seen here or newer ones took its place."""
        return self._by_fingerprint.get(fingerprint)

    def keep(self, preview: Preview) -> None:
        """Makes it the newest."""
        if (same := self._by_fingerprint.pop(preview.fingerprint, None)) is not None:
            self._bytes -= _size(same)
        self._by_fingerprint[preview.fingerprint] = preview
        self._bytes += _size(preview)
        while self._bytes > self._most_bytes and len(self._by_fingerprint) > 1:
            _, oldest = self._by_fingerprint.popitem(last=False)
            self._bytes -= _size(oldest)


def _size(preview: Preview) -> int:
    texts = (text for row in preview.rows for text in (*row.key, *row.cells, *row.after))
    return _PREVIEW_BYTES + sum(_CELL_BYTES + len(text or "") for text in texts)

"""The one connection of a SQLite worker: read-only, of unknown origin, and always of the file that has the path now."""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

VALUE_BYTES = 5 * 1024 * 1024
"""The longest text or blob that SQLite may make or read: one operation on a longer one outlasts any deadline."""

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: VALUE_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 64 * 1024,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
}
_BUSY_SECONDS = 2.0


class Session:
    """Opens one file at a time. `immutable` is never used: it would not see what stands in the file's WAL."""

    def __init__(self, *, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._path = ""
        self._identity: tuple[int, int] | None = None
        self._connection: sqlite3.Connection | None = None
        self._names: tuple[str, frozenset[str]] | None = None

    def open(self, path: str) -> None:
        """Takes another file; it is opened by the first job."""
        self.close()
        self._path = path

    def connection(self) -> sqlite3.Connection:
        """A connection to the file that has the path now: another file in its place is noticed. Raises sqlite3.Error,
        OSError."""
        found = os.stat(self._path)
        identity = (found.st_dev, found.st_ino)
        if self._connection is None or identity != self._identity:
            self.close()
            self._connection = self._opened()
            self._identity = identity
        return self._connection

    def fingerprint(self, connection: sqlite3.Connection) -> str:
        """Which file is open and at which version its schema stands. Inside a transaction it cannot change."""
        (version,) = connection.execute("PRAGMA main.schema_version").fetchone()
        device, number = self._identity or (0, 0)
        return f"{device}:{number}:{version}"

    def names(self, connection: sqlite3.Connection, fingerprint: str) -> frozenset[str]:
        """The names, in lower case, of everything in the file that may stand in a FROM."""
        if self._names is None or self._names[0] != fingerprint:
            found = connection.execute("SELECT lower(name) FROM main.sqlite_schema WHERE type IN ('table', 'view')")
            self._names = (fingerprint, frozenset(name for (name,) in found))
        return self._names[1]

    def close(self) -> None:
        """Closes the open file."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._identity, self._names = None, None, None

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(self._path)}?mode=ro",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            cached_statements=0,
        )
        try:
            for kind, bound in _LIMITS.items():
                connection.setlimit(kind, bound)
            connection.execute("PRAGMA trusted_schema = 0")
            connection.execute("PRAGMA cell_size_check = 1")
            connection.execute("PRAGMA mmap_size = 0")
            connection.execute("PRAGMA query_only = 1")
            connection.execute(f"PRAGMA hard_heap_limit = {self._memory_bytes}")
            # Both must have been used once before an authorizer forbids what their first use does inside.
            connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')").fetchall()
            connection.execute("SELECT 1 FROM main.sqlite_schema LIMIT 1").fetchall()  # a file that is none is told now
        except sqlite3.Error:
            connection.close()
            raise
        return connection

"""The SQLite file itself: created whole or not at all, and never begun afresh over a damaged one."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from runtime.errors import StateUnavailable
from runtime.state import schema

_HEADER = b"SQLite format 3\x00"


def make_folder(folder: Path) -> None:
    """The folder of the state file, private to its owner when it is new."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateUnavailable(f"cannot make the folder {folder}: {error.strerror}") from error


def check_file(path: Path, advice: str | None = None) -> None:
    """Refuses a file that is not a readable SQLite database. Raises StateUnavailable with `advice` (for the state file:
    how to restore it)."""
    advice = advice or _advice(path)
    try:
        with path.open("r+b") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise StateUnavailable(f"cannot open {path} for writing: {error.strerror}") from error
    if header != _HEADER:
        found = "is empty" if not header else "is not a SQLite database"
        raise StateUnavailable(f"{path} {found}: it was damaged or replaced. {advice}")
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        raise StateUnavailable(f"{path} cannot be read ({error}). {advice}") from error


def create_file(path: Path) -> None:
    """A new file with the whole schema. It gets its name only when it is complete, so that a crash or a full disk
    during the first start leaves no half-made database behind. Raises StateUnavailable."""
    leftover = path.with_name(path.name + "-wal")
    if leftover.exists() and leftover.stat().st_size:
        raise StateUnavailable(f"{path} is missing, but its journal {leftover.name} is there. {_advice(path)}")
    unfinished = path.with_name(path.name + ".new")
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(unfinished)), poolclass=NullPool)
    try:
        unfinished.unlink(missing_ok=True)
        with engine.begin() as connection:
            # Made durable as a whole below, not statement by statement.
            connection.exec_driver_sql("PRAGMA synchronous = OFF").close()
            schema.create(connection)
        os.chmod(unfinished, 0o600)
        _sync(unfinished, os.O_RDONLY)
        os.replace(unfinished, path)
        _sync(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except (OSError, DBAPIError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error.orig)
        raise StateUnavailable(f"cannot create {path}: {said}") from error
    finally:
        engine.dispose()


def _sync(path: Path, flags: int) -> None:
    fd = os.open(path, flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _advice(path: Path) -> str:
    return (
        f"Footnote does not start afresh over it: restore {path.name} from a backup (with its -wal file, if you have "
        f"one), or move {path.name}, {path.name}-wal and {path.name}-shm away to begin with an empty history."
    )

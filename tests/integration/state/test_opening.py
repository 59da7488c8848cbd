"""Opening the state: one process at a time, never afresh over damage, and always a clear reason."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from runtime.errors import ConfigurationError, StateLocked, StateTooNew, StateUnavailable
from runtime.state import State, migrate_state, open_state, parse_url, sqlite_path
from tests.integration.state.doubles import Counter, SteppingClock

REPO = Path(__file__).parents[3]


def opened(path: Path) -> State:
    return open_state(f"sqlite:///{path}", clock=SteppingClock(), new_id=Counter())


def pragma(path: Path, name: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


async def test_what_was_kept_is_there_after_a_restart(tmp_path: Path):
    path = tmp_path / "new" / "folder" / "state.db"
    first = opened(path)
    await first.meta.set("key", "value")
    first.close()
    second = opened(path)
    assert await second.meta.get("key") == "value"
    second.close()
    assert pragma(path, "journal_mode") == "wal"
    assert not list(path.parent.glob("*.new"))


async def test_memory_holds_a_state_without_a_file():
    state = open_state("sqlite://", clock=SteppingClock(), new_id=Counter())
    await state.meta.set("key", 1)
    assert await state.meta.get("key") == 1
    state.close()


def test_a_second_process_is_refused_with_the_holders_pid(tmp_path: Path):
    path = tmp_path / "state.db"
    script = (
        "import sys; from runtime.state import open_state; from runtime.clock import SystemClock, random_id\n"
        f"open_state('sqlite:///{path}', clock=SystemClock(), new_id=random_id); print('open', flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "open\n"
        with pytest.raises(StateLocked, match=f"pid {holder.pid}"):
            opened(path)
        with pytest.raises(StateLocked):
            migrate_state(f"sqlite:///{path}")
        os.kill(holder.pid, signal.SIGKILL)
    # The dead process's lock file is still there, and holds nothing.
    assert path.with_name("state.db.lock").read_text() == f"{holder.pid}\n"
    opened(path).close()
    assert path.with_name("state.db.lock").read_text() == f"{os.getpid()}\n"


@pytest.mark.parametrize(
    "content", [b"", b"not a database, but not empty either", b"SQLite format 3\x00" + b"\xff" * 8000]
)
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, content: bytes):
    path = tmp_path / "state.db"
    path.write_bytes(content)
    with pytest.raises(StateUnavailable, match="from a backup"):
        opened(path)
    assert path.read_bytes() == content


def test_a_cut_off_file_is_refused(tmp_path: Path):
    path = tmp_path / "state.db"
    opened(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 + 100])
    with pytest.raises(StateUnavailable):
        opened(path)


def test_a_journal_without_its_database_is_refused(tmp_path: Path):
    (tmp_path / "state.db-wal").write_bytes(b"something")
    with pytest.raises(StateUnavailable, match="journal"):
        opened(tmp_path / "state.db")
    assert not (tmp_path / "state.db").exists()


def test_a_first_start_that_was_cut_short_is_begun_again(tmp_path: Path):
    (tmp_path / "state.db.new").write_bytes(b"SQLite format 3\x00 half made")
    opened(tmp_path / "state.db").close()


def test_a_folder_that_cannot_be_made_or_written(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StateUnavailable, match="folder"):
        opened(tmp_path / "file" / "state.db")
    with pytest.raises(StateUnavailable):
        opened(Path("/proc/state.db"))


async def test_a_full_disk_is_said_and_survived(tmp_path: Path):
    path = tmp_path / "state.db"
    state = opened(path)

    def page_limit(pages: int):
        return lambda connection: connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}").close()

    # The engine's own page limit fails exactly as a full disk does.
    await state._connector.run(page_limit(1))
    with pytest.raises(StateUnavailable, match="full"):
        for n in range(100):
            await state.audit.add("filler", {"text": os.urandom(1500).hex(), "n": n})
    await state._connector.run(page_limit(1_000_000))
    await state.audit.add("after", {})
    assert (await state.audit.newest(1))[0].kind == "after"
    state.close()


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "state.db"
    opened(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(StateTooNew, match="9999"):
        opened(path)
    with pytest.raises(StateTooNew):
        migrate_state(f"sqlite:///{path}")


def test_a_state_with_a_failed_opening_is_free_again(tmp_path: Path):
    path = tmp_path / "state.db"
    path.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(StateUnavailable):
            opened(path)
    path.unlink()
    opened(path).close()


@pytest.mark.parametrize("url", ["mysql://host/db", "no url at all", "duckdb:///x.db", "postgresql://u:p@host:port/db"])
def test_other_databases_are_refused_by_name(url: str):
    with pytest.raises(ConfigurationError, match="FOOTNOTE_STATE"):
        open_state(url, clock=SteppingClock(), new_id=Counter())


def test_urls():
    assert sqlite_path(parse_url("sqlite:///a/b.db")) == Path("a/b.db")
    assert sqlite_path(parse_url("sqlite://")) is None
    assert sqlite_path(parse_url("postgresql://u@h/d")) is None

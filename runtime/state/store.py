"""Opens the state store: the one lock, the one connector, and the small stores that share it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from runtime.clock import Clock, NewId
from runtime.errors import ConfigurationError
from runtime.state import schema
from runtime.state.approvals import Approvals
from runtime.state.calls import Calls
from runtime.state.connector import Connector, is_sqlite
from runtime.state.deliveries import Deliveries
from runtime.state.effects import Effects
from runtime.state.inbox import Inbox
from runtime.state.lockfile import LockFile
from runtime.state.policies import Policies
from runtime.state.records import Audit, Meta
from runtime.state.replicas import Replicas
from runtime.state.shared_files import SharedFiles
from runtime.state.sqlite_file import check_file, create_file, make_folder
from runtime.state.steps import Steps
from runtime.state.turns import Turns


class State:
    """Everything Footnote remembers. All methods of the stores are coroutines, each one transaction."""

    def __init__(self, connector: Connector, lock: LockFile | None, *, clock: Clock, new_id: NewId) -> None:
        self._connector = connector
        # Nothing connects before the first lease. SQLite has no more than its one connection, and nobody to share with.
        self._leases = connector if connector.sqlite else Connector(connector.engine.url)
        self._lock = lock
        self.inbox = Inbox(connector, clock, new_id)
        self.deliveries = Deliveries(connector, clock, new_id)
        self.turns = Turns(connector, clock, self.deliveries)
        self.steps = Steps(connector)
        self.calls = Calls(connector, clock)
        self.approvals = Approvals(connector, clock, self.deliveries)
        self.effects = Effects(connector, clock)
        self.shared_files = SharedFiles(connector, clock)
        self.policies = Policies(connector, clock)
        self.replicas = Replicas(self._leases, clock)
        self.meta = Meta(connector, clock)
        self.audit = Audit(connector, clock)

    async def probe(self) -> None:
        """Writes and commits once, for a health check. Raises StateUnavailable."""
        await self.meta.set("probe", 1)

    def close(self) -> None:
        """Waits for work under way, closes the connections and lets go of the lock."""
        self._connector.close()
        if self._leases is not self._connector:
            self._leases.close()
        if self._lock is not None:
            self._lock.release()


def open_state(url: str, *, clock: Clock, new_id: NewId) -> State:
    """The state at `url` (`sqlite:///file`, `sqlite://` for memory, or `postgresql://…`), brought to this version's
    schema when it is SQLite.

    Raises StateLocked when another process holds the file, StateTooNew when a newer Footnote wrote it,
    StateUnavailable when it cannot be read or written (with what to do), ConfigurationError for another kind of URL.
    """
    parsed = parse_url(url)
    lock = _claim_file(parsed)
    connector = Connector(parsed)
    try:
        if connector.sqlite:
            connector.run_now(schema.bring_up_to_date)
        else:
            connector.run_now(schema.require_current)
        state = State(connector, lock, clock=clock, new_id=new_id)
        if connector.sqlite:
            connector.run_now(state.deliveries.drop_leases)
    except BaseException:
        connector.close()
        if lock is not None:
            lock.release()
        raise
    return state


def peek_state(url: str, *, clock: Clock, new_id: NewId) -> State:
    """The state at `url` beside a bot that may be serving with it: for looking, never for work. Raises
    ConfigurationError where there is none, StateTooNew, StateUnavailable."""
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None and not path.exists():
        raise ConfigurationError(f"There is no state at {path} yet. Is FOOTNOTE_STATE or FOOTNOTE_DATA_DIR right?")
    connector = Connector(parsed)
    try:
        connector.run_now(schema.require_current)
    except BaseException:
        connector.close()
        raise
    return State(connector, None, clock=clock, new_id=new_id)


def migrate_state(url: str) -> str:
    """Brings the store at `url` to this version's schema (`footnote migrate`) and returns its revision. Raises as
    `open_state` does."""
    parsed = parse_url(url)
    lock = _claim_file(parsed)
    connector = Connector(parsed)
    try:
        connector.run_now(schema.bring_up_to_date)
    finally:
        connector.close()
        if lock is not None:
            lock.release()
    return schema.HEAD


def serving_process(path: Path) -> int | None:
    """The process that holds the SQLite state at `path`, None when none does."""
    return LockFile.holder(path)


def parse_url(url: str) -> URL:
    """The parsed URL. Raises ConfigurationError unless it names SQLite or PostgreSQL."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:  # the latter for a port that is no number
        raise ConfigurationError(
            "FOOTNOTE_STATE is not a database URL, such as sqlite:////var/lib/footnote/state.db or "
            "postgresql://user@host:5432/footnote"
        ) from error
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise ConfigurationError(
            f"FOOTNOTE_STATE must begin with sqlite:/// or postgresql://, not {parsed.get_backend_name()}"
        )
    return parsed


def sqlite_path(url: URL) -> Path | None:
    """The file of a SQLite URL; None for memory and for PostgreSQL."""
    if not is_sqlite(url) or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def _claim_file(url: URL) -> LockFile | None:
    path = sqlite_path(url)
    if path is None:
        return None
    make_folder(path.parent)
    lock = LockFile(path)
    try:
        if path.exists():
            check_file(path)
        else:
            create_file(path)
    except BaseException:
        lock.release()
        raise
    return lock

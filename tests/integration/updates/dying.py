"""A process that makes one approved change and is killed at a chosen moment: `python -m … STATE MOMENT CALL TIER`.

The moments around the COMMIT itself are met on the wire: everything that goes to the target passes a relay in this
process, which sees the COMMIT go out and its answer come back.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from runtime.admission.manifest import PostgresqlSource
from runtime.clock import SystemClock, random_id
from runtime.engines.postgresql import PostgresqlEngine
from runtime.engines.postgresql.updates import PostgresqlUpdates
from runtime.engines.update_port import Assignment, Change, ChangeCall, Condition, Terms
from runtime.limits import DEFAULT
from runtime.state import Effects, open_state

# Each moment, and how the change may have ended for whoever looks afterwards; "" is no trace at all.
MOMENTS = {
    "before the claim": {""},
    "after the claim": {"failed"},
    "before the journal": {"failed"},
    "after the journal": {"failed"},
    "COMMIT lost": {"failed"},
    "COMMIT sent": {"done", "failed"},
    "answer lost": {"done"},
    "before done": {"done"},
    "after done": {"done"},
}
TABLE = "public.accounts"
TERMS = Terms("policy-1", "U1")


class Death:
    """Kills this process, without a word, where the moment has come."""

    def __init__(self, moment: str, *, armed: bool = True) -> None:
        self.moment, self.armed = moment, armed

    def at(self, moment: str) -> None:
        if self.armed and moment == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)


class DyingEffects:
    """The journal of a process that dies at a moment."""

    def __init__(self, effects: Effects, death: Death) -> None:
        self._effects, self._at = effects, death.at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._effects, name)

    async def begin(self, effect: Any) -> Any:
        self._at("before the claim")
        found = await self._effects.begin(effect)
        self._at("after the claim")
        return found

    async def execute(self, *arguments: Any) -> bool:
        self._at("before the journal")
        found = await self._effects.execute(*arguments)
        self._at("after the journal")
        return found

    async def finish(self, *arguments: Any) -> bool:
        self._at("before done")
        found = await self._effects.finish(*arguments)
        self._at("after done")
        return found


class Relay:
    """Passes bytes between the engine and the target, and dies where the COMMIT is."""

    def __init__(self, target: str, death: Death) -> None:
        self._parts, self._at = urlsplit(target), death.at
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self) -> str:
        port = self._listening.getsockname()[1]
        login = self._parts.netloc.rpartition("@")[0]
        return urlunsplit(self._parts._replace(netloc=f"{login}@127.0.0.1:{port}"))

    def _serve(self) -> None:
        while True:
            client, _ = self._listening.accept()
            server = socket.create_connection((self._parts.hostname, self._parts.port))
            committing = threading.Event()
            threading.Thread(target=self._out, args=(client, server, committing), daemon=True).start()
            threading.Thread(target=self._back, args=(server, client, committing), daemon=True).start()

    def _out(self, client: socket.socket, server: socket.socket, committing: threading.Event) -> None:
        writing = False  # other connections commit, too, but nothing that counts
        with suppress(OSError):  # whoever is gone needs nothing more
            while data := client.recv(65_536):
                writing = writing or b"UPDATE " in data
                if writing and data.startswith(b"Q") and b"COMMIT\0" in data:
                    committing.set()
                    self._at("COMMIT lost")
                server.sendall(data)
                if committing.is_set():
                    self._at("COMMIT sent")
            server.shutdown(socket.SHUT_WR)

    def _back(self, server: socket.socket, client: socket.socket, committing: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65_536):
                if committing.is_set():
                    self._at("answer lost")
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)


def source() -> PostgresqlSource:
    """The source of the drill; its addresses are in the environment."""
    return PostgresqlSource.model_validate(
        {
            "id": "bank",
            "kind": "postgresql",
            "url": "${CRM_READ_URL}",
            "updates_url": "${CRM_WRITE_URL}",
            "audience": {"im": True},
            "updates": [{"table": TABLE, "columns": ["tier"], "approvers": {"users": ["U0ANN"]}}],
        }
    )


def change(tier: str) -> Change:
    return Change("bank", TABLE, (Assignment("tier", tier),), (Condition("id", "gt", 0),))


async def work(state_url: str, moment: str, call: str, tier: str) -> None:
    """One change, up to the moment."""
    death = Death(moment)
    os.environ["CRM_WRITE_URL"] = Relay(os.environ["CRM_WRITE_URL"], death).address
    state = open_state(state_url, clock=SystemClock(), new_id=random_id)
    reads = await PostgresqlEngine.open(source(), DEFAULT, SystemClock())
    journal: Any = DyingEffects(state.effects, death)
    updates = PostgresqlUpdates.open(source(), reads.structure, journal, DEFAULT, SystemClock())
    seen = await updates.preview(change(tier), TERMS)
    await updates.perform(change(tier), TERMS, seen.fingerprint, ChangeCall("run", call, "T:C:1", "update"))
    raise AssertionError(f"it outlived {moment!r}")


if __name__ == "__main__":
    asyncio.run(work(*sys.argv[1:5]))

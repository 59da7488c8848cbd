"""Replicas of a bot as processes of their own over one PostgreSQL state, reached by signed HTTP as a test chooses."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import psycopg

from runtime.state.columns import pack, unpack
from tests.acceptance.approvals.conftest import GROUP, Desk
from tests.acceptance.approvals.replica import ASLEEP
from tests.acceptance.approvals.stand_in import StandIn
from tests.acceptance.conftest import ROOT

_MICROSECONDS = 1_000_000


@dataclass
class Replicas:
    """The processes by name. `at(name)` makes Slack deliver to one of them."""

    desk: Desk
    state: str
    processes: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)

    async def start(self, name: str, *, socket: bool = False, **more: str) -> None:
        """Starts a replica and waits until it is ready; `socket`: in Socket Mode, where nothing is signed."""
        keep = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR", "LANG") if key in os.environ}
        stage = self.desk.stage
        stage.overrides = {
            "SLACK_APP_TOKEN": stage.slack.app_token if socket else None,
            "SLACK_SIGNING_SECRET": stage.slack.signing_secret,
            "FOOTNOTE_HTTP_PORT": "0",
            "FOOTNOTE_STATE": self.state,
            "FOOTNOTE_REPLICA": name,
            "FOOTNOTE_DATA_DIR": str(stage.folder / f"cache-{name}"),
            **self._target(),
        }
        log = stage.folder / f"{name}.log"
        with log.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.acceptance.approvals.replica",
                cwd=ROOT,
                env={**keep, **stage.environment(), **more},
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        self.processes[name] = process
        assert process.stdout is not None
        while not (line := (await asyncio.wait_for(process.stdout.readline(), 180)).decode()).startswith("ready"):
            if not line:
                raise AssertionError(f"replica {name} did not start: {log.read_text()}")
        self.ports[name] = 0 if socket else int(line.split()[1])

    async def at(self, name: str) -> None:
        """Slack delivers to this replica from now on."""
        if not self.ports[name]:
            self.desk.slack.app.mode = "socket"
            return
        assert await self.desk.slack.use_http(f"http://127.0.0.1:{self.ports[name]}/slack/events")

    async def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.send_signal(signal.SIGKILL)
        await process.wait()

    async def died(self, name: str) -> None:
        """Waits until a replica has killed itself."""
        assert await asyncio.wait_for(self.processes.pop(name).wait(), 180) == -signal.SIGKILL

    async def asleep(self, name: str) -> None:
        """Waits until a replica has stopped itself."""
        stdout = self.processes[name].stdout
        assert stdout is not None
        assert (await asyncio.wait_for(stdout.readline(), 180)).decode().strip() == ASLEEP

    async def awake(self, name: str) -> int:
        """Wakes a replica whose lease is over; its exit code."""
        process = self.processes.pop(name)
        process.send_signal(signal.SIGCONT)
        return await asyncio.wait_for(process.wait(), 180)

    async def stop(self, name: str) -> None:
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), 180)

    async def close(self) -> None:
        for name in list(self.processes):
            await self.kill(name)

    def age(self, seconds: float) -> None:
        """Every request becomes older by so much: nobody moves a database's clock."""
        shift = int(timedelta(seconds=seconds).total_seconds() * _MICROSECONDS)
        with psycopg.connect(self.state, autocommit=True) as db:
            db.execute(
                "UPDATE footnote.approvals SET asked_at = asked_at - %(s)s, expires_at = expires_at - %(s)s, "
                "changed_at = changed_at - %(s)s, remind_at = remind_at - %(s)s",
                {"s": shift},
            )

    def lapse(self, name: str) -> None:
        """A replica's lease is over: nobody waits for time to pass."""
        with psycopg.connect(self.state, autocommit=True) as db:
            db.execute("UPDATE footnote.replicas SET expires_at = 0 WHERE name = %s", (name,))

    def fail_over(self) -> None:
        """What the journal noted of the target's timeline is another one than the target has now."""
        with psycopg.connect(self.state, autocommit=True) as db:
            ((id, xact),) = db.execute("SELECT id, xact FROM footnote.effects").fetchall()
            noted = pack({**unpack(xact), "timeline": "000000FF"})
            db.execute("UPDATE footnote.effects SET xact = %s WHERE id = %s", (noted, id))

    def _target(self) -> dict[str, str]:
        target = self.desk.target
        if isinstance(target, StandIn):
            return {"TARGET": str(target.file), "APPROVERS": GROUP}
        return target.environment()

    def final(self) -> Any:
        """How the one request stands."""
        with psycopg.connect(self.state) as db:
            row = db.execute("SELECT state FROM footnote.approvals").fetchone()
        return None if row is None else row[0]

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

from tests.acceptance.approvals.conftest import GROUP, Desk
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
            "TARGET": str(self.desk.target.file),
            "APPROVERS": GROUP,
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.acceptance.approvals.replica",
            cwd=ROOT,
            env={**keep, **stage.environment(), **more},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self.processes[name] = process
        assert process.stdout is not None
        while not (line := (await asyncio.wait_for(process.stdout.readline(), 60)).decode()).startswith("ready"):
            if not line:
                _, errors = await process.communicate()
                raise AssertionError(f"replica {name} did not start: {errors.decode()}")
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
        assert await asyncio.wait_for(self.processes.pop(name).wait(), 60) == -signal.SIGKILL

    async def stop(self, name: str) -> None:
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), 60)

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

    def final(self) -> Any:
        """How the one request stands."""
        with psycopg.connect(self.state) as db:
            row = db.execute("SELECT state FROM footnote.approvals").fetchone()
        return None if row is None else row[0]

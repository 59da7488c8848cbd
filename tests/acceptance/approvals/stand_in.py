"""A change of rows in a real SQLite file with a counter of its own: what approvals are tested with beside PostgreSQL.

`set_tier` sets the tier of the first rows of `customers`. It writes its own journal inside the changing transaction, so
that `resolve` knows what became of a call. Labels say where a process that is told to dies.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from runtime.capability import (
    Access,
    ApproverRule,
    Arguments,
    Attachment,
    Capability,
    EffectKind,
    EffectSpec,
    Fate,
    Output,
    Preflight,
    Toolbox,
)
from runtime.errors import CallError

COLUMNS = ["id", "name", "tier"]


class SetTier(Arguments):
    """Which tier the first rows get."""

    tier: Annotated[str, Field(description="The new tier.", max_length=20)]
    rows: Annotated[int, Field(description="How many rows, from the first one on.", ge=1)] = 3


@dataclass
class StandIn:
    """The target, who may approve changes of it, and the label at which the process dies."""

    file: Path
    rule: ApproverRule = field(default_factory=ApproverRule)
    source: str | None = "workspace"
    most_rows: int = 1_000
    dies_at: str = ""
    warnings: tuple[str, ...] = ()

    def create(self, rows: int = 10) -> None:
        with self.opened() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, tier TEXT)")
            db.execute("CREATE TABLE held_back (id INTEGER)")
            db.execute(
                "CREATE TRIGGER keep BEFORE UPDATE ON customers WHEN old.id IN (SELECT id FROM held_back) "
                "BEGIN SELECT RAISE(IGNORE); END"
            )
            db.execute("CREATE TABLE begun (call TEXT PRIMARY KEY)")
            db.execute("CREATE TABLE journal (call TEXT PRIMARY KEY, tier TEXT, rows INTEGER)")
            db.executemany(
                "INSERT INTO customers VALUES (?, ?, 'silver')", [(n, f"Shop {n}") for n in range(1, rows + 1)]
            )

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self.file, timeout=0)
        try:
            with db:
                yield db
        finally:
            db.close()

    @property
    def executed(self) -> int:
        """How many changes the target itself has seen."""
        with self.opened() as db:
            return int(db.execute("SELECT count(*) FROM journal").fetchone()[0])

    @property
    def tiers(self) -> list[str]:
        with self.opened() as db:
            return [tier for (tier,) in db.execute("SELECT tier FROM customers ORDER BY id")]

    async def preflight(self, arguments: SetTier, context: Any) -> Preflight:
        with self.opened() as db:
            before = [list(row) for row in db.execute("SELECT * FROM customers ORDER BY id LIMIT ?", (arguments.rows,))]
        if arguments.rows > self.most_rows:
            raise CallError(
                "invalid_arguments",
                f"{arguments.rows:,} rows of customers fit; at most {self.most_rows:,} may be changed at once.",
            )
        after = [[*row[:2], arguments.tier] for row in before]
        lines = ["id,name,before,after", *(f"{b[0]},{b[1]},{b[2]},{a[2]}" for b, a in zip(before, after, strict=True))]
        return Preflight(
            fingerprint=repr(before),
            target="stand-in:customers",
            summary=f"Set tier to {arguments.tier} in {len(before)} rows of customers",
            details={
                "source": "shop",
                "table": "customers",
                "set": [{"column": "tier", "value": arguments.tier}],
                "where": [{"column": "id", "op": "lte", "value": arguments.rows}],
                "row_count": len(before),
                "columns": COLUMNS,
                "keys": ["id"],
                "before": before[:5],
                "after": after[:5],
                "warnings": list(self.warnings),
            },
            approvers=self.rule,
            attachments=(Attachment("customers-before-after.csv", "\r\n".join(lines) + "\r\n"),),
        )

    async def execute(self, arguments: SetTier, context: Any) -> Output:
        self._maybe_die("before_tx")
        db = sqlite3.connect(self.file, timeout=0, isolation_level=None)
        try:
            db.execute("INSERT INTO begun VALUES (?)", (self._name(context),))
            db.execute("BEGIN IMMEDIATE")
            done = db.execute("UPDATE customers SET tier = ? WHERE id <= ?", (arguments.tier, arguments.rows)).rowcount
            if done != arguments.rows:
                db.execute("ROLLBACK")
                raise CallError(
                    "sql_failed", f"The database changed {done} of {arguments.rows} rows, so it was undone."
                )
            db.execute("INSERT INTO journal VALUES (?, ?, ?)", (self._name(context), arguments.tier, done))
            self._maybe_die("in_tx")
            db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise CallError(
                "sql_failed", f"Somebody else is changing these rows: they stayed locked ({error})."
            ) from error
        finally:
            db.close()
        self._maybe_die("after_commit")
        return self._output(context, done)

    async def resolve(self, arguments: SetTier, context: Any) -> Output | Fate:
        with self.opened() as db:
            begun = db.execute("SELECT 1 FROM begun WHERE call = ?", (self._name(context),)).fetchone()
            found = db.execute("SELECT rows FROM journal WHERE call = ?", (self._name(context),)).fetchone()
        if found is not None:
            return self._output(context, int(found[0]))
        return Fate.NOT_BEGUN if begun is None else Fate.NOT_APPLIED

    def _output(self, context: Any, rows: int) -> Output:
        receipt = f"R-{self._name(context)[-12:]}"
        return Output("changed", f"{rows} rows of customers changed.", {"rows": rows}, receipt=receipt)

    def _name(self, context: Any) -> str:
        return f"{context.scope.run_id}/{context.call_id}"

    def _maybe_die(self, label: str) -> None:
        if label == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def capability(self) -> Capability[Any]:
        return Capability(
            id="test.set_tier",
            tool="set_tier",
            toolbox=Toolbox.SOURCES,
            pinned=True,
            summary="Set the tier",
            when="In tests.",
            description="Sets the tier of the first rows.",
            arguments=SetTier,
            example={"tier": "gold"},
            output_schema={"type": "object"},
            execute=self.execute,
            access=Access.WRITE,
            source=lambda _: self.source,
            effect=EffectSpec(EffectKind.MUTATE_DATA, True, self.preflight, self.resolve),
        )

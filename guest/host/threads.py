"""The guest in threads of this process: for tests and by explicit setting, since it shares the bot's memory."""

import asyncio
from pathlib import Path

from guest.host.job import Job, Outcome
from guest.host.meter import Answer, SqlMeter
from guest.host.pool import Pool
from guest.host.slot import options
from guest.limits import GuestLimits
from guest.port import GuestResult, SqlFunction


def result_of(outcome: Outcome, meter: SqlMeter) -> GuestResult:
    """The public result: the outcome with the totals of SQL. Raises what `sql` raised."""
    if meter.failure is not None:
        raise meter.failure
    return GuestResult(
        status=outcome.status,
        stdout=outcome.stdout,
        error=outcome.error,
        truncated=outcome.truncated,
        table=outcome.table,
        sql_calls=meter.calls,
        sql_rows=meter.rows,
        sql_bytes=meter.bytes,
        fuel_used=outcome.fuel_used,
        elapsed_ms=outcome.elapsed_ms,
        memory_bytes=outcome.memory_bytes,
    )


class ThreadGuest:
    """See guest.port.Guest."""

    def __init__(self, artifact_dir: Path, cache_dir: Path, limits: GuestLimits) -> None:
        """Nothing is loaded yet."""
        self._artifact_dir, self._cache_dir, self._limits = artifact_dir, cache_dir, limits
        self._pool: Pool | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Load the artifact in a thread; raises GuestUnavailable."""
        await self._loaded()

    async def _loaded(self) -> Pool:
        async with self._starting:
            if self._pool is None:
                self._pool = await asyncio.to_thread(Pool, self._artifact_dir, self._cache_dir, self._limits)
            return self._pool

    async def run(
        self, source: str, sql: SqlFunction, *, now: str, seed: int, limits: GuestLimits | None = None
    ) -> GuestResult:
        """See guest.port.Guest.run."""
        pool, loop = await self._loaded(), asyncio.get_running_loop()
        limits = limits or self._limits
        meter = SqlMeter(sql, limits)
        queries: set[asyncio.Task[Answer]] = set()

        async def answer(query: str, origin: str | None) -> Answer:
            task = asyncio.create_task(meter.answer(query, origin))
            queries.add(task)
            try:
                return await task
            except asyncio.CancelledError:
                return Answer("stop", "cancelled")
            finally:
                queries.discard(task)

        def ask(query: str, origin: str | None) -> Answer:
            return asyncio.run_coroutine_threadsafe(answer(query, origin), loop).result()

        job = Job(source, options(now, seed), limits, ask)
        running = asyncio.wrap_future(pool.submit(job))
        try:
            outcome = await asyncio.shield(running)
        except asyncio.CancelledError:
            pool.stop(job, "cancelled")
            for task in list(queries):
                task.cancel()
            await running
            raise
        return result_of(outcome, meter)

    async def close(self) -> None:
        """Stop running programs and free the engines."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.close)

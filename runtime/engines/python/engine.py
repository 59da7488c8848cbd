"""The Python engine: one program in the sealed guest, its ending as a typed outcome."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

import structlog

from guest import Guest, GuestLimits, GuestResult, GuestUnavailable
from runtime.capability import CallContext, ProgramError
from runtime.engines.python.inner_sql import InnerSql
from runtime.errors import CallError
from runtime.evidence import ProgramUsage
from runtime.limits import MIB, Limits

log = structlog.get_logger(__name__)

_GIGA = 1_000_000_000
_SEED_BITS = 48
_OUTPUT_TAIL_CHARS = 1_000
_TRACEBACK_CHARS = 1_800
_MEND = "Mend the program and run it again; nothing that it printed counts."
_LESS = "Do more of the work in SQL, on fewer rows, or in several smaller programs."


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ran to its end. `table` is column names and rows, when it published one;
    `queries` the SQL that it asked (its beginning) and how many rows came back."""

    output: str
    output_cut: bool
    table: tuple[Sequence[str], Sequence[Sequence[Any]]] | None
    usage: ProgramUsage
    queries: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]


class PythonEngine:
    """Programs of all runs, in one guest host. The guest belongs to the engine: `close` closes it."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest

    async def run(self, code: str, context: CallContext) -> Finished:
        """Runs a program under the run's limits. Raises ProgramError `python_failed`, `python_limit`; CallError
        `python_unavailable`, `cancelled`, and `admission_changed` when a source closed meanwhile."""
        limits = context.limits
        inner = InnerSql(context)
        local = context.clock.now().astimezone(ZoneInfo(context.scope.timezone))
        try:
            result = await self._guest.run(
                code,
                inner,
                now=local.isoformat(timespec="seconds"),
                seed=seed_of(context.scope.run_id, code),
                limits=guest_limits(limits),
            )
        except GuestUnavailable as error:
            raise CallError("python_unavailable", str(error), hint="Use SQL instead.") from error
        usage = usage_of(result, limits)
        if result.status != "ok":
            _end(result, usage, limits, inner)
        return Finished(result.stdout, result.truncated, result.table, usage, tuple(inner.queries), tuple(inner.notes))

    async def warm_up(self) -> None:
        """Starts the interpreter before the first program needs it. What keeps it from starting is logged, and told to
        the first program again."""
        try:
            await self._guest.start()
        except (GuestUnavailable, OSError) as error:
            log.warning("the sealed interpreter does not start", reason=str(error))

    async def close(self) -> None:
        """Ends running programs and frees the guest."""
        await self._guest.close()


def seed_of(run_id: str, code: str) -> int:
    """The seed of a program's random numbers: the same call of the same run draws the same ones again."""
    body = json.dumps([run_id, "run_python", code], ensure_ascii=True).encode()
    return int.from_bytes(hashlib.sha256(body).digest()[: _SEED_BITS // 8], "big")


def guest_limits(limits: Limits) -> GuestLimits:
    """The run's limits in the guest's own terms."""
    return GuestLimits(
        fuel=limits.python_fuel,
        wall_s=float(limits.python_seconds),
        memory_bytes=limits.python_memory_bytes,
        source_bytes=limits.python_code_bytes,
        output_chars=limits.python_output_chars,
        sql_calls=limits.python_sql_calls,
        sql_rows=limits.python_sql_rows,
        sql_response_bytes=limits.python_sql_response_bytes,
        concurrent=limits.python_concurrent,
    )


def usage_of(result: GuestResult, limits: Limits) -> ProgramUsage:
    """What a program used, beside the bounds in force."""
    return ProgramUsage(
        fuel=result.fuel_used,
        fuel_bound=limits.python_fuel,
        ms=round(result.elapsed_ms, 3),
        seconds_bound=float(limits.python_seconds),
        output_chars=len(result.stdout),
        output_chars_bound=limits.python_output_chars,
        memory_bytes_bound=limits.python_memory_bytes,
        sql_calls=result.sql_calls,
        sql_calls_bound=limits.python_sql_calls,
        sql_rows=result.sql_rows,
        memory_bytes=result.memory_bytes,
    )


def _end(result: GuestResult, usage: ProgramUsage, limits: Limits, inner: InnerSql) -> NoReturn:
    if result.status == "cancelled":
        raise CallError("cancelled", "The program was stopped.")
    details = {"traceback": result.error[-_TRACEBACK_CHARS:]} if result.error else {}
    if result.stdout:
        details["output_until_then"] = result.stdout[-_OUTPUT_TAIL_CHARS:]
    bound = inner.exhausted if result.status == "error" else _bound(result, limits)
    if bound is not None:
        message = f"The program was ended: {bound}."
        raise ProgramError("python_limit", message, usage=usage, hint=_LESS, retryable=True, details=details)
    raise ProgramError("python_failed", _last_line(result), usage=usage, hint=_MEND, retryable=True, details=details)


def _bound(result: GuestResult, limits: Limits) -> str | None:
    """The bound that ended a program, in words; None when it was none."""
    return {
        "fuel": f"it used up its {limits.python_fuel / _GIGA:g} G of fuel",
        "timeout": f"it worked longer than its {limits.python_seconds} s",
        "memory": f"it needed more than {limits.python_memory_bytes // MIB} MiB of memory",
        "stack": "its calls were nested deeper than the stack of 2 MiB takes",
        "output": f"it went on printing after {limits.python_output_chars:,} characters",
        "sql_flood": f"it went on calling sql() after {limits.python_sql_calls} calls",
        "source_too_large": f"its source is longer than {limits.python_code_bytes:,} bytes",
    }.get(result.status)


def _last_line(result: GuestResult) -> str:
    """What a traceback ends with, which is the exception itself."""
    lines = [line.strip() for line in result.error.splitlines() if line.strip()]
    if result.status == "trap":
        return "The program broke its interpreter, which was thrown away."
    return lines[-1][:_OUTPUT_TAIL_CHARS] if lines else "The program failed without a reason."

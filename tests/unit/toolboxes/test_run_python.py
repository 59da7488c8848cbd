"""run_python's own logic: what a program may read, how its endings are told, what is recorded of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from guest import GuestLimits, GuestResult, GuestSqlError, GuestUnavailable
from runtime.boundary import Call
from runtime.capability import Closed, Open, Scope, Services, SourceKind, SourceTerms
from runtime.engines.port import ReadEngines, ReadResult
from runtime.engines.python import PythonEngine
from runtime.engines.python.engine import seed_of
from runtime.errors import CallError
from runtime.evidence import Column, Evidence, SourceRef, Truncation, rows_digest
from runtime.limits import DEFAULT, MIB, Limits
from runtime.registry import Registry
from runtime.run import boundary_of
from runtime.testing.clock import ManualClock
from runtime.testing.wiring import wiring_over
from runtime.toolboxes.files import run_python
from runtime.verification import check_figures

from .conftest import SCOPE, with_sources

Program = Callable[[Any], Awaitable[GuestResult]]
PRINTS = GuestResult("ok", stdout="42\n", fuel_used=500, elapsed_ms=2.0, memory_bytes=21 * MIB)


class ScriptedGuest:
    """A guest whose programs are coroutines of the test, and which notes what it was given."""

    def __init__(self) -> None:
        self.program: Program = self._prints
        self.given: list[tuple[str, int, GuestLimits | None]] = []

    async def start(self) -> None: ...

    async def run(self, source, sql, *, now, seed, limits=None) -> GuestResult:
        self.given.append((now, seed, limits))
        return await self.program(sql)

    async def close(self) -> None: ...

    async def _prints(self, sql) -> GuestResult:
        return PRINTS


@dataclass
class Engine:
    """A source of given rows that takes given seconds of the clock."""

    name: str
    clock: ManualClock
    columns: tuple[Column, ...] = (Column("n", "BIGINT"),)
    rows: tuple[tuple[Any, ...], ...] = ((1,), (2,))
    truncated: Truncation | None = None
    takes: float = 0.0
    asked: list[tuple[str, float, int]] = field(default_factory=list)
    dialect: str = "duckdb"
    masked: tuple[str, ...] = ()

    async def read(self, sql: str, *, seconds: float, rows_kept: int) -> ReadResult:
        self.asked.append((sql, seconds, rows_kept))
        self.clock.advance(self.takes)
        if "nothing" in sql:
            raise CallError("sql_unknown_table", "There is no table nothing.", hint="Tables: orders.")
        sources = (SourceRef(self.name, "orders", "r1", "orders.csv"),)
        notes = ("orders: a note",)
        kept, cut = self.rows, self.truncated
        return ReadResult(f"checked {sql}", self.columns, kept, len(kept), 1.0, cut, sources, notes, self.masked)


class Bench:
    """The tool in a real boundary, over scripted programs and engines."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.guest = ScriptedGuest()
        self.engines = {"workspace": Engine("workspace", self.clock)}
        self.scope = replace(SCOPE, timezone="Europe/Berlin")
        self.closed: set[str] = set()
        self.revisions: Mapping[str, str] = {}
        self.asked: list[str] = []
        self.limits = Limits()
        self.boundary = None

    async def source(self, scope: Scope, source_id: str) -> Open | Closed:
        self.asked.append(source_id)
        if source_id in self.closed:
            return Closed("Closed now.", "Say so.")
        return Open(self.revisions.get(source_id, "r1"))

    async def run(self, program: Program | None = None, *, code: str = "print(42)", number: int = 1):
        if program is not None:
            self.guest.program = program
        services = Services(PythonEngine(self.guest), ReadEngines(self.engines))
        if self.boundary is None:
            self.boundary = boundary_of(
                wiring_over(
                    services,
                    self,
                    registry=Registry.of((run_python.CAPABILITY,)),
                    limits=self.limits,
                    clock=self.clock,
                ),
                self.scope,
            )
        call = Call(f"c{number}", "run_python", {"code": code})
        deadline = self.clock.monotonic() + 300
        (result,) = await self.boundary.batch([call], first=number, loaded=frozenset(), allowed=1, deadline=deadline)
        return result

    async def error(self, program: Program) -> dict[str, Any]:
        result = await self.run(program)
        assert result.is_error and result.evidence.failed
        return json.loads(result.text)["error"]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def ends(result: GuestResult) -> Program:
    async def program(sql) -> GuestResult:
        return result

    return program


async def test_a_program_gives_its_output_and_what_it_used(bench) -> None:
    result = await bench.run()
    assert json.loads(result.text)["data"] == {
        "output": "42\n",
        "queries": [],
        "fuel_used": 500,
        "elapsed_ms": 2.0,
        "sql_calls": 0,
    }
    item = result.evidence
    assert (item.title, item.output, item.code, item.sql) == ("1 line", "42\n", "print(42)", None)
    assert item.usage.fuel == 500
    assert item.usage.fuel_bound == DEFAULT.python_fuel
    assert (item.usage.memory_bytes, item.usage.memory_bytes_bound) == (21 * MIB, 128 * MIB)


async def test_a_query_is_admitted_bounded_and_recorded_like_a_call(bench) -> None:
    async def program(sql) -> GuestResult:
        columns, rows = await sql("SELECT n FROM orders", None)
        assert (columns, rows) == (["n"], [[1], [2]])
        return replace(PRINTS, sql_calls=1, sql_rows=2)

    result = await bench.run(program)
    assert bench.engines["workspace"].asked == [("SELECT n FROM orders", 15, 10_000)]
    assert bench.asked == ["workspace", "workspace"]  # before the program, and before the query
    (query,) = result.evidence.queries
    assert (query.sql, query.source, query.row_count) == ("checked SELECT n FROM orders", "workspace", 2)
    assert query.digest == rows_digest(["n"], [(1,), (2,)])
    assert result.evidence.sources == query.sources == (SourceRef("workspace", "orders", "r1", "orders.csv"),)
    body = json.loads(result.text)
    assert body["data"]["queries"] == [{"sql": "SELECT n FROM orders", "row_count": 2}]
    assert body["notes"] == ["orders: a note"]
    assert Evidence.from_json(json.loads(json.dumps(result.evidence.as_json()))) == result.evidence


async def test_a_source_that_closes_meanwhile_ends_the_call_whatever_the_program_does(bench) -> None:
    async def program(sql) -> GuestResult:
        await sql("SELECT n FROM orders", None)
        bench.closed.add("workspace")
        try:
            await sql("SELECT n FROM orders", None)
        except GuestSqlError:
            return PRINTS
        raise AssertionError

    error = await bench.error(program)
    assert (error["code"], error["message"]) == ("admission_changed", "Closed now.")
    assert len(bench.engines["workspace"].asked) == 1


async def test_nothing_runs_when_no_source_is_open(bench) -> None:
    bench.closed.add("workspace")
    assert (await bench.error(ends(PRINTS)))["code"] == "admission_changed"
    assert bench.guest.given == []


async def test_a_wrong_query_is_an_exception_that_the_program_may_handle(bench) -> None:
    async def program(sql) -> GuestResult:
        with pytest.raises(GuestSqlError, match=r"There is no table nothing\. Tables: orders\."):
            await sql("SELECT * FROM nothing", None)
        return PRINTS

    result = await bench.run(program)
    assert [(query.error, query.sql) for query in result.evidence.queries] == [
        ("sql_unknown_table", "SELECT * FROM nothing")
    ]


async def test_sources_are_named_and_others_do_not_exist(bench) -> None:
    bench.engines["shop"] = Engine("shop", bench.clock)
    bench.engines["secret"] = Engine("secret", bench.clock)
    bench.scope = with_sources(bench.scope, workspace="workspace", shop="sqlite")

    async def program(sql) -> GuestResult:
        await sql("SELECT 1", "shop")
        await sql("SELECT 2", None)
        with pytest.raises(GuestSqlError, match=r"No source 'secret' is open here.* shop, workspace"):
            await sql("SELECT 3", "secret")
        return PRINTS

    result = await bench.run(program)
    assert [query.source for query in result.evidence.queries] == ["shop", "workspace"]
    assert bench.engines["secret"].asked == []


@pytest.mark.parametrize(("model_rows", "said"), [("none", "No rows of shop"), ("sample", "Only samples of the rows")])
async def test_rows_that_may_not_leave_reach_no_program(bench, model_rows, said) -> None:
    bench.engines["shop"] = Engine("shop", bench.clock)
    terms = {"shop": SourceTerms(SourceKind.SQLITE, model_rows)}
    bench.scope = replace(bench.scope, sources=frozenset(terms), terms=terms)

    async def program(sql) -> GuestResult:
        with pytest.raises(GuestSqlError, match=f"{said}.*people see its result"):
            await sql("SELECT 1", "shop")
        return PRINTS

    result = await bench.run(program)
    assert bench.engines["shop"].asked == []
    assert [query.error for query in result.evidence.queries] == ["sql_not_allowed"]


async def test_a_masked_column_reaches_no_program(bench) -> None:
    bench.engines["workspace"].masked = ("email",)

    async def program(sql) -> GuestResult:
        with pytest.raises(GuestSqlError, match=r"email: masked"):
            await sql("SELECT email FROM customers", None)
        return PRINTS

    assert [query.error for query in (await bench.run(program)).evidence.queries] == ["sql_not_allowed"]


async def test_several_sources_without_a_workspace_must_be_named(bench) -> None:
    bench.scope = with_sources(bench.scope, crm="postgresql", shop="sqlite")

    async def program(sql) -> GuestResult:
        with pytest.raises(GuestSqlError, match=r"Several sources are open: say .*crm, shop"):
            await sql("SELECT 1", None)
        return PRINTS

    assert not (await bench.run(program)).is_error


@pytest.mark.parametrize(("total", "said"), [(20_000, "20,000 rows"), (None, "2 or more rows")])
async def test_a_part_of_a_result_is_never_passed_on(bench, total, said) -> None:
    bench.engines["workspace"].truncated = Truncation("rows_kept", 2, total)

    async def program(sql) -> GuestResult:
        with pytest.raises(GuestSqlError, match=said):
            await sql("SELECT n FROM orders", None)
        return PRINTS

    assert not (await bench.run(program)).is_error


async def test_numbers_are_numbers_and_what_is_none_is_missing(bench) -> None:
    engine = bench.engines["workspace"]
    engine.columns = tuple(Column(name, name) for name in ("HUGEINT", "DECIMAL(38,2)", "DOUBLE", "VARCHAR", "DATE"))
    engine.rows = (("90071992547409930", "12345678901234567.89", "nan", "7", "2026-01-31"), (1, 2.5, 0.5, None, None))

    async def program(sql) -> GuestResult:
        _, rows = await sql("SELECT * FROM orders", None)
        assert rows[0][0] == 90_071_992_547_409_930
        assert str(rows[0][1]) == "12345678901234567.89"
        assert rows[0][2:] == [None, "7", "2026-01-31"]
        assert rows[1] == [1, 2.5, 0.5, None, None]
        return PRINTS

    assert not (await bench.run(program)).is_error


async def test_queries_share_thirty_seconds_and_each_has_fifteen(bench) -> None:
    engine = bench.engines["workspace"]
    engine.takes = 12.0

    async def program(sql) -> GuestResult:
        for _ in range(3):
            await sql("SELECT n FROM orders", None)
        try:
            await sql("SELECT n FROM orders", None)
        except GuestSqlError as error:
            return GuestResult("error", error=f"Traceback\nSqlError: {error}")
        raise AssertionError

    error = await bench.error(program)
    assert [seconds for _, seconds, _ in engine.asked] == [15, 15, 6]
    assert error["code"] == "python_limit"
    assert error["message"] == "The program was ended: its queries took all of their 30 s."


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("fuel", "20 G of fuel"),
        ("timeout", "longer than its 10 s"),
        ("memory", "128 MiB"),
        ("stack", "2 MiB"),
        ("output", "16,000 characters"),
        ("sql_flood", "25 calls"),
        ("source_too_large", "32,000 bytes"),
    ],
)
async def test_a_limit_is_a_typed_error_that_names_the_bound(bench, status, said) -> None:
    result = await bench.run(ends(GuestResult(status, stdout="7", error="ended", fuel_used=9)))
    error = json.loads(result.text)["error"]
    assert error["code"] == "python_limit"
    assert error["retryable"] is True
    assert said in error["message"]
    assert result.evidence.usage.fuel == 9


async def test_an_exception_is_a_failed_call_with_its_traceback_and_backs_no_figure(bench) -> None:
    trace = 'Traceback (most recent call last):\n  File "<program>", line 2\nZeroDivisionError: division by zero\n'
    result = await bench.run(ends(GuestResult("error", stdout="about 1234\n", error=trace)))
    error = json.loads(result.text)["error"]
    assert (error["code"], error["message"]) == ("python_failed", "ZeroDivisionError: division by zero")
    assert error["details"] == {"traceback": trace, "output_until_then": "about 1234\n"}
    assert (result.evidence.output, result.evidence.code) == (None, "print(42)")
    assert check_figures("It is 1234 [E1].", [result.evidence]).missing == ("1234",)


async def test_a_broken_interpreter_and_a_missing_one_are_told_apart(bench) -> None:
    assert (await bench.error(ends(GuestResult("trap", error="unreachable"))))["code"] == "python_failed"
    bench.boundary = None

    async def gone(sql) -> GuestResult:
        raise GuestUnavailable("Build it.")

    error = await bench.error(gone)
    assert (error["code"], error["message"]) == ("python_unavailable", "Build it.")


async def test_a_table_is_published_with_its_types(bench) -> None:
    rows = [["a", 1, 1.5, True], ["b", 2, 2, False], [None, None, None, None]]
    result = await bench.run(ends(replace(PRINTS, table=(["name", "n", "x", "yes"], rows))))
    assert [column.type for column in result.evidence.columns] == ["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]
    assert (result.evidence.title, result.evidence.row_count) == ("3 rows", 3)
    assert result.evidence.result_digest == rows_digest(["name", "n", "x", "yes"], rows)
    table = json.loads(result.text)["data"]["table"]
    assert table["columns"][0] == {"name": "name", "type": "VARCHAR"}
    assert (table["row_count"], table["shown"], table["rows"]) == (3, 3, rows)


async def test_of_a_long_table_the_model_sees_the_head_and_evidence_holds_all(bench) -> None:
    rows = [[n] for n in range(1_000)]
    result = await bench.run(ends(replace(PRINTS, table=(["n"], rows))))
    table = json.loads(result.text)["data"]["table"]
    assert (table["row_count"], table["shown"], len(table["rows"])) == (1_000, 30, 30)
    assert len(result.evidence.rows) == 1_000


@pytest.mark.parametrize("letter", ["x", "é", "漢", "\x01"])
async def test_long_output_is_kept_for_people_and_bounded_for_the_model(bench, letter) -> None:
    printed = letter * 16_000
    result = await bench.run(ends(replace(PRINTS, stdout=printed, truncated=True)))
    assert result.evidence.output == printed
    assert len(result.text.encode()) <= DEFAULT.model_text_bytes
    body = json.loads(result.text)
    sent = len(body["data"]["output"])
    assert 1_500 < sent < 16_000
    assert body["notes"] == [
        "The output was cut at 16,000 characters; print less.",
        f"The model saw the first {sent:,} of 16,000 characters of the output.",
    ]


async def test_figures_may_rest_on_what_was_printed_or_published_and_on_nothing_else(bench) -> None:
    result = await bench.run(ends(GuestResult("ok", "mean 17.25\n", table=(["n"], [[31]]), fuel_used=4711)))
    said = "The mean is 17.25 and the count 31, not 4711 [E1]."
    assert check_figures(said, [result.evidence]).missing == ("4711",)
    bench.boundary = None
    silent = await bench.run(ends(GuestResult("ok", "", fuel_used=4711)))
    assert silent.evidence.title == "no output"
    assert check_figures("It is 4711 [E1].", [silent.evidence]).missing == ("4711",)


async def test_the_same_call_of_the_same_run_has_the_same_seed_and_local_time(bench) -> None:
    await bench.run()
    await bench.run(code="print(43)", number=2)
    (now, seed, limits), (_, other, _) = bench.guest.given
    assert seed == seed_of("r1", "print(42)") != other
    assert seed != seed_of("r2", "print(42)")
    assert now.endswith(("+01:00", "+02:00"))
    assert limits == GuestLimits()


async def test_a_repeat_is_answered_from_memory_until_a_source_changes(bench) -> None:
    first = await bench.run()
    again = await bench.run(number=2)
    assert again.evidence.repeat_of == first.evidence.id
    bench.revisions = {"workspace": "r2"}
    assert (await bench.run(number=3)).evidence.repeat_of is None
    assert len(bench.guest.given) == 2


async def test_a_stopped_run_stops_its_program(bench) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def program(sql) -> GuestResult:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    task = asyncio.create_task(bench.run(program))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


def test_it_is_offered_with_any_source_where_the_interpreter_stands(bench) -> None:
    assert run_python.CAPABILITY.offered(SCOPE)
    assert run_python.CAPABILITY.offered(with_sources(SCOPE, shop="sqlite"))
    assert not run_python.CAPABILITY.offered(with_sources(SCOPE, tracker="mcp"))
    assert not run_python.CAPABILITY.offered(replace(SCOPE, sources=frozenset()))
    assert "run_python" not in Registry.of().served(Services()).by_tool
    assert "run_python" in Registry.of().served(Services(PythonEngine(bench.guest))).by_tool

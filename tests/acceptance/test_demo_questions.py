"""The demo, asked without a key through the real loop, engines and guards: 40 questions with right answers, and what it
declines, asks back and proposes."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.assembly import Analyst
from bot.commands.local_run import local_analyst
from bot.local.demo import TOUR, make_crm, make_office, make_shop, write_demo
from bot.local.demo.opening import MANIFEST, write_manifest_without_crm
from bot.local.demo.postgresql import DSN_VARIABLE, crm_addresses
from bot.settings import load_settings
from runtime.capability import Scope
from runtime.charts import Chart
from runtime.durable import DirectSteps
from runtime.instructions import present_context
from runtime.models.port import Message, ModelMessage, UserMessage
from runtime.run import RunRequest, RunResult, Status, run
from tests import postgres_server
from tests.acceptance.demo_answers import CRM, SHOP, Data, Expected, within
from tests.acceptance.demo_plain_answers import PLAIN, PLAIN_CRM
from tests.acceptance.grading import declined, has_figure

README = Path(__file__).parents[2] / "README.md"
NOW = datetime(2026, 6, 30, 9, 30, tzinfo=UTC)


@dataclasses.dataclass
class Asked:
    """The demo's analyst; each question is a run of its own."""

    analyst: Analyst
    scope: Scope
    data: Data
    count: int = 0

    async def ask(self, question: str, *before: Message) -> RunResult:
        self.count += 1
        scope = dataclasses.replace(self.scope, run_id=f"run-{self.count}")
        context = present_context(
            now=NOW, timezone=scope.timezone, asker="Ann", place="a direct message", sources=scope.described()
        )
        return await run(self.analyst.wiring, RunRequest(scope, question, context, before), DirectSteps())

    async def talk(self, *questions: str) -> RunResult:
        """The last answer of a thread."""
        before: list[Message] = []
        result = None
        for question in questions:
            result = await self.ask(question, *before)
            before += [UserMessage(question), ModelMessage(result.answer)]
        assert result is not None
        return result


@asynccontextmanager
async def opened(folder: Path, manifest: Path) -> AsyncGenerator[Asked]:
    settings = load_settings(
        FOOTNOTE_MANIFEST=manifest,
        FOOTNOTE_STATE=f"sqlite:///{folder / 'state.db'}",
        FOOTNOTE_DATA_DIR=folder / "cache",
        FOOTNOTE_MODEL="offline",
    )
    shop = make_shop()
    data = Data(shop, make_office(shop), make_crm(shop))
    async with local_analyst(settings) as (analyst, scope):
        yield Asked(analyst, scope, data)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncGenerator[Asked]:
    """The demo without its CRM."""
    write_demo(tmp_path)
    async with opened(tmp_path, write_manifest_without_crm(tmp_path)) as asked:
        yield asked


@pytest.fixture
async def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Asked]:
    """The whole demo, its CRM in a server of the tests."""
    write_demo(tmp_path / ".footnote" / "demo")
    manifest = tmp_path / "manifests" / "demo.yaml"
    manifest.parent.mkdir()
    manifest.write_text(MANIFEST.read_text())
    with postgres_server.server() as address:
        monkeypatch.setenv(DSN_VARIABLE, address)
        with crm_addresses(make_crm(make_shop())) as addresses:
            assert addresses is not None
            for name, value in addresses.items():
                monkeypatch.setenv(name, value)
            async with opened(tmp_path, manifest) as asked:
                yield asked


async def faults(asked: Asked, questions: Mapping[str, Callable[[Data], Expected]]) -> dict[str, str]:
    """The questions that were not answered right, with what was said."""
    wrong: dict[str, str] = {}
    for question, right in questions.items():
        result = await asked.ask(question)
        figures, words = right(asked.data)
        told = result.answer
        fine = result.status is Status.ANSWERED and not declined(told) and not result.verification.missing
        fine = fine and all(has_figure(told, figure, 0.006) for figure in figures)
        if not (fine and all(word in told for word in words)):
            wrong[question] = f"{told}\n{result.verification.line}\nexpected {figures} {words}"
    return wrong


def test_there_are_forty_questions() -> None:
    assert len(SHOP) + len(CRM) == 40


@pytest.mark.timeout(400)
async def test_questions_over_the_shop_and_its_files(shop: Asked) -> None:
    assert await faults(shop, SHOP) == {}


@pytest.mark.timeout(400)
async def test_plain_questions_over_the_shop(shop: Asked) -> None:
    assert await faults(shop, PLAIN) == {}


@pytest.mark.timeout(400)
async def test_questions_over_the_crm_and_an_order_to_change_it(whole: Asked) -> None:
    assert await faults(whole, {**CRM, **PLAIN_CRM}) == {}
    name = whole.data.crm.accounts[0][1]
    result = await whole.ask(f"Set the tier of account {name} to silver")
    tools = [item.tool for item in result.evidence]
    assert tools[-2:] == ["data_preview_postgresql_update", "data_update_postgresql"]
    assert result.evidence[-2].row_count == 1 and not result.evidence[-2].failed
    assert result.evidence[-1].failed and "approval" in result.answer  # nobody can be asked here
    silver = [row for row in whole.data.crm.accounts if row[2] == "silver"]
    for ordered, count in (
        ("Set the status of account 5 to paused", 1),
        ("Set the tier of accounts 5, 7 and 9 to silver, please", 3),
        (f"Set the tier of silver accounts except account {silver[0][0]} to gold", len(silver) - 1),
        ("Set the tier of silver accounts with a monthly fee over 60 to gold", None),
        ("Set the tier of silver accounts over 60 to gold", None),
        ("Set the status of silver accounts signed in 2024 to paused", None),
        ("Set the tier of the latest silver account to gold", None),
    ):
        result = await whole.ask(ordered)
        shown = [item.row_count for item in result.evidence if item.tool == "data_preview_postgresql_update"]
        assert shown == ([] if count is None else [count]), result.answer
        assert count is not None or "Nothing was changed" in result.answer, result.answer
    for ordered, count in (
        ("make account 7 gold", 1),
        ("move accounts 5 and 7 to silver", 2),
        ("give account 7 the silver tier", 1),
        ("change account 7's tier to gold", 1),
        ("make account 7 platinum", None),  # of which column that is a value is not known
        ("move the meeting to Monday", None),
    ):
        result = await whole.ask(ordered)
        shown = [item.row_count for item in result.evidence if item.tool == "data_preview_postgresql_update"]
        assert shown == ([] if count is None else [count]), result.answer
        assert ("approval" if count else "Nothing was changed") in result.answer, result.answer
    unknown = await whole.ask("Set the tier of account Nobody Known to gold")
    assert "Nothing was changed" in unknown.answer


@pytest.mark.timeout(400)
async def test_what_the_demo_shows_without_a_key(shop: Asked) -> None:
    for question in TOUR:
        assert not declined((await shop.ask(question)).answer), question
    joined = await shop.ask(TOUR[0])
    assert any(item.sql and "JOIN" in item.sql for item in joined.evidence)
    drawn = await shop.ask(TOUR[1])
    assert any(item.chart is not None for item in drawn.evidence)
    lands = await shop.ask("Draw the number of orders by channel and country")
    (picture,) = [Chart.from_json(item.chart) for item in lands.evidence if item.chart is not None]
    assert {one.name for one in picture.series} == {shop.data.country(row[0]) for row in shop.data.shop.customers}
    asked_back = await shop.ask("Which channel has the highest total amount?")
    assert "EUR · USD" in asked_back.answer
    chosen = await shop.talk("Which channel has the highest total amount?", "EUR")
    assert "EUR" in chosen.answer and not declined(chosen.answer)
    fan_out = await shop.ask("What is the total amount by category?")
    assert declined(fan_out.answer) and "counted several times" in fan_out.answer
    unknown = await shop.ask("What was our turnover in May 2026?")
    assert declined(unknown.answer) and "“turnover”" in unknown.answer
    assert "aren't built yet" in (await shop.ask("Post the number of orders every Monday")).answer
    assert "aren't built yet" in (await shop.ask("Profile the orders table")).answer
    assert "English only" in (await shop.ask("Wie viele Bestellungen gab es im Mai?")).answer
    assert "nothing was changed" in (await shop.ask("Delete all orders")).answer
    assert "shop/orders" in (await shop.ask("What tables do you have?")).answer
    assert "ordered_on" in (await shop.ask("Describe orders")).answer


@pytest.mark.timeout(400)
async def test_remarks_after_an_answer(shop: Asked) -> None:
    first = "What is the total amount of paid orders in EUR in 2025?"
    by_month = await shop.talk(first, "and by month?", "only Germany")
    december = [
        order.cents
        for order in shop.data.from_country("Germany")
        if order.status == "paid" and (order.day.year, order.day.month) == (2025, 12)
    ]
    assert has_figure(by_month.answer, sum(december) / 100, 0.005) and "“Germany”" in by_month.answer
    drawn = await shop.talk(first, "and by month?", "as a chart")
    assert any(item.chart is not None for item in drawn.evidence)
    why = (await shop.talk(first, "and by month?", "why?")).answer
    assert "I can't say why" in why and "“and by channel?”" in why
    assert not any(f"“and by {known}?”" in why for known in ("month", "status", "currency"))  # the answer has them
    shares = await shop.talk("What share of orders was cancelled?", "only Germany", "and by channel?", "as a chart")
    assert any(item.chart is not None for item in shares.evidence)
    for channel in ("web", "store", "phone"):
        orders = [order for order in shop.data.from_country("Germany") if order.channel == channel]
        part = sum(order.status == "cancelled" for order in orders)
        assert f"| {part} | {len(orders)} |" in shares.answer, shares.answer


async def test_what_revenue_is_and_how_much_comes_from_its_table_with_the_policy_beside_it(shop: Asked) -> None:
    back = Counter[int]()
    for _, order, _, _, _, cents in shop.data.shop.refunds:
        back[order] += cents
    kept = [o for o in shop.data.euros if o.status == "paid" and within(o.day, 2026, 1, 3)]
    by_country = Counter[str]()
    for order in kept:
        by_country[shop.data.country(order.customer)] += order.cents - back[order.id]
    country, cents = by_country.most_common(1)[0]
    asked = re.search(r"Ask `@footnote (.+?)`", README.read_text())
    assert asked is not None
    led = await shop.ask(asked.group(1))
    assert country in led.answer and has_figure(led.answer, cents / 100, 0.005), led.answer
    assert "`policies/revenue.md:3`" in led.answer and not led.verification.missing
    whole = (await shop.ask("What was our revenue in EUR in the first quarter of 2026?")).answer
    assert has_figure(whole, sum(by_country.values()) / 100, 0.005), whole
    years = await shop.ask("revenue in 2025 vs 2026")
    assert "January to December 2025" in years.answer and not years.verification.missing
    meant = (await shop.ask("How do we count revenue?")).answer
    assert not declined(meant) and "`policies/revenue.md:3`" in meant


async def test_praise_is_asked_back_and_chat_stays_short(shop: Asked) -> None:
    asked = (await shop.ask("Who are our best customers?")).answer
    assert "by number of orders · by total amount in EUR · by total amount in USD" in asked
    chosen = (await shop.talk("Who are our best customers?", "by number of orders")).answer
    most = Counter(order.customer for order in shop.data.orders).most_common(1)[0]
    assert f"| {most[0]} | {most[1]} |" in chosen, chosen
    for chat in ("thanks!", "ok", "bye", "are you a bot?"):
        result = await shop.ask(chat)
        assert len(result.answer) < 100 and not result.evidence, result.answer


async def test_a_question_that_only_a_document_answers_is_answered_with_its_line(shop: Asked) -> None:
    told = (await shop.ask("What is our return policy for a change of mind?")).answer
    assert not declined(told) and "`policies/returns.md:5`: «For a change of mind we refund the half" in told, told

"""`python -m tests.browser.pictures`: draws the pictures of README anew into docs/pictures/, from the running demo."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from bot.local.demo import TOUR
from runtime.testing.messages_api import Reply
from tests.browser import scripts
from tests.browser.cards import cards
from tests.browser.stage import Theatre, theatre

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
_WRONG = "SELECT channel, sum(amount_eur) FROM orders GROUP BY channel"
_RIGHT = (
    "SELECT channel, count(*) AS orders, sum(amount) AS revenue FROM orders "
    "WHERE currency = 'EUR' AND status = 'paid' GROUP BY channel ORDER BY revenue DESC"
)


def analyst(request: dict[str, Any]) -> Reply:
    """Asks for a column that isn't there, corrects itself, answers from what came back."""
    results = [part for message in request["messages"] for part in _parts(message) if part.get("type") == "tool_result"]
    if not results:
        return Reply(calls=[("run_sql", {"sql": _WRONG})])
    if len(results) == 1:
        return Reply(calls=[("run_sql", {"sql": _RIGHT})])
    return Reply(text="The *web* channel leads paid revenue in EUR, ahead of *store* and *phone* [E2].")


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [] if isinstance(content, str) else [part for part in content if isinstance(part, dict)]


async def main() -> None:
    """All pictures, one after the other."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with theatre(Path(folder) / "offline") as house:
            await _answers(house)
            await _parts_of_the_page(house)
            await approvals(house)
        async with theatre(Path(folder) / "scripted", analyst) as house:
            await _failed_call(house)


async def _answers(house: Theatre) -> None:
    root = await house.slack.say("sales", "U0MIA", f"<@U0FOOTNOTE> {TOUR[0]}")
    async with house.page(f"U0MIA/C0SALES/{root}") as page:
        fold = page.locator("#thread details.fold", has_text="run_sql").last  # the query that the answer cites
        await fold.wait_for()
        await page.locator("#thread .file").wait_for()
        await _keep(page, "answer")
        await fold.locator("summary").click()
        await fold.scroll_into_view_if_needed()
        await _keep(page, "fold")
    async with house.page(f"U0MIA/C0SALES/{root}", theme="dark") as page:
        await page.locator("#thread details.fold").first.wait_for()
        await page.locator("#thread .file").wait_for()
        await _keep(page, "answer-dark")
    async with house.page(f"U0MIA/C0SALES/{root}", width=390, height=780) as page:
        await page.locator("#thread .file").wait_for()
        await _keep(page, "answer-narrow")
    async with house.page("U0MIA/C0FIN") as page:
        await page.locator("#tour button").first.wait_for()
        await _keep(page, "start")


async def _parts_of_the_page(house: Theatre) -> None:
    root = await house.slack.say(
        "sales", "U0MIA", "<@U0FOOTNOTE> Draw the total amount of paid orders in EUR by month of 2025"
    )
    async with house.page(f"U0MIA/C0SALES/{root}", tour=False) as page:
        await page.locator("#thread .chart svg").wait_for()
        await page.locator("#thread .file img").first.wait_for()
        await page.locator("#thread .chart").evaluate("chart => chart.scrollIntoView({block: 'start'})")
        await _keep(page, "chart")
        await page.get_by_role("button", name="Close thread").click()
        await page.get_by_role("button", name="App Home").click()
        await page.locator(".home").get_by_text("Tables of files", exact=True).wait_for()
        await _keep(page, "home")
    async with house.page("U0ANN/C0SALES", tour=False) as page:
        await house.open_view("U0ANN", "C0SALES", scripts.modal())
        await page.locator("#dialog input").wait_for()
        await _keep(page, "modal")


async def approvals(house: Theatre) -> None:
    """The approval card in its six states, each in a thread of its own."""
    for name, (card, told) in cards().items():
        root = await house.slack.say(
            "sales", "U0MIA", "Oslo Traders, Harbour Books and Green Lane Tea are gold now, please."
        )
        for message in filter(None, (card, told)):
            await house.post("C0SALES", message.text, list(message.blocks), thread_ts=root)
        async with house.page(f"U0ANN/C0SALES/{root}", tour=False) as page:
            await page.locator("#thread table").first.wait_for()
            await page.locator("#thread table").first.scroll_into_view_if_needed()
            await _keep(page, f"approval-{name}")


async def _failed_call(house: Theatre) -> None:
    root = await house.slack.say("sales", "U0MIA", "<@U0FOOTNOTE> which channel leads paid revenue in EUR?")
    async with house.page(f"U0MIA/C0SALES/{root}") as page:
        await page.locator("#thread").get_by_text("leads paid revenue in EUR, ahead").wait_for()
        await page.locator("#thread details.fold").first.wait_for()
        await page.locator("#thread .file").wait_for()
        await _keep(page, "failed-call")


async def _keep(page: Page, name: str) -> None:
    await page.evaluate("document.activeElement.blur()")
    await page.mouse.move(2, 2)
    await page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    await page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
    print(f"docs/pictures/{name}.png")


if __name__ == "__main__":
    asyncio.run(main())

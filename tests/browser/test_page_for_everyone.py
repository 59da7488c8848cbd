"""The page for every reader and every text: accessibility rules, and strings of any size, script and content."""

from __future__ import annotations

import random

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from bot.render.answer import AnswerView, answer_messages
from runtime.evidence import Column, Evidence
from tests.browser import scripts
from tests.browser.stage import PATIENCE_MS
from tests.unit.render.wild import NASTY

pytestmark = pytest.mark.asyncio(loop_scope="module")
expect.set_options(timeout=PATIENCE_MS)

_ALPHABETS = (
    "abc xyz",
    "ÄÖÜß éñ",
    "数据分析 表格",
    "بيانات المبيعات",
    "שלום עולם",
    "ข้อมูลการขาย",
    "🧾📈👩‍👩‍👧‍👦🏳️‍🌈 ",
    "<>&\"'`*_~|[](){}\\/",
    "\u202e\u200b\u2066\u0301\ufeff",
    "0123456789.,-%€",
)


async def serious(page) -> list[str]:
    """Findings of weight, as rule and place."""
    found = (await Axe().run(page)).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


# Each theme and each width once: contrast hangs on the theme, what is hidden or scrolls on the width.
LOOKS = pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])


@LOOKS
async def test_no_serious_finding_in_an_answer_a_dialog_and_the_wire(house, open_page, theme, width):
    await house.post("C0SALES", "all kinds", [scripts.xy("bar"), scripts.pie(), scripts.data_table()])
    await house.slack.say("sales", "U0MIA", "a file", files={"a.csv": b"a,b\n1,2\n"})
    await house.post("C0SALES", "a button", [scripts.confirm_button()])
    root = await house.slack.say("sales", "U0MIA", "<@U0FOOTNOTE> How many orders are there by status?")
    async with open_page(f"U0MIA/C0SALES/{root}", theme=theme, width=width) as page:
        await page.locator("#thread-messages details.fold summary").first.click()
        assert await serious(page) == []
        if width == 390:
            await page.get_by_role("button", name="Back to the channel").click()
        await page.locator("#channel-messages .file").first.wait_for()
        await page.get_by_role("button", name="Approve").last.click()
        assert await serious(page) == []
        await page.keyboard.press("Escape")
        if width == 390:
            await page.locator("main").get_by_role("button", name="Conversations").click()
        await page.get_by_role("button", name="Wire").click()
        await page.locator(".entry summary").first.click()
        assert await serious(page) == []


@LOOKS
async def test_no_serious_finding_at_the_start_in_a_form_and_on_app_home(house, open_page, theme, width):
    async with open_page("U0LEO/C0SALES", theme=theme, width=width) as page:
        await page.locator("#tour button").first.wait_for()
        assert await serious(page) == []
        await house.open_view("U0LEO", "C0SALES", scripts.modal())
        await page.locator("#dialog input").wait_for()
        assert await serious(page) == []
        await page.get_by_role("button", name="Cancel").click()
        await expect(page.locator("#dialog")).to_be_hidden()
        if width == 390:
            await page.locator("main").get_by_role("button", name="Conversations").click()
        await page.get_by_role("button", name="App Home").click()
        await page.locator(".home").get_by_text("Tables of files", exact=True).wait_for(state="attached")
        assert await serious(page) == []


def wild_texts(seed: int, number: int) -> list[str]:
    """Texts of one to some thousand signs, of one alphabet or of all, with and without places to break."""
    chance = random.Random(seed)
    texts = list(NASTY)
    for _ in range(number):
        signs = chance.choice((*_ALPHABETS, "".join(_ALPHABETS)))
        signs = signs.replace(" ", "") if chance.random() < 0.5 else signs
        texts.append("".join(chance.choice(signs) for _ in range(int(10 ** chance.uniform(0, 3.4)))))
    return texts


def utf16(text: str, most: int) -> str:
    """At most `most` UTF-16 units of `text`, as Slack counts, and something to see."""
    cut = text.encode("utf-16-le", "replace")[: 2 * most].decode("utf-16-le", "ignore")
    return cut if cut.strip() else "-"


def wild_blocks(text: str) -> list[dict]:
    """`text` wherever a message can carry it, within Slack's limits."""
    short, cell = utf16(text, 20), utf16(text, 60)
    raw = {"type": "raw_text", "text": cell}
    label = {"type": "plain_text", "text": utf16(text, 60)}
    categories = [short, "other"]
    chart = {
        "type": "bar",
        "axis_config": {"categories": categories, "y_label": short},
        "series": [{"name": short, "data": [{"label": one, "value": 3} for one in categories]}],
    }
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": utf16(text, 900)}, "expand": True},
        {"type": "header", "text": {"type": "plain_text", "text": cell}},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": utf16(text, 200)}]},
        {"type": "data_visualization", "title": utf16(text, 50), "chart": chart},
        {
            "type": "container",
            "block_id": "f",
            "title": {"type": "plain_text", "text": cell},
            "subtitle": label,
            "is_collapsible": True,
            "default_collapsed": False,
            "child_blocks": [{"type": "table", "rows": [[raw] * 4, [raw] * 4]}],
        },
        {"type": "actions", "elements": [{"type": "button", "action_id": "a", "text": label, "value": "1"}]},
    ]


def wild_answer(text: str) -> AnswerView:
    """An answer with `text` in its words, its query, its cells and its notes."""
    columns = (Column(text[:80], "VARCHAR"), Column("n", "DOUBLE"))
    item = Evidence(
        *("E1", "c1", "run_sql", text[:200], "ok"),
        sql=text,
        columns=columns,
        rows=((text, 1234.5),) * 3,
        row_count=3,
        notes=(text[:200],),
        elapsed_ms=1.0,
    )
    return AnswerView(f"{text}\n\n| a | b |\n|---|---|\n| {text} | 1 |\n", text[:300], (item,), frozenset({"E1"}), "r")


async def test_text_of_any_size_script_and_content_keeps_the_page_intact(house, open_page):
    texts = [text for text in wild_texts(11, 40) if text.strip()]
    async with open_page("U0MIA/C0FIN", width=390, tour=False) as page:
        for text in texts:
            await house.post("C0FIN", text[:3000], wild_blocks(text))
            await house.slack.say("finance", "U0MIA", text[:3000])
        posted = 2 * len(texts)
        for text in texts[:: len(texts) // 8]:
            for message in answer_messages(wild_answer(text)):
                await house.client.chat_postMessage(channel="C0FIN", **message.as_json())
                posted += 1
        messages = page.locator("#channel-messages .message")
        await expect(messages).to_have_count(posted)
        for width in (390, 768, 1280, 1600):
            await page.set_viewport_size({"width": width, "height": 800})
            wide = await page.evaluate(
                """() => ['html', 'main', '#channel-messages']
                    .map((name) => document.querySelector(name))
                    .filter((node) => node.scrollWidth > node.clientWidth + 1)
                    .map((node) => `${node.tagName} ${node.scrollWidth} > ${node.clientWidth}`)"""
            )
            assert wide == [], width
        assert await page.locator(".unknown").count() == 0
        # Nothing that was written became part of the page itself.
        assert (
            await page.locator("#channel-messages :is(script, iframe, object, embed, style, link, form)").count() == 0
        )
        await expect(page.locator("#channel-name")).to_have_text("# finance")

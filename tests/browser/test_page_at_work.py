"""The newcomer's way through the page, in a real browser against the real bot."""

from __future__ import annotations

import struct
import zlib

import pytest
from playwright.async_api import expect

from bot.local.demo import TOUR
from tests.browser import scripts
from tests.browser.stage import PATIENCE_MS

pytestmark = pytest.mark.asyncio(loop_scope="module")
expect.set_options(timeout=PATIENCE_MS)


def png(width: int = 8, height: int = 4) -> bytes:
    """A picture of one colour."""

    def part(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + b"\x1f\x6f\x5a" * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


async def test_one_click_asks_and_the_answer_comes_with_folds_and_a_csv(open_page):
    async with open_page("U0MIA/C0SALES") as page:
        await page.locator("#tour").get_by_role("button", name=TOUR[0]).click()
        thread = page.locator("#thread-messages")
        await expect(thread).to_contain_text("furniture")
        fold = thread.locator("details.fold", has_text="run_sql · 5 rows").first
        await fold.locator("summary").click()
        await expect(fold.locator("pre")).to_contain_text("SELECT")
        await expect(fold.locator("table")).to_contain_text("category")
        await expect(thread.locator(".status")).to_have_count(0)
        # What a person opened stays open while messages arrive.
        await page.locator("#thread-composer textarea").fill("thanks")
        await page.locator("#thread-composer textarea").press("Enter")
        await expect(thread).to_contain_text("thanks")
        await expect(fold).to_have_attribute("open", "")
        file = thread.locator(".file", has_text="CSV").first
        async with page.expect_download() as waiting:
            await file.locator(".download").click()
        path = await (await waiting.value).path()
        assert path.read_bytes().startswith(b"category,")
        await file.get_by_text("Preview").click()
        await expect(file.locator("table")).to_contain_text("furniture")
        await expect(page.locator("#tour .asked")).to_have_count(1)


async def test_the_apps_page_is_there_after_a_reload_and_for_whoever_sits_down(open_page):
    async with open_page("U0LEO/home") as page:
        home = page.locator(".home")
        await expect(home).to_contain_text("Open to you here")
        await page.locator("#person").select_option("U0GUS")
        await expect(home).to_contain_text("Nothing is open to you")


async def test_a_table_is_paged_and_sorted(house, open_page):
    async with open_page("U0MIA/C0GENERAL") as page:
        await house.post("C0GENERAL", "a table", [scripts.data_table()])
        table = page.locator(".message", has=page.locator("caption", has_text="Orders of the week")).last
        await expect(table.locator("tbody tr")).to_have_count(5)
        await table.get_by_role("button", name="Next").click()
        await expect(table.locator("tbody tr").first).to_contain_text("order 05")
        await expect(table.locator(".pager")).to_contain_text("6–10 of 23")
        await table.get_by_role("button", name="Amount").click()
        await table.get_by_role("button", name="Amount").click()
        await expect(table.locator("th[aria-sort=descending]")).to_contain_text("Amount")
        await expect(table.locator("tbody tr").first).to_contain_text("order 19")


@pytest.mark.parametrize("kind", ["bar", "line", "area", "pie"])
async def test_a_native_chart_is_drawn_and_told(house, open_page, kind):
    block = scripts.pie() if kind == "pie" else scripts.xy(kind)
    async with open_page("U0MIA/C0GENERAL", width=390) as page:
        ts = await house.post("C0GENERAL", "a chart", [block])
        chart = page.locator(f'[data-key="C0GENERAL/{ts}"] figure')
        marks = {"bar": "rect", "line": "path.line", "area": "path.area", "pie": "path.slice"}[kind]
        await expect(chart.locator(marks)).to_have_count({"bar": 12, "pie": 3}.get(kind, 2))
        said = await chart.locator("svg").get_attribute("aria-label")
        assert said and block["title"] in said and f"{kind} chart" in said
        await chart.get_by_text("Numbers").click()
        await expect(chart.locator("table")).to_contain_text("770" if kind == "pie" else "5,100.5")
        drawn, frame = await chart.locator("svg").bounding_box(), await chart.bounding_box()
        assert drawn["x"] + drawn["width"] <= frame["x"] + frame["width"]


async def test_a_picture_is_shown_enlarged_and_downloaded(house, open_page):
    await house.slack.say("general", "U0ANN", "the chart", files={"chart.png": png()})
    async with open_page("U0MIA/C0GENERAL") as page:
        file = page.locator(".file", has_text="chart.png").last
        await file.get_by_role("button", name="Enlarge").click()
        picture = page.locator("#dialog img")
        await expect(picture).to_be_visible()
        assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 8
        async with page.expect_download() as waiting:
            await page.locator("#dialog").get_by_role("link", name="Download").click()
        assert (await (await waiting.value).path()).read_bytes() == png()
        await page.keyboard.press("Escape")
        await expect(page.locator("#dialog")).to_be_hidden()


async def test_a_slash_command_completes_and_answers_privately(house, open_page):
    await house.slack.say("sales", "U0ANN", "good morning")
    async with open_page("U0MIA/C0SALES") as page:
        box = page.locator("#channel-composer textarea")
        await box.press_sequentially("/foot")
        options = page.locator("#channel-composer [role=option]")
        await expect(options.filter(has_text="/footnote sql")).to_be_visible()
        await box.press_sequentially("note sq")
        await box.press("Tab")
        await expect(box).to_have_value("/footnote sql ")
        await box.press_sequentially("select count(*) as n from orders")
        await box.press("Enter")
        private = page.locator("#channel-messages .private").last
        await expect(private).to_contain_text("only visible to you")
        await private.locator("summary").click()
        await expect(private.locator("table")).to_contain_text("1,240")
    async with open_page("U0ANN/C0SALES") as page:
        await expect(page.locator("#channel-messages .message").first).to_be_visible()
        await expect(page.locator("#channel-messages .private")).to_have_count(0)


async def test_a_mention_completes_by_keyboard(open_page):
    async with open_page("U0MIA/C0SALES") as page:
        box = page.locator("#channel-composer textarea")
        await box.press_sequentially("ask @le")
        await expect(page.locator("#channel-composer [role=option]")).to_have_count(1)
        await box.press("Enter")
        await expect(box).to_have_value("ask @leo ")


async def test_app_home_says_what_is_open_to_this_person(open_page):
    async with open_page("U0MIA/C0SALES") as page:
        await page.get_by_role("button", name="App Home").click()
        await expect(page.locator(".home")).to_contain_text("1,240 rows")
        await page.locator("#person").select_option("U0XEN")
        await page.get_by_role("button", name="App Home").click()
        await expect(page.locator(".home")).to_contain_text("Nothing is open to you in direct messages")


async def test_a_confirmation_is_asked_and_can_be_declined(house, open_page):
    async with open_page("U0ANN/C0GENERAL") as page:
        ts = await house.post("C0GENERAL", "approve?", [scripts.confirm_button()])
        button = page.locator(f'[data-key="C0GENERAL/{ts}"]').get_by_role("button", name="Approve")
        pressed = presses(house)
        await button.click()
        await page.locator("#dialog").get_by_role("button", name="Keep").click()
        await expect(page.locator("#dialog")).to_be_hidden()
        assert presses(house) == pressed
        await button.click()
        await page.locator("#dialog").get_by_role("button", name="Change").click()
        await house.slack.wait_for(lambda: presses(house) == pressed + 1, PATIENCE_MS / 1000)


def presses(house) -> int:
    return sum(attempt.kind == "interactive" for attempt in house.slack.deliveries)


async def test_the_wire_shows_calls_and_events_without_secrets(house, open_page):
    async with open_page("U0MIA/C0SALES") as page:
        await page.get_by_role("button", name="Wire").click()
        entry = page.locator(".entry.call", has_text="auth.test").first
        await expect(entry).to_be_visible()
        await entry.locator("summary").click()
        await expect(entry.locator("pre").last).to_contain_text("U0FOOTNOTE")
        await page.locator("#wire-kind").select_option("event")
        await expect(entry).to_be_hidden()
        shown = await (await page.request.get(f"{house.slack.url}/page/api/wire")).text()
        assert house.slack.bot_token not in shown and house.slack.app_token not in shown
        await page.keyboard.press("Escape")
        await expect(page.locator("#wire")).to_be_hidden()


async def test_a_fault_is_switched_and_the_answer_still_comes(open_page):
    async with open_page("U0LEO/C0SALES") as page:
        await page.get_by_text("Faults", exact=True).click()
        await page.get_by_role("button", name="Deliver events twice").click()
        await page.locator("#channel-composer textarea").fill("@footnote How many orders do we have?")
        await page.locator("#channel-composer textarea").press("Enter")
        replies = page.locator(".message", has_text="How many orders do we have?").last.locator(".replies")
        await replies.click()
        await expect(page.locator("#thread-messages")).to_contain_text("1,240")
        await page.get_by_role("button", name="All well again").click()
        answers = page.locator("#thread-messages .message", has_text="How I read the question")
        await expect(answers).to_have_count(1)


async def test_what_runs_can_be_stopped(house, open_page):
    def stops() -> int:
        events = [one.payload.get("event") or {} for one in house.slack.deliveries]
        return sum(event.get("type") == "agent_session_stopped" for event in events)

    root = await house.slack.say("sales", "U0ANN", "good morning")
    await house.client.assistant_threads_setStatus(channel_id="C0SALES", thread_ts=root, status="is counting rows…")
    async with open_page(f"U0LEO/C0SALES/{root}") as page:
        await expect(page.locator("#thread-status")).to_contain_text("is counting rows…")
        before = stops()
        await page.get_by_role("button", name="Stop").click()
        await house.slack.wait_for(lambda: stops() > before or None, PATIENCE_MS / 1000)
        await house.client.assistant_threads_setStatus(channel_id="C0SALES", thread_ts=root, status="")
        await expect(page.get_by_role("button", name="Stop")).to_be_hidden()


async def test_a_thread_opens_at_its_newest_question(house, open_page):
    root = await house.slack.say("sales", "U0ANN", "first question")
    for _ in range(6):
        await house.post("C0SALES", "long", [scripts.data_table()], thread_ts=root)
    newest = await house.slack.say("sales", "U0MIA", "second question", thread_ts=root)
    for _ in range(6):
        await house.post("C0SALES", "long", [scripts.data_table()], thread_ts=root)
    async with open_page(f"U0LEO/C0SALES/{root}") as page:
        question = page.locator(f'#thread-messages [data-key$="{newest}"]')
        await expect(question).to_be_in_viewport()
        await house.post("C0SALES", "more", [scripts.data_table()], thread_ts=root)
        await expect(page.locator("#thread-messages .message")).to_have_count(15)
        await expect(question).to_be_in_viewport()


async def test_light_and_dark_are_kept_and_system_follows(open_page):
    ground = "getComputedStyle(document.body).backgroundColor"
    async with open_page("U0MIA/C0SALES", theme="system") as page:
        light = await page.evaluate(ground)
        await page.locator(".theme label", has_text="Dark").click()
        dark = await page.evaluate(ground)
        assert light == "rgb(255, 255, 255)" and dark != light
        await page.locator(".theme label", has_text="System").click()
        assert await page.evaluate(ground) == light
        await page.emulate_media(color_scheme="dark")
        assert await page.evaluate(ground) == dark


async def test_at_phone_width_one_pane_is_shown_at_a_time(house, open_page):
    root = await house.slack.say("sales", "U0ANN", "good morning")
    await house.slack.say("sales", "U0MIA", "good morning, too", thread_ts=root)
    async with open_page("U0MIA/C0SALES", width=390, height=780) as page:
        await expect(page.locator("#sidebar")).to_be_hidden()
        await page.locator("#channel-messages .replies").first.click()
        await expect(page.locator("main")).to_be_hidden()
        await page.get_by_role("button", name="Back to the channel").click()
        await expect(page.locator("#thread")).to_be_hidden()
        await page.locator("main").get_by_role("button", name="Conversations").click()
        await page.get_by_role("button", name="# general").click()
        await expect(page.locator("#channel-name")).to_have_text("# general")


async def test_where_the_app_is_missing_it_is_invited_and_only_then_questions_are_offered(house, open_page):
    async with open_page("U0MIA/C0OTHER") as page:
        await expect(page.locator("#invite")).to_contain_text("is not in this channel")
        await expect(page.locator("#tour")).to_be_hidden()
        await page.get_by_role("button", name="Invite @footnote").click()
        await expect(page.locator("#invite")).to_be_hidden()
        await expect(page.locator("#tour button").first).to_be_visible()
    async with open_page("U0MIA/C0GENERAL") as page:
        await expect(page.locator("#invite")).to_be_hidden()
        await expect(page.locator("#tour")).to_be_hidden()


async def test_a_dialog_stays_with_the_page_that_opened_it(house, open_page):
    async with open_page("U0LEO/C0SALES") as first:
        await house.open_view("U0LEO", "C0SALES", scripts.modal())
        await first.locator("#dialog input").wait_for()
        async with open_page("U0LEO/C0SALES") as second:
            await second.locator("#channel-composer textarea").wait_for()
            await expect(second.locator("#dialog")).to_be_hidden()
        await first.get_by_role("button", name="Cancel").click()


async def test_a_wide_table_fades_where_it_goes_on_and_no_more_at_its_end(house, open_page):
    cells = [{"type": "raw_text", "text": f"a long text in column {n}"} for n in range(8)]
    await house.post("C0SALES", "wide", [{"type": "table", "rows": [cells, cells]}])
    async with open_page("U0MIA/C0SALES", width=390) as page:
        box = page.locator("#channel-messages .scroll").last
        await expect(box).to_have_class("block scroll goes-on")
        await box.evaluate("(node) => node.scrollTo({ left: node.scrollWidth })")
        await expect(box).to_have_class("block scroll")


async def test_the_answer_to_a_command_is_in_sight_in_a_full_channel_with_the_tour_under_it(house, open_page):
    for _ in range(4):
        await house.post("C0SALES", "long", [scripts.data_table()])
    async with open_page("U0LEO/C0SALES", height=640) as page:
        messages = page.locator("#channel-messages .message")
        await expect(page.locator("#tour")).to_be_visible()
        await expect(messages.last).to_be_in_viewport()
        await page.locator("#channel-messages").evaluate("(box) => box.scrollTo(0, 0)")
        await expect(messages.last).not_to_be_in_viewport()
        await page.locator("#channel-composer textarea").fill("/footnote help")
        await page.get_by_role("button", name="Send").click()
        await expect(page.locator("#channel-messages .private").last).to_contain_text("this text")
        await expect(page.locator("#channel-messages .private").last).to_be_in_viewport()


async def test_files_are_dropped_chosen_taken_out_again_and_refused_when_empty(house, open_page):
    async with open_page("U0LEO/C0SALES") as page:
        picker = page.locator("#channel-composer input[type=file]")
        chosen = page.locator("#channel-composer .chosen button")
        await picker.set_input_files(
            [
                {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""},
                {"name": "wrong.csv", "mimeType": "text/csv", "buffer": b"a\n1\n"},
            ]
        )
        await expect(page.locator("#notice")).to_have_text("empty.csv: an empty file can't be sent.")
        await expect(chosen).to_contain_text(["wrong.csv"])
        await page.get_by_role("button", name="Don't attach wrong.csv").click()
        await expect(chosen).to_have_count(0)
        await page.locator("main").evaluate(
            """(pane) => {
              const dragged = new DataTransfer();
              dragged.items.add(new File(["a;b\\n1;2\\n"], "dropped.csv"));
              const event = (kind) => new DragEvent(kind, { dataTransfer: dragged, bubbles: true, cancelable: true });
              pane.dispatchEvent(event("dragover"));
              pane.dispatchEvent(event("drop"));
            }"""
        )
        await expect(chosen).to_contain_text(["dropped.csv"])
        await page.locator("#channel-composer").get_by_role("button", name="Send").click()
        await expect(page.locator("#channel-messages .file").last).to_contain_text("dropped.csv")
        await expect(chosen).to_have_count(0)


async def test_a_preview_reads_what_excel_writes_in_the_west_and_puts_figures_to_the_right(house, open_page):
    text = 'Tag;Zweck;Betrag\n02.01.2026;"Büro; Miete";-2.450,00\n05.01.2026;Müller GmbH, Rest;11.900,00\n'
    await house.slack.say("sales", "U0ANN", "the account", files={"konto.csv": text.encode("cp1252")})
    async with open_page("U0LEO/C0SALES") as page:
        file = page.locator(".file", has_text="konto.csv").last
        await file.get_by_text("Preview").click()
        await expect(file.locator("tbody tr").first.locator("td")).to_have_text(
            ["02.01.2026", "Büro; Miete", "-2.450,00"]
        )
        await expect(file.locator("tbody td.right")).to_have_text(["-2.450,00", "11.900,00"])


async def test_the_tour_folds_once_somebody_asks_their_own(house, open_page):
    async with open_page("U0ANN/C0FIN") as page:
        question = page.locator("#tour").get_by_role("button", name=TOUR[0])
        await expect(question).to_be_visible()
        await house.slack.say("finance", "U0MIA", "somebody else's word")
        await expect(page.locator("#channel-messages .message")).not_to_have_count(0)
        await expect(question).to_be_visible()
        await house.slack.say("finance", "U0ANN", "my own word")
        await expect(question).to_be_hidden()
        await page.locator("#tour summary").click()
        await expect(question).to_be_visible()

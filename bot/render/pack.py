"""Evidence packed into as few messages as hold it: order kept, every item reachable (DESIGN 1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from bot.render import blocks, evidence, limits, words
from bot.render.blocks import Block, SlackMessage
from bot.render.grouping import ENGLISH, Numerals
from bot.render.measure import chars
from bot.render.text import line_text
from runtime.evidence import Evidence

_RUN_ID_CHARS = 120


class _Page:
    """The blocks of one message in the making."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.items: list[Evidence] = []

    def folds(self) -> int:
        return sum(block["type"] == "container" for block in self.blocks)

    def accepts(self, block: Block) -> bool:
        full = self.folds() >= limits.FOLDS_PER_MESSAGE and block["type"] == "container"
        return not full and blocks.overfull([*self.blocks, block]) is None

    def with_line(self, text: str) -> list[Block] | None:
        """The blocks with one more line of small print, joined to the lines at their end; None when it doesn't fit."""
        head, joined = self.blocks, text
        if head and head[-1]["type"] == "context":
            before = head[-1]["elements"][0]["text"]
            if chars(before) + chars(text) + 1 <= limits.CONTEXT_CHARS:
                head, joined = head[:-1], f"{before}\n{text}"
        trial = [*head, blocks.context(joined)]
        return None if blocks.overfull(trial) else trial

    def message(self) -> SlackMessage:
        first, last = line_text(self.items[0].id, 20), line_text(self.items[-1].id, 20)
        span = first if len(self.items) == 1 else f"{first} to {last}"
        return SlackMessage(f"Evidence {span} ({words.counted(len(self.items), 'item')})", tuple(self.blocks))


def evidence_messages(
    items: Sequence[Evidence],
    cited: Collection[str],
    run_id: str,
    files: Mapping[str, str] | None = None,
    numerals: Numerals = ENGLISH,
) -> tuple[SlackMessage, ...]:
    """Messages with one fold per cited or charted item and one line for every other one.

    `files`: names of attached results by evidence id. `numerals`: how the reader writes numbers.
    """
    pages: list[_Page] = []
    page = _Page()
    for item in items:
        named = (files or {}).get(item.id)
        whole = item.id in cited or item.chart is not None
        if not _add(page, item, run_id, whole, named, numerals):
            pages.append(page)
            page = _Page()
            _add(page, item, run_id, whole, named, numerals)
        page.items.append(item)
    return tuple(each.message() for each in [*pages, page] if each.blocks)


def _add(page: _Page, item: Evidence, run_id: str, whole: bool, file: str | None, numerals: Numerals) -> bool:
    """Puts the item on the page, as a fold when `whole`, else as a line; False when the page is full."""
    if not whole:
        trial = page.with_line(evidence.line(item))
        if trial is None:
            return False
        page.blocks = trial
        return True
    native = blocks.tables(page.blocks) == 0
    block_id = f"ev:{run_id[:_RUN_ID_CHARS]}:{item.id[:_RUN_ID_CHARS]}"
    block = evidence.fold(item, block_id, table_native=native, file=file, numerals=numerals)
    if not page.accepts(block):
        return False
    page.blocks = [*page.blocks, block]
    return True

"""Evidence packed into as few messages as hold it: order kept, every item reachable (DESIGN 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from bot.render import blocks, evidence, limits, words
from bot.render.blocks import Block, SlackMessage
from bot.render.grouping import ENGLISH, Numerals
from bot.render.measure import chars, json_bytes
from bot.render.text import line_text
from runtime.evidence import Evidence

_RUN_ID_CHARS = 120
_FEW = 3  # so many lines in a row stand open; more are one fold


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

    def add_fold(self, block: Block) -> bool:
        """Puts the fold on the page; False when the page is full."""
        if not self.accepts(block):
            return False
        self.blocks = [*self.blocks, block]
        return True

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
    """Messages with one fold per cited or charted item and one line for every other one. Many lines in a row that say
    nothing went wrong stand together in one fold, so that they don't bury what backs the answer.

    `files`: names of attached results by evidence id. `numerals`: how the reader writes numbers.
    """
    pages: list[_Page] = []
    page = _Page()
    for part in _parts(items, cited):
        item = part[0]
        named = (files or {}).get(item.id)
        whole = item.id in cited or item.chart is not None
        together = _together(part) if len(part) > 1 else None
        for _ in range(2):
            done = page.add_fold(together) if together else _add(page, item, run_id, whole, named, numerals)
            if done:
                break
            pages.append(page)
            page = _Page()
        page.items += part
    return tuple(each.message() for each in [*pages, page] if each.blocks)


def _parts(items: Sequence[Evidence], cited: Collection[str]) -> Iterator[list[Evidence]]:
    """Items one by one, and in one part those in a row that share a fold."""
    for quiet, run in groupby(items, lambda item: not (item.id in cited or item.chart is not None or item.failed)):
        left = list(run)
        while quiet and len(left) > _FEW:
            size = next(size for size in range(len(left), 0, -1) if size == 1 or _fits(left[:size]))
            yield left[:size]
            left = left[size:]
        yield from ([item] for item in left)


def _fits(part: Sequence[Evidence]) -> bool:
    texts = _contexts(part)
    small = len(texts) <= limits.CONTAINER_CHILDREN and sum(map(chars, texts)) <= limits.FOLD_CHARS
    return small and json_bytes([_together(part)]) <= limits.FOLD_BYTES


def _together(part: Sequence[Evidence]) -> Block:
    """One fold with a line for each item."""
    first, last = (line_text(item.id, 20) for item in (part[0], part[-1]))
    took = words.seconds(sum(item.elapsed_ms for item in part))
    title = words.DOT.join(
        (f"{first} to {last}", f"{words.counted(len(part), 'call')} that the answer doesn't cite", took)
    )
    return blocks.container(title, [blocks.context(text) for text in _contexts(part)])


def _contexts(part: Sequence[Evidence]) -> list[str]:
    """The items' lines, as many in one text as it takes."""
    texts = [evidence.line(part[0])]
    for text in map(evidence.line, part[1:]):
        if chars(texts[-1]) + chars(text) + 1 <= limits.CONTEXT_CHARS:
            texts[-1] += f"\n{text}"
        else:
            texts.append(text)
    return texts


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
    return page.add_fold(block)

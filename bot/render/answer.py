"""The whole of an answer: the message with the words, then its evidence, in the order in which they are posted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.render import blocks, limits, text_table, words
from bot.render.blocks import Block, SlackMessage
from bot.render.charts import native_charts
from bot.render.document import Part, Table
from bot.render.files import FilePart
from bot.render.grouping import ENGLISH, Numerals
from bot.render.measure import chars, cut, json_bytes
from bot.render.pack import evidence_messages
from bot.render.pieces import pieces
from bot.render.text import answer_parts, cell_raw, line_text, summary_of
from runtime.evidence import Evidence

FEEDBACK_ACTION = "feedback"
NO_ANSWER = "No answer was written."
_VERIFICATION_CHARS = 1_000
_SOURCES_SHOWN = 4
_NATIVE_ROWS = 40


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What there is to show for one run.

    `answer_markdown` is the model's, `verification_line` the bot's own words about what was checked. `cited`: ids of
    evidence that the answer's marks name. `link_hosts`: hosts whose addresses may be live. `numerals`: how the reader
    writes numbers, for the figures of evidence; those of the answer's words stay as they were checked.
    """

    answer_markdown: str
    verification_line: str
    evidence: tuple[Evidence, ...]
    cited: frozenset[str]
    run_id: str
    files: tuple[FilePart, ...] = ()
    link_hosts: frozenset[str] = field(default=frozenset())
    numerals: Numerals = ENGLISH


def answer_messages(view: AnswerView) -> tuple[SlackMessage, ...]:
    """The answer with its charts in one message (more when it is very long), then the evidence. Files follow apart."""
    tail = _tail(view)
    pages: list[list[Block]] = [[]]
    for block in (*_body(view), *native_charts(view.evidence)):
        if blocks.overfull([*pages[-1], block, *tail]):
            pages.append([])
        pages[-1].append(block)
    pages[-1] += tail
    text = summary_of(view.answer_markdown)
    attached = {file.evidence_id: file.name for file in view.files if file.evidence_id}
    answers = tuple(
        SlackMessage(text if number == 1 else f"{text} ({number}/{len(pages)})", tuple(page))
        for number, page in enumerate(pages, 1)
    )
    return (*answers, *evidence_messages(view.evidence, view.cited, view.run_id, attached, view.numerals))


def _body(view: AnswerView) -> Iterator[Block]:
    """Sections shown whole; the first table that fits is native, others are monospace."""
    pending: list[Part] = []
    native_used = False
    written = False
    for part in answer_parts(view.answer_markdown, view.link_hosts):
        block = None if native_used or not isinstance(part, Table) else _native(part)
        if block is None:
            pending.append(part)
            continue
        yield from _sections(pending)
        yield block
        pending, native_used, written = [], True, True
    yield from _sections(pending)
    if not written and not pending:
        yield blocks.section(NO_ANSWER)


def _sections(parts: Sequence[Part]) -> Iterator[Block]:
    for text in pieces(parts, limits.PIECE_CHARS):
        yield blocks.section(text, expand=True)


def _native(table: Table) -> Block | None:
    """A native table that holds every character of `table`, or None when it would have to leave something out."""
    small = len(table.header) <= limits.TABLE_COLUMNS and len(table.rows) <= _NATIVE_ROWS
    if not small or any(chars(cell) > limits.CELL_CHARS for row in (table.header, *table.rows) for cell in row):
        return None
    header = [cell_raw(cell) if cell else "#" for cell in table.header]
    rows = [[cell_raw(cell) if cell else "—" for cell in row] for row in table.rows]
    if sum(chars(cell) for row in rows for cell in row) > limits.FOLD_TABLE_CHARS:
        return None
    block = blocks.table([header, *rows], text_table.rightward(header, rows))
    return block if json_bytes(block) <= limits.FOLD_TABLE_BYTES else None


def _tail(view: AnswerView) -> list[Block]:
    """What ends an answer: what was checked, what it rests on, and the two thumbs."""
    lines = []
    if view.verification_line.strip():
        said = view.verification_line
        lines.append(cut(said, _VERIFICATION_CHARS, limits.TAIL_BYTES, lambda text: line_text(text, len(text))))
    if view.evidence:
        # What the figures rest on comes first: other calls only looked around.
        resting = [item for item in view.evidence if item.id in view.cited] or view.evidence
        names = tuple(dict.fromkeys(name for item in resting for name in words.source_names(item)))
        count = words.counted(len(view.evidence), "evidence item")
        lines.append(f"{count} below" + (f" · {line_text(words.listed(names, _SOURCES_SHOWN))}" if names else ""))
    run_id = view.run_id[: limits.BUTTON_VALUE_CHARS]
    thumbs = blocks.feedback(FEEDBACK_ACTION, ("Good answer", f"up:{run_id}"), ("Bad answer", f"down:{run_id}"))
    return [*([blocks.context(*lines)] if lines else []), thumbs]

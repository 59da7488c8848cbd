"""One evidence item as a fold, or as one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import chain

from bot.render import blocks, inline_table, limits, words
from bot.render.blocks import Block
from bot.render.clean import blank, one_line
from bot.render.grouping import ENGLISH, Numerals
from bot.render.inline_table import ShownTable
from bot.render.measure import chars, cut, json_bytes
from bot.render.pieces import fenced
from bot.render.text import code_text, line_text, name_text
from runtime.evidence import Evidence, InnerQuery, ProgramUsage

_QUERIES_TOLD = 3
_QUERY_CHARS = 120
_GIGA = 1_000_000_000
_OVERHEAD = 400  # bytes of the container itself
_TRUNCATION = {
    "rows_kept": "only the first {shown:,} rows were kept",
    "rows_shown": "the model saw the first {shown:,} rows",
    "text_limit": "the model saw the first {shown:,} rows",
}


def fold(
    item: Evidence, block_id: str, *, table_native: bool, file: str | None = None, numerals: Numerals = ENGLISH
) -> Block:
    """A closed fold with all that fits of the item: query, error, table or output, sources and notes.

    `table_native`: whether this message may still hold a native table. `file`: the name of the attached result.
    `numerals`: how the reader writes numbers.
    """
    children = [*_failure(item), *_query(item), *_output(item)]
    shown = _table(item, children, table_native, numerals)
    if shown:
        children.append(shown.block)
    notes = _facts(item, shown, file)
    children.append(blocks.context(notes))
    return blocks.container(words.heading(item), children, subtitle=_subtitle(item), block_id=block_id)


def line(item: Evidence) -> str:
    """The item in one line of mrkdwn, for what the answer doesn't cite."""
    parts = [f"*{line_text(item.id)}*", line_text(item.tool, 60)]
    if item.failed:
        parts.append(f"failed: {_error_words(item.error)}")
    else:
        parts += [words.rows_found(item), line_text(words.listed(words.source_names(item)), 140)]
        parts.append(line_text(_subtitle(item), 140) if not item.tabular else "")
    parts += [f"same call as {line_text(item.repeat_of, 20)}" if item.repeat_of else "", words.seconds(item.elapsed_ms)]
    return words.DOT.join(part for part in parts if part and part != "—")


def _subtitle(item: Evidence) -> str:
    said = ("", item.tool, words.rows_found(item))  # the title says these already
    for text in map(one_line, (item.title, item.summary)):
        if not blank(text) and text not in said:
            return cut(name_text(text), limits.CONTAINER_SUBTITLE_CHARS, limits.FOLD_TITLE_BYTES)
    return ""


def _failure(item: Evidence) -> list[Block]:
    if not item.failed:
        return []
    hint = one_line(str((item.error or {}).get("hint") or ""))
    text = f"This call failed, so it backs no figure: {_error_words(item.error)}"
    return [blocks.section(text + (f"\n{line_text(hint, limits.LINE_CHARS)}" if not blank(hint) else ""))]


def _error_words(error: Mapping[str, object] | None) -> str:
    code, message = (one_line(str((error or {}).get(key) or "")) for key in ("code", "message"))
    words_said = " — ".join(part for part in (code, message) if not blank(part))
    return line_text(words_said or "no reason was given", limits.LINE_CHARS)


def _query(item: Evidence) -> list[Block]:
    text = (item.sql or item.code or "").strip()
    if blank(text):
        return []
    return [blocks.section(fenced(_code_cut(text, limits.FOLD_SQL_CHARS, limits.FOLD_SQL_BYTES)))]


def _output(item: Evidence) -> list[Block]:
    text = item.output or ("" if item.tabular or item.failed else item.summary)
    if blank(text):
        return []
    return [blocks.section(fenced(_code_cut(text.strip("\n"), limits.FOLD_OUTPUT_CHARS, limits.FOLD_OUTPUT_BYTES)))]


def _code_cut(text: str, max_chars: int, max_bytes: int) -> str:
    return cut(text[: 2 * max_chars], max_chars, max_bytes, code_text)


def _table(item: Evidence, children: list[Block], table_native: bool, numerals: Numerals) -> ShownTable | None:
    if not item.tabular:
        return None
    spent = json_bytes(children) + limits.FOLD_NOTES_BYTES + 2 * limits.FOLD_TITLE_BYTES + _OVERHEAD
    max_bytes = min(limits.FOLD_TABLE_BYTES, limits.FOLD_BYTES - spent)
    if table_native:
        return inline_table.native(item, limits.FOLD_TABLE_CHARS, max_bytes, numerals)
    return inline_table.monospace(item, limits.PIECE_CHARS, max_bytes, numerals)


def _facts(item: Evidence, shown: ShownTable | None, file: str | None) -> str:
    """The small print: sources, what is shown, what is cut, notes, time; as much of it as its budget takes."""
    names = words.source_names(item)
    facts = [
        f"Read from {line_text(words.listed(names, 5), limits.LINE_CHARS)}" if names else "",
        _shown_words(item, shown),
        _cut_words(item),
        _usage_words(item),
        *_inner_queries(item),
        f"All rows that were kept: {line_text(file, 120)}" if file else "",
        f"The same call as {line_text(item.repeat_of, 20)}, answered from it" if item.repeat_of else "",
        "From a remote server: it can't be run again by Footnote" if item.remote else "",
    ]
    facts = [fact for fact in facts if fact]
    notes = [note for note in item.notes if not blank(note)]
    rendered = (line_text(note, limits.LINE_CHARS) for note in notes)
    return _within(chain(facts, rendered), len(facts) + len(notes), f"Took {words.seconds(item.elapsed_ms)}")


def _usage_words(item: Evidence) -> str:
    """What a program used, beside what it might have."""
    used = item.usage
    if used is None:
        return ""
    parts = (
        f"Fuel {used.fuel / _GIGA:,.2f} of {used.fuel_bound / _GIGA:,g} G",
        f"Python {words.seconds(used.ms)} of {used.seconds_bound:,g} s",
        f"memory {_memory(used)} {used.memory_bytes_bound // 2**20:,} MiB",
        f"output {used.output_chars:,} of {words.counted(used.output_chars_bound, 'character')}",
        f"{used.sql_calls:,} of {used.sql_calls_bound:,} queries",
    )
    return words.DOT.join(parts)


def _memory(used: ProgramUsage) -> str:
    """`31 of`, or `within` when only the bound is known."""
    return "within" if used.memory_bytes is None else f"{math.ceil(used.memory_bytes / 2**20):,} of"


def _inner_queries(item: Evidence) -> list[str]:
    """A program's own queries, the first few, each with its outcome."""
    told = [_inner_query(query) for query in item.queries[:_QUERIES_TOLD]]
    more = len(item.queries) - len(told)
    return [*told, f"and {more:,} more of its queries"] if more > 0 else told


def _inner_query(query: InnerQuery) -> str:
    outcome = f"failed ({query.error})" if query.error else words.counted(query.row_count, "row")
    return f"sql() {outcome}: {line_text(one_line(query.sql), _QUERY_CHARS)}"


def _within(facts: Iterable[str], total: int, last: str) -> str:
    """As many of the `total` facts as the budget takes; those beyond it aren't even rendered."""
    kept: list[str] = []
    for position, fact in enumerate(facts):
        rest = f"and {words.counted(total - position, 'more note')}"
        trial = "\n".join([*kept, fact, rest, last])
        if chars(trial) > limits.FOLD_NOTES_CHARS or json_bytes(trial) > limits.FOLD_NOTES_BYTES:
            return "\n".join([*kept, rest, last])
        kept.append(fact)
    return "\n".join([*kept, last])


def _shown_words(item: Evidence, shown: ShownTable | None) -> str:
    if shown is None:
        return ""
    if not item.rows:
        return "No rows"
    parts = []
    if shown.rows < len(item.rows) or (item.row_count or 0) > len(item.rows):
        parts.append(f"The first {shown.rows} of {words.rows_found(item)}")
    if shown.columns < len(item.columns):
        parts.append(f"the first {shown.columns} of {words.counted(len(item.columns), 'column')}")
    text = ", ".join(parts)
    return text[:1].upper() + text[1:] + " shown" if text else ""


def _cut_words(item: Evidence) -> str:
    parts = []
    query = (item.sql or item.code or "").strip()
    if chars(query) > limits.FOLD_SQL_CHARS:
        noun = "query" if item.sql else "program"
        parts.append(f"The {noun} has {len(query):,} characters; only its beginning is shown")
    if item.truncated is not None:
        said = _TRUNCATION.get(item.truncated.reason, "the result was cut ({reason}) at {shown:,}")
        said = said.format(shown=item.truncated.shown, reason=line_text(item.truncated.reason, 40))
        parts.append(said[:1].upper() + said[1:])
    return "\n".join(parts)

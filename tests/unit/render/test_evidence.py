"""Folds, lines and packing, by example."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bot.render import blocks, limits
from bot.render.answer import AnswerView, answer_messages
from bot.render.blocks import LimitError, SlackMessage
from bot.render.evidence import fold, line
from bot.render.grouping import numerals_of
from bot.render.pack import evidence_messages
from runtime.evidence import Column, Evidence, InnerQuery, ProgramUsage, SourceRef, Truncation

ITEM = Evidence(
    "E2",
    "c2",
    "run_sql",
    "Orders by region",
    "ok",
    sql="select region, count(*) as n from orders group by 1",
    columns=(Column("region", "VARCHAR"), Column("n", "BIGINT")),
    rows=tuple((f"region {n}", n) for n in range(12)),
    row_count=12,
    sources=(SourceRef("workspace", "orders", "r", "orders.csv"),),
    notes=("3 blank dates read as NULL",),
    elapsed_ms=41,
)


def small_print(block):
    return block["child_blocks"][-1]["elements"][0]["text"]


def test_a_fold_says_what_it_is():
    block = fold(ITEM, "ev:1", table_native=True, file="E2-orders.csv")
    assert block["title"]["text"] == "E2 · run_sql · 12 rows · orders.csv · 0.04 s"
    assert block["subtitle"]["text"] == "Orders by region"
    assert [child["type"] for child in block["child_blocks"]] == ["section", "table", "context"]
    assert small_print(block) == (
        "Read from orders.csv\nAll rows that were kept: E2-orders.csv\n3 blank dates read as NULL\nTook 0.04 s"
    )


def test_later_tables_of_a_message_are_monospace():
    items = [replace(ITEM, id=f"E{n}") for n in (1, 2)]
    (message,) = evidence_messages(items, {"E1", "E2"}, "run")
    first, second = message.blocks
    assert [child["type"] for child in first["child_blocks"]] == ["section", "table", "context"]
    assert [child["type"] for child in second["child_blocks"]] == ["section", "section", "context"]
    assert "region 11  11" in second["child_blocks"][1]["text"]["text"]


def test_what_is_cut_is_said():
    rows = tuple((f"r{n}", n) for n in range(1_000))
    item = replace(ITEM, rows=rows, row_count=1_000, truncated=Truncation("rows_kept", 1_000), sql="select 1 " * 200)
    block = fold(item, "ev:1", table_native=True)
    assert "1,000+ rows" in block["title"]["text"]
    text = small_print(block)
    assert "The first 20 of 1,000+ rows shown" in text and "Only the first 1,000 rows were kept" in text
    assert "The query has 1,799 characters; only its beginning is shown" in text
    assert "…" in block["child_blocks"][0]["text"]["text"]


def test_wide_results_show_their_first_columns():
    wide = replace(
        ITEM, columns=tuple(Column(f"c{n}", "BIGINT") for n in range(5_000)), rows=(tuple(range(5_000)),), row_count=1
    )
    text = small_print(fold(wide, "ev:1", table_native=True))
    assert "The first 20 of 5,000 columns shown" in text


PROGRAM = replace(
    ITEM,
    tool="run_python",
    title="1 line",
    sql=None,
    code="print(median(rows, 'n'))",
    columns=(),
    rows=(),
    row_count=None,
    notes=(),
    output="17.5\n",
    queries=tuple(InnerQuery("workspace", f"select n from orders -- {n}", row_count=n) for n in range(1, 5)),
    usage=ProgramUsage(1_420_000_000, 20_000_000_000, 140.0, 10.0, 5, 16_000, 128 * 2**20, 4, 25, 10, 21_102_592),
)


def test_a_program_shows_its_code_output_queries_and_what_it_used():
    code, output, small = fold(PROGRAM, "ev:1", table_native=True)["child_blocks"]
    assert code["text"]["text"] == "```\nprint(median(rows, 'n'))\n```"
    assert output["text"]["text"] == "```\n17.5\n```"
    assert small["elements"][0]["text"].splitlines() == [
        "Read from orders.csv",
        "Fuel 1.42 of 20 G · Python 0.14 s of 10 s · memory 21 of 128 MiB · output 5 of 16,000 characters · "
        "4 of 25 queries",
        "sql() 1 row: select n from orders -- 1",
        "sql() 2 rows: select n from orders -- 2",
        "sql() 3 rows: select n from orders -- 3",
        "and 1 more of its queries",
        "Took 0.04 s",
    ]


def test_a_failed_program_shows_its_code_and_what_it_used():
    error = {"code": "python_limit", "message": "The program was ended: it used up its 20 G of fuel.", "hint": "Less."}
    broken = (InnerQuery("workspace", "select *", error="sql_unknown_table"),)
    item = replace(PROGRAM, status="error", error=error, output=None, queries=broken)
    block = fold(item, "ev:1", table_native=True)
    text = json.dumps(block, ensure_ascii=False)
    assert "backs no figure: python_limit" in text and "print(median" in text
    assert "Fuel 1.42 of 20 G" in text and "sql() failed (sql_unknown_table): select " in text
    unknown = replace(item, usage=replace(PROGRAM.usage, memory_bytes=None))  # ended from outside: the bound is known
    assert "memory within 128 MiB" in json.dumps(fold(unknown, "ev:1", table_native=True))
    json_of_program_fits(replace(PROGRAM, code="漢" * 32_000, output="漢" * 16_000))


def json_of_program_fits(item):
    assert len(json.dumps(fold(item, "ev:1", table_native=True))) <= limits.FOLD_BYTES


def test_no_rows_is_said():
    assert "No rows" in small_print(fold(replace(ITEM, rows=(), row_count=0), "ev:1", table_native=True))


def test_failures_are_quiet_and_honest():
    error = {"code": "sql_unknown_column", "message": "no column foo", "hint": "near: fee"}
    item = replace(ITEM, status="error", error=error, columns=(), rows=())
    assert line(item) == "*E2* · run_sql · failed: sql_unknown_column — no column foo · 0.04 s"
    block = fold(item, "ev:1", table_native=True)
    assert block["title"]["text"] == "E2 · run_sql · failed · orders.csv · 0.04 s"
    said = block["child_blocks"][0]["text"]["text"]
    assert said == "This call failed, so it backs no figure: sql_unknown_column — no column foo\nnear: fee"


def test_repeats_and_remote_results_are_said():
    text = small_print(fold(replace(ITEM, repeat_of="E1", remote=True), "ev:1", table_native=True))
    assert "The same call as E1" in text and "can't be run again" in text


def test_cited_fold_uncited_line_in_order():
    items = [replace(ITEM, id=f"E{n}") for n in range(1, 6)]
    (message,) = evidence_messages(items, {"E3"}, "run")
    assert [block["type"] for block in message.blocks] == ["context", "container", "context"]
    assert message.text == "Evidence E1 to E5 (5 items)"
    assert message.blocks[0]["elements"][0]["text"].count("\n") == 1


def test_many_calls_that_nothing_cites_are_one_fold_and_failures_stay_outside():
    failed = replace(ITEM, id="E5", status="error", error={"code": "sql_syntax", "message": "no"})
    items = [*(replace(ITEM, id=f"E{n}") for n in range(1, 5)), failed, replace(ITEM, id="E6")]
    (message,) = evidence_messages(items, {"E6"}, "run")
    looked, small, answering = message.blocks
    assert looked["title"]["text"] == "E1 to E4 · 4 calls that the answer doesn't cite · 0.16 s"
    assert [line.split("*")[1] for line in looked["child_blocks"][0]["elements"][0]["text"].split("\n")] == [
        *("E1", "E2", "E3", "E4")
    ]
    assert "*E5*" in small["elements"][0]["text"] and answering["title"]["text"].startswith("E6 · run_sql")


def test_the_answer_names_the_sources_that_its_figures_rest_on():
    other = replace(ITEM, id="E1", sources=(SourceRef("workspace", "refunds", "r", "refunds.csv"),))
    message, *_ = answer_messages(view("**12** [E2]", evidence=(other, ITEM)))
    assert message.blocks[-2]["elements"][1]["text"] == "2 evidence items below · orders.csv"
    message, *_ = answer_messages(view("Nothing found.", evidence=(other, ITEM), cited=frozenset()))
    assert message.blocks[-2]["elements"][1]["text"] == "2 evidence items below · refunds.csv, orders.csv"


def test_charted_items_are_folds_too():
    (message,) = evidence_messages([replace(ITEM, chart={"kind": "bar"})], (), "run")
    assert message.blocks[0]["type"] == "container"


def test_sixty_four_usual_items_take_few_messages():
    items = [replace(ITEM, id=f"E{n}") for n in range(1, 65)]
    assert len(evidence_messages(items, {f"E{n}" for n in range(1, 65)}, "run")) <= 11
    assert len(evidence_messages(items, {"E1"}, "run")) == 1


def view(markdown, **changes):
    return replace(AnswerView(markdown, "0 of 0 figures", (ITEM,), frozenset({"E2"}), "run"), **changes)


def test_the_answer_comes_first_with_its_table_native():
    first, second = answer_messages(view("Total **12** [E2].\n\n| r | n |\n|---|---|\n| a | 1 |\n|  | 2 |\n\nDone."))
    assert [block["type"] for block in first.blocks] == ["section", "table", "section", "context", "context_actions"]
    assert first.blocks[0]["expand"] is True
    assert [row[0]["text"] for row in first.blocks[1]["rows"]] == ["r", "a", "—"]
    assert [element["text"] for element in first.blocks[3]["elements"]] == [
        "0 of 0 figures",
        "1 evidence item below · orders.csv",
    ]
    assert second.blocks[0]["type"] == "container"


def test_a_very_long_answer_takes_numbered_messages():
    messages = answer_messages(view("\n\n".join(["word " * 100] * 60)))
    answers = [message for message in messages if message.blocks[0]["type"] == "section"]
    assert len(answers) > 3 and answers[1].text.endswith(f"(2/{len(answers)})")
    assert [m.blocks[-1]["type"] == "context_actions" for m in answers] == [False] * (len(answers) - 1) + [True]


def test_an_empty_answer_says_so():
    assert answer_messages(view(" "))[0].blocks[0]["text"]["text"] == "No answer was written."


@pytest.mark.parametrize(
    "build",
    [
        lambda: blocks.section("x" * 3_001),
        lambda: blocks.section(" "),
        lambda: blocks.context(*["x"] * 11),
        lambda: blocks.table([["x"] * 21], [False] * 21),
        lambda: blocks.table([["x"], ["y", "z"]], [False]),
        lambda: blocks.table([["x"]] * 101, [False]),
        lambda: blocks.table([["x" * 200] * 20] * 3, [False] * 20),
        lambda: blocks.container("t", []),
        lambda: blocks.container("t", [blocks.divider()] * 11),
        lambda: blocks.container("t", [blocks.feedback("a", ("x", "y"), ("z", "w"))]),
        lambda: blocks.container("t" * 151, [blocks.divider()]),
        lambda: blocks.actions([blocks.button("a", "same", "1"), blocks.button("b", "same", "2")]),
        lambda: blocks.button("a" * 76, "x", "1"),
        lambda: SlackMessage("x", (blocks.divider(),) * 51),
        lambda: SlackMessage("x", (blocks.table([["x"]], [False]),) * 2),
        lambda: SlackMessage("x", (blocks.section("x" * 3_000),) * 4),
        lambda: SlackMessage("x", (blocks.section("é" * 2_400),) * 1 + (blocks.section("x"),) * 20),
        lambda: SlackMessage("x" * 4_001),
        lambda: SlackMessage(""),
        lambda: SlackMessage("x", (blocks.section("a", block_id="i"), blocks.section("b", block_id="i"))),
    ],
)
def test_a_block_over_a_limit_cannot_be_built(build):
    with pytest.raises(LimitError):
        build()


def test_limits_are_under_slacks():
    assert limits.FOLD_BYTES < limits.MESSAGE_BLOCKS_BYTES and limits.PIECE_CHARS < limits.SECTION_CHARS


def test_the_reader_sees_figures_in_their_own_numerals_and_lined_up():
    columns = (Column("shop", "VARCHAR"), Column("revenue", "DOUBLE"), Column("orders", "BIGINT"))
    item = replace(ITEM, columns=columns, rows=(("North", 1234.5, 12345), ("South", 7, 3)), row_count=2)
    for native in (True, False):
        german = json.dumps(fold(item, "ev:1", table_native=native, numerals=numerals_of("de-DE")), ensure_ascii=False)
        assert "1.234,5" in german and "7,0" in german and "12.345" in german
        assert "1,234.5" in json.dumps(fold(item, "ev:1", table_native=native))

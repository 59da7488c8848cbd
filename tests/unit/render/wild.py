"""Hypothesis strategies: hostile text, hostile Markdown, and evidence of every shape."""

from __future__ import annotations

from hypothesis import strategies as st

from runtime.charts import Chart, Series
from runtime.evidence import Column, Evidence, SourceRef, Truncation

NASTY = [
    "<!channel>",
    "<!here|x>",
    "<@U02ABCDEF>",
    "<#C0123|general>",
    "<!subteam^S1|@a>",
    "<!date^1^{date}|x>",
    "<https://evil.example|ok>",
    "https://evil.example/?q=1",
    "HTTP://EVIL.example",
    "ht**tps**://evil.example",
    "https\\://evil.example",
    "https&#58;//evil.example",
    "[a](https://evil.example)",
    "![i](https://evil.example/i.png)",
    "[d](https://docs.example.com/a|b)",
    "https://docs.example.com/ok",
    "https://docs.example.com@evil.example/",
    "javascript:alert(1)",
    "mailto:a@b.example",
    "www.evil.example",
    "&lt;!channel&gt;",
    "&#60;!here&#62;",
    "\\<!everyone\\>",
    "```",
    "```sql\nselect 1\n",
    "`````",
    "`",
    "~~~\n",
    "**",
    "*",
    "__",
    "_",
    "~~",
    "> ",
    "- ",
    "1. ",
    "# ",
    "\n\n",
    "\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "<b>",
    "<!-- ",
    "-->",
    "<img src='https://evil.example/x' alt='a'>",
    ":white_check_mark:",
    ":a:b:c:",
    "\u200b",
    "\u202e",
    "\u2066",
    "\x00",
    "\r\n",
    "\t",
    "\ud800",
    "＜!channel＞",
    "日本語",
    "👩‍👩‍👧",
    "العربية",
    "e\u0301\u0301\u0301",
    "&&&&",
    "[E1]",
    "売上は**「120」**件",
]

words = st.one_of(st.sampled_from(NASTY), st.text(max_size=12), st.text("<>&`*_~|!@#[]():/ \nab", max_size=12))
texts = st.lists(words, max_size=30).map("".join)
long_texts = st.tuples(texts, st.integers(1, 400)).map(lambda pair: (pair[0] * pair[1])[:20_000])

cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    texts,
    st.sampled_from(["", " ", "\u200b", "x" * 5_000, "👩‍👩‍👧" * 700, "&" * 2_000, "\u0301" * 2_000, "`" * 300]),
    st.lists(st.integers(), max_size=3),
)


@st.composite
def charts(draw):
    """A chart of any text and any finite values, as evidence keeps it."""
    labels = draw(st.lists(texts, min_size=1, max_size=25, unique=True))
    values = st.one_of(st.none(), st.floats(-1e100, 1e100))
    names = draw(st.lists(texts, min_size=1, max_size=5, unique=True))
    series = tuple(
        Series(name, tuple(draw(st.lists(values, min_size=len(labels), max_size=len(labels))))) for name in names
    )
    kind = draw(st.sampled_from(["bar", "line", "area", "stacked_bar"]))
    return Chart(kind, draw(texts) or "t", draw(texts)[:20], draw(texts), tuple(labels), series).as_json()


@st.composite
def items(draw, number=1, status=None):
    """One evidence item of any shape; `number` gives its id."""
    width = draw(st.sampled_from([0, 1, 2, 5, 19, 20, 21, 60, 5_000]))
    height = draw(st.sampled_from([0, 1, 3, 25])) if width < 100 else 1
    pool = draw(st.lists(cells, min_size=1, max_size=8))
    names = draw(st.lists(texts, min_size=1, max_size=4))
    rows = tuple(tuple(pool[(y + x) % len(pool)] for x in range(width)) for y in range(height))
    count = draw(st.sampled_from([None, height, height + 1_000])) if width else None
    return Evidence(
        id=f"E{number}",
        call_id=f"c{number}",
        tool=draw(st.sampled_from(["run_sql", "list_files", "mcp_x_<!here>"])),
        title=draw(texts),
        status=status or draw(st.sampled_from(["ok", "ok", "ok", "error"])),
        summary=draw(texts),
        sql=draw(st.one_of(st.none(), texts, st.sampled_from(["select 1", "x" * 10_000, "&<>" * 3_000, "👩" * 900]))),
        columns=tuple(Column(names[x % len(names)], "VARCHAR") for x in range(width)),
        rows=rows,
        row_count=count,
        truncated=draw(st.sampled_from([None, Truncation("rows_kept", 1_000), Truncation("rows_shown", 30, 99)])),
        output=draw(st.one_of(st.none(), long_texts)),
        chart=draw(st.one_of(st.none(), charts())),
        sources=tuple(SourceRef("workspace", name, file=name) for name in names),
        notes=tuple(draw(st.lists(texts, max_size=4))) * draw(st.sampled_from([1, 40])),
        error=draw(st.sampled_from([None, {"code": "sql_failed", "message": "m" * 5_000, "hint": "<!here>"}])),
        elapsed_ms=draw(st.floats(0, 1e7)),
        repeat_of=draw(st.sampled_from([None, None, "E1"])),
        remote=draw(st.booleans()),
    )


@st.composite
def runs(draw, most=6):
    """Evidence of one run: a few wild items, repeated under fresh ids up to 64."""
    few = draw(st.lists(items(), min_size=1, max_size=most))
    copies = draw(st.sampled_from([1, 1, 2, 64 // len(few)]))
    from dataclasses import replace

    return tuple(replace(item, id=f"E{n}", call_id=f"c{n}") for n, item in enumerate(few * copies, 1))

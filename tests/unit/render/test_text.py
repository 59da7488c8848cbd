"""What people see of texts, by example."""

from __future__ import annotations

import pytest

from bot.render.text import answer_text, cell_plain, cell_text, line_text, name_text, summary_of, title_text

HOSTS = ("docs.example.com",)


def said(markdown, **options):
    return "\n=====\n".join(answer_text(markdown, HOSTS, **options))


def test_nested_lists_and_what_stands_in_them():
    markdown = "- one\n  - two\n    - three\n  - four\n\n    more of four\n- five\n\n  ```\n  code\n  ```\n\nafter"
    assert said(markdown) == (
        "• one\n    ◦ two\n        ▪ three\n    ◦ four\n        more of four\n• five\n\n```\ncode\n```\n\nafter"
    )


def test_quotes_and_headings():
    assert said("# A *b* `c`\n\n> one\n> two\n>\n> - three") == "*A _b_ `c`*\n\n&gt; one\n&gt; two\n\n&gt; • three"


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("2**10 and 3**2", "2**10 and 3**2"),
        ("foo**bar**baz", "foobarbaz"),
        ("売上は**「120」**件", "売上は *「120」* 件"),
        ("***both***", "_*both*_"),
        ("**a\nb**", "*a b*"),
        ("** no **", "** no **"),
        ("`a``b`", "`aˋˋb`"),
        ("stray ` tick", "stray ˋ tick"),
        ("at 12:30:45 :tada: now", "at 12:30:45 ꞉tada: now"),
        ("[E1][E2] and [E3]", "[E1][E2] and [E3]"),
        ("[E1]\n\n[E1]: https://docs.example.com/x", "[E1]"),
        ("[guide][1]\n\n[1]: https://docs.example.com/a", "<https://docs.example.com/a|guide>"),
        ("<https://docs.example.com/a|guide>", "<https://docs.example.com/a|guide>"),
        ("see https://docs.example.com/a?x=1&y=2.", "see <https://docs.example.com/a?x=1&amp;y=2>."),
        ("<https://docs.example.com/a>", "<https://docs.example.com/a>"),
        ("[a](http://docs.example.com/)", "a"),
        ("[a](https://docs.example.com:8443/)", "a"),
        ("[a](https://docs.example.com.evil.example/)", "a"),
        ("[a](https://DOCS.example.com/x)", "<https://DOCS.example.com/x|a>"),
        ("ht**tps**://evil.example/x", "hxxps://evil[.]example/x"),
        ("s3://bucket/key", "s3[:]//bucket/key"),
        ("www.evil.example", "www[.]evil.example"),
        ("a <region> b", "a &lt;region&gt; b"),
        (
            "<details><summary>x</summary>y</details>",
            "&lt;details&gt;&lt;summary&gt;x&lt;/summary&gt;y&lt;/details&gt;",
        ),
        ("    indented prose", "indented prose"),
        ("", ""),
        ("\u200b", ""),
    ],
)
def test_one_line(markdown, shown):
    assert said(markdown) == shown


def test_a_narrow_table_stands_side_by_side_by_display_width():
    assert said("| 名前 | n |\n|---|---|\n| 日本 | 1200 |\n| a | 5 |") == (
        "```\n名前     n\n────  ────\n日本  1200\na        5\n```"
    )


def test_a_wide_table_becomes_records_and_loses_nothing():
    names = [f"column number {n}" for n in range(9)]
    rows = "\n".join("|".join(["", *[f"value {r}.{c}" for c in range(9)], ""]) for r in range(2))
    text = said("|" + "|".join(names) + "|\n" + "|---" * 9 + "|\n" + rows)
    assert all(f"value {r}.{c}" in text for r in range(2) for c in range(9))
    assert max(map(len, text.split("\n"))) < 60


def test_a_long_fence_is_cut_between_lines_and_fenced_again():
    code = "\n".join(f"    line {n}" for n in range(100))
    texts = answer_text(f"```python\n{code}\n```", HOSTS, 300)
    assert all(text.startswith("```\n    line") and text.endswith("\n```") and len(text) <= 300 for text in texts)
    assert "\n".join(text[4:-4] for text in texts) == code


def test_a_cut_never_splits_a_link_or_an_entity():
    markdown = "word & [the guide](https://docs.example.com/some/long/address) " * 40
    for text in answer_text(markdown, HOSTS, 200):
        assert text.count("<") == text.count(">") and "&amp;" in text
        assert not text.endswith(("&", "&a", "&am", "&amp"))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "—"),
        ("", "(empty)"),
        ("  \n", "(blank)"),
        (True, "true"),
        (0.1 + 0.2, "0.3"),
        (1e15, "1e+15"),
        (float("nan"), "NaN"),
        (-0.0, "-0"),
        (12345678901234567, "12345678901234567"),
        ([1, None], "[1, null]"),
        ({"a": "é"}, '{"a": "é"}'),
    ],
)
def test_cells(value, shown):
    assert cell_plain(value) == shown
    assert "<" not in cell_text(value)


def test_names_keep_their_marks_and_titles_lose_them():
    assert name_text("*orders*_2024_.csv") == "*orders*_2024_.csv"
    assert title_text("**Sales** [by](https://x.example) region") == "Sales by region"
    assert line_text("_x_ *y* `z` order_items") == "＿x＿ ∗y∗ ˋzˋ order_items"


def test_nothing_to_see_is_shown_as_a_dash():
    assert [title_text("\u200b"), name_text(" "), line_text("")] == ["—", "—", "—"]


def test_a_notification_is_the_beginning_without_markup():
    assert summary_of("# Sales\n\n**North** led [E1], see [x](https://evil.example).\n\n| a |\n|---|\n| 1 |") == (
        "Sales North led [E1], see x. a 1"
    )
    assert len(summary_of("word " * 10_000)) <= 300 and summary_of("") == "—"


def test_a_notification_of_code_alone_is_the_code():
    assert summary_of("```sql\nSELECT 1\n```") == "SELECT 1"
    assert summary_of("Run this:\n\n```\nSELECT 1\n```") == "Run this:"
    assert summary_of("```\n\n```") == "—"

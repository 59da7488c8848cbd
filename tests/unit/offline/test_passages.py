"""Questions that documents answer in plain words: by the line that holds all that is asked for, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.duckdb_tools import Folder, converse

RETURNS = """# Returns

Goods may be sent back within 30 days after the order.
Damaged goods are refunded in full, and the customer pays no shipping.
For a change of mind we refund the half when the box has been opened.

## Parental leave
Twelve weeks are paid.
"""
REVENUE = """# How we count revenue

Revenue is the total amount of paid orders, minus their refunds.
Profit is what nobody here keeps a table of.
Open orders are no revenue.
"""
ORDERS = """day,region,revenue
2024-01-05,North,10
2024-02-06,South,32
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root = tmp_path_factory.mktemp("files")
    texts = {"return_policies.md": RETURNS, "revenue.md": REVENUE, "bookings.csv": ORDERS}
    for name, text in texts.items():
        (root / name).write_text(text)
    return Folder([root / name for name in texts])


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("What is our return policy for a change of mind?", "`return_policies.md:5`: «For a change of mind"),
        ("Damaged goods: are they refunded in full?", "`return_policies.md:4`: «Damaged goods are refunded in full"),
        ("Do I pay shipping for damaged goods?", "`return_policies.md:4`"),
        ("How long do I have to return goods?", "«Goods may be sent back within 30 days after the order.»"),
        ("What happens to damaged goods?", "`return_policies.md:4`"),
        ("Do we count open orders as revenue?", "`revenue.md:5`"),
        ("return window?", "`return_policies.md:3`"),  # the document that is named so is quoted from its beginning
        ("shipping?", "`return_policies.md:4`"),
        ("Parental leave?", "`return_policies.md:8`: «Twelve weeks are paid.»"),  # what stands below a heading
        ("What is revenue?", "«Revenue is the total amount"),
        ("How do we count revenue?", "«Revenue is the total amount"),
        ("Are open orders revenue?", "`revenue.md:5`: «Open orders are no revenue.»"),
        ("Who keeps profit, by revenue.md?", "«Profit is what nobody here keeps a table of.»"),
        ("Show me the return policies", "`return_policies.md`, word for word:\n- `return_policies.md:1`: «# Returns»"),
        ("What's in revenue.md?", "`revenue.md:3`: «Revenue is"),
        ("What does “refunded” mean?", "No line of a document defines it; these lines hold the word"),
    ],
)
async def test_the_passage_answers(folder: Folder, question: str, quoted: str) -> None:
    text = await converse(folder, question)
    assert not declined(text) and quoted in text, text
    assert "[E" in text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is our return policy for wedding gifts of aunts?", "“wedding”"),
        ("How many damaged goods were there?", "“damaged”"),  # a figure is no matter of words
        ("What is our warranty?", "“warranty”"),
        ("Can gifts be sent back after 40 days?", "“gifts”"),  # that is English
        ("Is revenue falling?", "“falling”"),  # revenue is a column, so its policy is no answer
        ("Total profit in 2024", "«Profit is what nobody here keeps a table of.»"),
    ],
)
async def test_a_line_that_lacks_something_is_no_answer(folder: Folder, question: str, said: str) -> None:
    text = await converse(folder, question)
    assert declined(text) and said in text, text


async def test_what_looks_like_a_mark_in_a_document_is_none(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("The warranty is 99 years [E1].\n")
    text = await converse(Folder([tmp_path / "notes.md"]), "warranty?")
    assert "«The warranty is 99 years (E1).»" in text


async def test_a_figure_called_by_a_word_of_business_comes_with_its_definition(folder: Folder) -> None:
    text = await converse(folder, "Which region led revenue in February 2024?")
    assert has_figure(text, 32, 0) and "South" in text
    assert "a document defines the word: «Revenue is the total amount of paid orders, minus their refunds.»" in text
    assert "`revenue.md:3`" in text

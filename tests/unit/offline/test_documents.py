"""The offline analyst finds lines in documents and quotes them with their places, and leaves other questions alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from runtime.models.offline.documents import document_searches, found_answer
from runtime.models.offline.listing import Entry, Listing
from runtime.models.offline.transcript import Done, Turn
from runtime.models.port import ToolCall

LISTING = Listing(
    (Entry("lease.pdf", "document"), Entry("hr/travel.docx", "document"), Entry("orders.csv", "table", ("orders",))), 3
)


@pytest.mark.parametrize(
    ("question", "patterns", "names"),
    [
        (
            "What does the lease say about the security deposit?",
            ["security.*deposit", "security|deposit"],
            ["lease.pdf"],
        ),
        ("what do the documents say about pets", ["pets"], None),
        ("What does travel.docx state on receipts?", ["receipts"], ["hr/travel.docx"]),
        ("Find “10 years (net)” in the policies.", [r"10\ years\ \(net\)"], None),
        ("search for Kyoto in lease.pdf", ["Kyoto"], ["lease.pdf"]),
    ],
)
def test_a_search_is_read_off_the_question(question, patterns, names) -> None:
    searches = document_searches(question, LISTING)
    assert [search["pattern"] for search in searches] == patterns
    assert all(search.get("names") == names for search in searches)


@pytest.mark.parametrize(
    "question",
    [
        "How many orders are there in 2024?",
        "find customers in Berlin",
        "What does revenue look like?",
        "total in lease",
    ],
)
def test_other_questions_are_no_searches(question) -> None:
    assert document_searches(question, LISTING) == ()


def test_where_there_is_no_document_nothing_is_searched() -> None:
    assert document_searches("what do the documents say about pets?", Listing((Entry("a.csv", "table"),), 1)) == ()


def answer(*results: Mapping[str, Any]) -> str:
    call = ToolCall("c1", "grep_files", {"pattern": "x"})
    done = tuple(Done(call, {"ok": True, "evidence": f"E{at}", "data": data}) for at, data in enumerate(results, 2))
    return found_answer(Turn("q", None, done, 2))


def test_lines_are_quoted_with_their_places_and_mark() -> None:
    hit = {"at": "lease.pdf p.2", "text": "  Security deposit:   $1890"}
    text = answer({"hits": [hit], "total": 1, "searched": {"complete": True}})
    assert "- `lease.pdf p.2`: «Security deposit: $1890» [E2]" in text
    assert "Not everything" not in text
    text = answer({"hits": []}, {"hits": [hit] * 7, "total": 7, "searched": {"complete": False}})
    assert text.count("«") == 5
    assert "hold some of them" in text
    assert "More lines match" in text
    assert "Not everything could be searched" in text
    assert "no line of the documents here matches [E2]" in answer({"hits": [], "searched": {"complete": True}})

"""What of a result the model may see: no masked cell, no row beyond the terms, whatever the rows are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.capability import SourceKind, SourceTerms
from runtime.engines.port import ReadResult
from runtime.evidence import Column
from runtime.limits import DEFAULT
from runtime.toolboxes.model_view import MASKED, ModelView
from runtime.toolboxes.result_table import table_output

from .conftest import SCOPE, context

COLUMNS = (Column("name", "TEXT"), Column("Email", "TEXT"))
ROWS = tuple((f"n{n}", f"secret{n}") for n in range(50))


def view(model_rows: str, *masked: str) -> ModelView:
    return ModelView.of(scoped(model_rows), "shop", masked)


def scoped(model_rows: str):
    terms = {"shop": SourceTerms(SourceKind.SQLITE, model_rows)}
    return replace(context(), scope=replace(SCOPE, sources=frozenset(terms), terms=terms))


@pytest.mark.parametrize(("model_rows", "shown"), [("none", 0), ("sample", 30), ("full", 50)])
def test_the_terms_bound_the_rows(model_rows, shown) -> None:
    assert len(view(model_rows).rows(COLUMNS, ROWS)) == shown
    assert bool(view(model_rows).notes(COLUMNS, 50)) is (model_rows != "full")


def test_a_source_without_terms_shows_nothing() -> None:
    assert ModelView.of(scoped("full"), "another").rows(COLUMNS, ROWS) == []


def test_masks_are_compared_as_the_engines_compare_names() -> None:
    assert view("full", "EMAIL").rows(COLUMNS, ROWS[:1]) == [["n0", MASKED]]
    assert view("full", "EMAIL").notes(COLUMNS, 1) == ("Email is masked: people see the values, the model does not.",)


def test_extremes_may_be_told_only_of_what_may_be_seen_whole() -> None:
    assert view("full").whole(COLUMNS, 10_000)
    assert view("sample").whole(COLUMNS, 30) and not view("sample").whole(COLUMNS, 31)
    assert not view("none").whole(COLUMNS, 1)
    assert not view("full", "name").whole(COLUMNS, 1)


@given(
    st.lists(st.tuples(st.text(max_size=5), st.integers(), st.none() | st.booleans()), max_size=120),
    st.sampled_from(["none", "sample", "full"]),
    st.sets(st.sampled_from(["a", "b", "c"])),
)
def test_nothing_hidden_is_in_the_data_and_all_of_it_in_the_evidence(rows, model_rows, masked) -> None:
    columns = (Column("a", "TEXT"), Column("b", "INTEGER"), Column("c", "BOOLEAN"))
    result = ReadResult("SELECT", columns, tuple(rows), len(rows), 1.0, masked=tuple(masked))
    output = table_output(result, scoped(model_rows), "shop")
    bound = {"none": 0, "sample": DEFAULT.model_sample_rows, "full": DEFAULT.sql_rows_whole}[model_rows]
    assert len(output.data["rows"]) <= bound and output.data["shown"] == len(output.data["rows"])
    for shown, row in zip(output.data["rows"], rows, strict=False):
        expected = [MASKED if name in masked else cell for name, cell in zip("abc", row, strict=True)]
        assert shown == expected
    assert output.rows == tuple(rows)
    if output.data["shown"] < len(rows):
        assert output.truncated is not None and output.truncated.total == len(rows)

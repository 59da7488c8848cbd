"""What is noted of the files behind an answer, and when they count as still there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.files_behind import UNKNOWN, all_files, files_behind, of_files, still_there
from runtime.engines.workspace.file_set import file_set
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.evidence import Column, Evidence, InnerQuery, SourceRef


def catalog(*paths: str, attached: tuple[str, ...] = ()) -> WorkspaceCatalog:
    """A catalog of tables; the content of a file is called after its path."""
    files = [WorkspaceFile(path, "table", 1, 1, f"sha256:{path}", attached=path in attached) for path in paths]
    tables = [
        WorkspaceTable(path, path, f"sha256:{path}", (Column("n", "BIGINT"),), 1, Path(f"{path}.parquet"))
        for path in paths
    ]
    return WorkspaceCatalog("sha256:x", tuple(files), tuple(tables))


def item(*refs: SourceRef, queries: tuple[InnerQuery, ...] = ()) -> Evidence:
    return Evidence("E1", "c", "run_sql", "rows", "ok", sources=refs, queries=queries)


def ref(path: str, part: str = "") -> SourceRef:
    return SourceRef("workspace", path, f"sha256:{path}", path + part)


FOLDER = catalog("a.csv", "b, c.csv", "in/d.csv")


@pytest.mark.parametrize(
    ("evidence", "needs"),
    [
        (item(ref("a.csv")), ["a.csv"]),
        (item(ref("a.csv", ", Sheet 1, rows 3 to 9")), ["a.csv"]),
        (item(ref("b, c.csv")), ["b, c.csv"]),
        (item(ref("b, c.csv", ", Sheet 1")), ["b, c.csv"]),
        (item(queries=(InnerQuery("workspace", "", sources=(ref("in/d.csv"),)),)), ["in/d.csv"]),
        (item(SourceRef("workspace", "data", file_set(FOLDER, "*.csv", 9).digest, "*.csv")), ["a.csv", "b, c.csv"]),
        (item(SourceRef("shop", "orders")), []),
        (item(), ["a.csv", "b, c.csv", "in/d.csv"]),
    ],
)
def test_an_answer_goes_with_each_file_that_it_rests_on_and_with_no_other(evidence: Evidence, needs: list[str]):
    noted = files_behind([evidence], FOLDER)
    assert all(map(of_files, noted)) and still_there(noted, FOLDER)
    for file in FOLDER.files:
        left = replace(FOLDER, files=tuple(each for each in FOLDER.files if each is not file))
        assert still_there(noted, left) is (file.path not in needs)
    more = replace(FOLDER, files=(*FOLDER.files, WorkspaceFile("new.csv", "table", 1, 1)))
    assert still_there(noted, more)
    assert still_there(noted, None) is (not needs)


@pytest.mark.parametrize(
    "evidence", [item(ref("gone.csv")), item(SourceRef("workspace", "data", "sha256:other", "*.csv"))]
)
def test_what_is_gone_by_the_end_of_its_turn_is_never_shown_again(evidence: Evidence):
    noted = files_behind([item(ref("a.csv")), evidence], FOLDER)
    assert noted == UNKNOWN
    assert not still_there(noted, FOLDER)


def test_an_attached_file_is_known_by_its_content_whatever_it_is_called_now():
    noted = files_behind([item(ref("attached/a.csv"))], catalog("attached/a.csv", attached=("attached/a.csv",)))
    another = catalog("attached/a.csv", "attached/a (2).csv", attached=("attached/a.csv", "attached/a (2).csv"))
    newest, renamed = another.files
    swapped = (replace(newest, revision="sha256:new"), replace(renamed, revision="sha256:attached/a.csv"))
    assert still_there(noted, replace(another, files=swapped))
    assert not still_there(noted, replace(another, files=swapped[:1]))
    assert not still_there(noted, catalog("attached/a.csv"))  # the folder's own


def test_of_very_many_files_together_only_a_digest_is_kept():
    many = catalog(*(f"{n}.csv" for n in range(500)))
    noted = all_files(many)
    assert len(str(noted)) < 200 and still_there(noted, many)
    assert not still_there(noted, replace(many, files=many.files[1:]))

"""A set of files as one table: which files a pattern takes, what must be equal, what is refused."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import duckdb
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from runtime.engines.workspace.file_set import file_set, matching, taken_by, wider
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError
from runtime.evidence import Column
from runtime.limits import DEFAULT

from .conftest import opening

DAYS = {
    "sales/2024/01.csv": "day,shop,amount\n2024-01-01,a,10\n2024-01-02,b,20\n",
    "sales/2024/02.csv": "day,shop,amount\n2024-02-01,a,10.5\n",
    "sales/2025/01.tsv": "day\tshop\tamount\n2025-01-01\tc\t7\n",
    "sales/empty.csv": "day,shop,amount\n",
    "other.csv": "a,b\n1,2\n",
    "readme.md": "# Hello\n",
    "sales/raw.json": "[]",
}


def catalog(*paths: str) -> WorkspaceCatalog:
    return WorkspaceCatalog("r", tuple(WorkspaceFile(path, "table", 1, 1) for path in paths))


def table(file: str, *columns: tuple[str, str], rows: int = 1) -> WorkspaceTable:
    return WorkspaceTable(file, file, f"sha256:{file}", tuple(Column(*c) for c in columns), rows, Path(f"/x/{file}"))


def of(*tables: WorkspaceTable) -> WorkspaceCatalog:
    return replace(catalog(*(each.file for each in tables)), tables=tables)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workspace(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workspace]:
    async for opener in opening(tmp_path_factory.mktemp("days")):
        yield await opener(DAYS)


async def ask(workspace, pattern: str, sql: str = "SELECT count(*) AS n, sum(amount) AS s FROM data"):
    return await workspace.read_files(pattern, sql)


@pytest.mark.asyncio(loop_scope="module")
async def test_all_files_of_the_set_are_one_table(workspace):
    result, chosen = await ask(workspace, "sales/**/0*.*sv")
    assert result.rows == ((4, 47.5),)
    assert [each.file for each in chosen.tables] == ["sales/2024/01.csv", "sales/2024/02.csv", "sales/2025/01.tsv"]
    (source,) = result.sources
    assert (source.source, source.object, source.revision) == ("workspace", "data", chosen.digest)
    assert source.file == "sales/**/0*.*sv"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_with_only_a_header_belongs_to_the_set(workspace):
    result, chosen = await ask(workspace, "sales/**/*.csv")
    assert (result.rows, len(chosen.tables)) == (((3, 40.5),), 3)


async def test_parquet_files_are_a_set_too(open_workspace, tmp_path: Path):
    for name, rows in (("p1", 3), ("p2", 4)):
        duckdb.sql(f"SELECT range AS i, 'x' AS t FROM range({rows})").write_parquet(str(tmp_path / f"{name}.parquet"))
    parquet = {f"{name}.parquet": (tmp_path / f"{name}.parquet").read_bytes() for name in ("p1", "p2")}
    workspace = await open_workspace(parquet)
    result, _ = await ask(workspace, "*.parquet", "SELECT count(*), sum(i) FROM data")
    assert result.rows == ((7, 9),)


@pytest.mark.asyncio(loop_scope="module")
async def test_the_digest_follows_names_and_contents(workspace):
    _, first = await ask(workspace, "sales/2024/*.csv")
    _, again = await ask(workspace, "sales/2024/0*.csv")
    _, other = await ask(workspace, "sales/2024/01.csv")
    assert first.digest == again.digest != other.digest
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", first.digest)


@pytest.mark.asyncio(loop_scope="module")
async def test_only_data_can_be_read(workspace):
    for sql in ("SELECT * FROM other", "SELECT * FROM data, other", "SELECT * FROM read_parquet('x')"):
        with pytest.raises(CallError) as caught:
            await ask(workspace, "sales/2024/*.csv", sql)
        assert caught.value.code in ("sql_unknown_table", "function_not_allowed", "sql_not_allowed")


async def test_a_table_that_is_called_data_is_not_taken_for_the_set(open_workspace):
    workspace = await open_workspace({**DAYS, "data.csv": "x\n1\n"})
    result, _ = await ask(workspace, "sales/2024/*.csv")
    assert result.rows == ((3, 40.5),)
    assert (await workspace.read("SELECT x FROM data", seconds=30, rows_kept=5)).rows == ((1,),)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("pattern", "code", "said"),
    [
        ("../*.csv", "pattern_refused", "leave"),
        ("sales/../other.csv", "pattern_refused", "leave"),
        ("/etc/*", "pattern_refused", "relative"),
        ("~/x.csv", "pattern_refused", "relative"),
        ("c:/x.csv", "pattern_refused", "relative"),
        ("s3://bucket/*.csv", "pattern_refused", "relative"),
        ("sales\\*.csv", "pattern_refused", "relative"),
        ("sales/[z-a].csv", "pattern_refused", "[z-a]"),
        ("none/*.csv", "not_found", "none/"),
        ("sales/*.json", "file_refused", "no records"),
        ("*.md", "file_refused", "readme.md"),
        ("**/*.csv", "set_not_homogeneous", "sales/2024/01.csv differs from other.csv"),
    ],
)
async def test_what_is_no_set_is_refused_with_the_reason(workspace, pattern, code, said):
    with pytest.raises(CallError) as caught:
        await ask(workspace, pattern)
    assert caught.value.code == code
    assert said in caught.value.message


def test_a_file_that_could_not_be_read_spoils_the_set():
    files = (WorkspaceFile("a.csv", "table", 1, 1), WorkspaceFile("b.csv", "skipped", 1, 1, reason="it is broken"))
    with pytest.raises(CallError, match=r"b\.csv: it is broken") as caught:
        file_set(WorkspaceCatalog("r", files, (table("a.csv", ("i", "BIGINT")),)), "*.csv", 10)
    assert caught.value.code == "file_refused"


def test_the_first_file_that_differs_is_named():
    same, other = [("i", "BIGINT")], [("i", "VARCHAR")]
    tables = [table("a.csv", *same), table("b.csv", *same), table("c.csv", *other), table("d.csv", *other)]
    with pytest.raises(CallError, match=r"c\.csv differs from a\.csv: 'i' is BIGINT there and VARCHAR here") as caught:
        file_set(of(*tables), "*.csv", 10)
    assert caught.value.code == "set_not_homogeneous"
    assert caught.value.details == {"file": "c.csv", "compared_with": "a.csv"}


def test_too_many_files_are_refused():
    with pytest.raises(CallError, match="1,001 files") as caught:
        matching(catalog(*(f"{i}.csv" for i in range(1001))), "*.csv", DEFAULT.file_query_files)
    assert caught.value.code == "pattern_refused"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*a" * 200 + "*b", "a" * 250), ("**/" * 300 + "*.z", "/".join("d" * 30)), ("*?" * 400, "x" * 250)],
)
def test_a_pattern_that_would_try_every_way_is_as_quick_as_any(pattern, path):
    """By a backtracking matcher none of these ends within a life."""
    assert not taken_by(pattern)(path)


@pytest.mark.parametrize(("pattern", "path"), [("\u00fc*.csv", "u\u0308ber.csv"), ("u\u0308?.md", "\u00fc1.md")])
def test_letters_are_the_same_however_their_marks_are_written(pattern, path):
    assert taken_by(pattern)(path)


def test_a_line_end_in_a_name_is_a_character_like_others():
    assert taken_by("new*.md")("new\nline.md")
    assert taken_by("**")("a/new\nline.md")


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("BIGINT", "BIGINT", "BIGINT"),
        ("BIGINT", "HUGEINT", "HUGEINT"),
        ("BIGINT", "DOUBLE", "DOUBLE"),
        ("BIGINT", "DECIMAL(18,1)", "DECIMAL(20,1)"),
        ("DECIMAL(18,1)", "DECIMAL(18,3)", "DECIMAL(20,3)"),
        ("HUGEINT", "DECIMAL(18,3)", "DOUBLE"),
        ("DATE", "TIMESTAMP", "TIMESTAMP"),
        ("BIGINT", "VARCHAR", None),
        ("VARCHAR", "DOUBLE", None),
        ("DATE", "BIGINT", None),
        ("BOOLEAN", "BIGINT", None),
    ],
)
def test_types_widen_only_where_nothing_is_lost(one, other, both):
    assert wider(one, other) == wider(other, one) == both


@given(st.text(alphabet="ab1/*?[].!-\\^$(|", min_size=1, max_size=12))
def test_no_pattern_breaks_or_leaves_the_catalog(pattern):
    paths = ("a.csv", "a/b.csv", "b/a/1.tsv", "..a", "a-b[1].csv")
    try:
        found = matching(catalog(*paths), pattern, 10)
    except CallError as error:
        assert error.code in ("pattern_refused", "not_found")
    else:
        assert {file.path for file in found} <= set(paths)


@given(st.lists(st.sampled_from(["a", "b.csv", "c-1", "ü"]), min_size=1, max_size=4))
def test_a_path_matches_itself_and_its_wildcards(parts):
    path = "/".join(parts)
    for pattern in (path, "**", "**/" + parts[-1], "/".join("*" for _ in parts), path[:-1] + "?"):
        assert [file.path for file in matching(catalog(path), pattern, 10)] == [path]
    with pytest.raises(CallError):
        matching(catalog(path), "/".join("*" for _ in [*parts, "x"]), 10)


def test_a_star_stays_inside_its_folder():
    found = matching(catalog("a.csv", "x/a.csv", "x/y/a.csv"), "*.csv", 10)
    assert [file.path for file in found] == ["a.csv"]
    found = matching(catalog("a.csv", "x/a.csv", "x/y/a.csv"), "**/*.csv", 10)
    assert [PurePosixPath(file.path).name for file in found] == ["a.csv"] * 3


@pytest.mark.parametrize("pattern", ["*", "**", "?DS_Store", "*.pem", ".*"])
def test_hidden_and_secret_looking_files_are_part_of_no_pattern(pattern: str) -> None:
    found = catalog("a.csv", ".DS_Store", ".git/a.csv", "server.pem", "credentials.csv")
    if pattern in ("*", "**"):
        assert [file.path for file in matching(found, pattern, 9)] == ["a.csv"]
    else:
        with pytest.raises(CallError, match="No file"):
            matching(found, pattern, 9)
    assert [file.path for file in matching(found, "server.pem", 9)] == ["server.pem"]

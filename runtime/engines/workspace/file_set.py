"""A homogeneous set of workspace files behind one name: which files a pattern takes, and one view over all of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import re2  # pyright: ignore[reportMissingTypeStubs]

from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.engines.workspace.secret_names import private
from runtime.errors import CallError
from runtime.evidence import Column
from runtime.ingest.columns import literal, quoted
from runtime.ingest.composed import composed

VIEW = "data"
_INTEGERS = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_DECIMAL_DIGITS = 38
_RE2: Any = re2  # the package has no type information
_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "HUGEINT": 38}


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files that share one shape. `digest` covers their paths and contents; `declaration` is a view of the same
    columns without rows, `definition` the view over the cached copies."""

    tables: tuple[WorkspaceTable, ...]
    columns: tuple[Column, ...]
    digest: str
    declaration: str
    definition: str


def file_set(catalog: WorkspaceCatalog, pattern: str, most: int) -> FileSet:
    """The set that `pattern` takes. Raises CallError: `pattern_refused`, `not_found`, `file_refused`,
    `set_not_homogeneous` naming the first file that differs."""
    files = matching(catalog, pattern, most)
    tables = _tables(catalog, files)
    columns = _shared_columns(tables)
    declared = ", ".join(f"CAST(NULL AS {column.type}) AS {quoted(column.name)}" for column in columns)
    return FileSet(
        tables=tables,
        columns=columns,
        digest=_digest(tables),
        declaration=f"SELECT {declared} WHERE false",
        definition=_definition(tables, columns),
    )


def matching(catalog: WorkspaceCatalog, pattern: str, most: int) -> list[WorkspaceFile]:
    """The files of the catalog whose path the pattern takes, by path. Nothing outside the catalog can be named."""
    takes = taken_by(pattern)
    files = sorted((file for file in catalog.files if takes(file.path)), key=lambda file: file.path)
    if not files:
        raise CallError(
            "not_found",
            f"No file of the workspace matches {pattern!r}.",
            hint="Paths are relative to the workspace: * stays inside a folder, ** crosses folders. See list_files.",
        )
    if len(files) > most:
        raise CallError(
            "pattern_refused",
            f"The pattern matches {len(files):,} files; at most {most:,} are read at once.",
            hint="Narrow the pattern, for example to one folder or one month.",
        )
    return files


def taken_by(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern takes a path. Hidden and secret-looking names are taken only when the whole path is given: a
    folder's .DS_Store is no file that anybody means by `*`. Raises CallError `pattern_refused`."""
    expression = _expression(composed(pattern))

    def takes(path: str) -> bool:
        return bool(expression.fullmatch(composed(path))) and not any(map(private, path.split("/")))

    return lambda path: path == pattern or takes(path)


def _expression(pattern: str) -> Any:
    """For RE2, which takes no more time over `*a*a*a*a` than over any other pattern."""
    parts = pattern.split("/")
    if pattern.startswith(("/", "~")) or "\\" in pattern or "\0" in pattern or ":" in parts[0] or ".." in parts:
        raise CallError(
            "pattern_refused",
            "A path pattern is relative to the workspace and cannot leave it.",
            hint="Write it like reports/2024-*.csv, with forward slashes and without '..'.",
        )
    options = _RE2.Options()
    options.log_errors = False
    try:
        body = "".join(_segment(part, last=place == len(parts) - 1) for place, part in enumerate(parts))
        return _RE2.compile(f"(?s){body}", options)
    except (_RE2.error, UnicodeEncodeError) as error:
        raise CallError(
            "pattern_refused",
            f"The path pattern {pattern!r} cannot be used.",
            hint="Signs in brackets stand in their order, as in [a-z] or [0-9]; a * or ? takes any.",
        ) from error


def _segment(part: str, *, last: bool) -> str:
    if part == "**":
        return ".*" if last else "(?:[^/]+/)*"
    pieces = re.findall(r"\[!?\]?[^\]/]*\]|\*+|\?|.", part)
    return "".join(_piece(piece) for piece in pieces) + ("" if last else "/")


def _piece(piece: str) -> str:
    if piece.startswith("*"):
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if len(piece) > 2 and piece.startswith("["):
        inside = piece[1:-1].replace("[", r"\[")
        return f"[{'^/' + inside[1:] if inside.startswith('!') else inside}]"
    return str(_RE2.escape(piece))


def _tables(catalog: WorkspaceCatalog, files: Sequence[WorkspaceFile]) -> tuple[WorkspaceTable, ...]:
    for file in files:
        if file.kind != "table":
            why = file.reason or "it is a document, not a table"
            raise CallError(
                "file_refused", f"{file.path}: {why}.", hint="Narrow the pattern, so that it takes only tables."
            )
    paths = {file.path for file in files}
    found = sorted((table for table in catalog.tables if table.file in paths), key=lambda table: table.file)
    tables = [table for table in found if not table.part]
    whole = {table.file for table in tables}
    part = next((table for table in found if table.file not in whole), None)
    if part:
        raise CallError(
            "file_refused",
            f"{part.file} holds tables of its own ({part.part}); a set holds CSV, TSV, JSON or Parquet files of one "
            "table each.",
            hint=f"Read its tables with run_sql, for example {part.name}; list_files names them all.",
        )
    return tuple(tables)


def _shared_columns(tables: Sequence[WorkspaceTable]) -> tuple[Column, ...]:
    """The columns of the set, each of a type that holds the values of every file without loss."""
    first = next((table for table in tables if table.rows), tables[0])
    types = {column.name: column.type for column in first.columns}
    for table in tables:
        names = [column.name for column in table.columns]
        if sorted(names) != sorted(types):
            raise _differs(first, table, _names_differ(list(types), names))
        if not table.rows:
            continue  # a header alone says nothing about types
        for column in table.columns:
            wide = wider(types[column.name], column.type)
            if wide is None:
                raise _differs(first, table, f"{column.name!r} is {types[column.name]} there and {column.type} here")
            types[column.name] = wide
    return tuple(Column(name, kind) for name, kind in types.items())


def wider(one: str, other: str) -> str | None:
    """The type that holds both without loss, or None: 'BIGINT', 'DECIMAL(5,2)' → 'DECIMAL(21,2)'."""
    if one == other:
        return one
    pair = {one, other}
    if pair == {"DATE", "TIMESTAMP"}:
        return "TIMESTAMP"
    shapes = [_shape(kind) for kind in (one, other)]
    if None in shapes:
        return (
            "DOUBLE"
            if all(shape or kind in ("DOUBLE", "FLOAT") for shape, kind in zip(shapes, (one, other), strict=True))
            else None
        )
    (whole_one, scale_one), (whole_other, scale_other) = (shape for shape in shapes if shape)
    whole, scale = max(whole_one, whole_other), max(scale_one, scale_other)
    if scale == 0 and one in _DIGITS and other in _DIGITS:
        return max(one, other, key=_INTEGERS.index)
    return f"DECIMAL({whole + scale},{scale})" if whole + scale <= _DECIMAL_DIGITS else "DOUBLE"


def _shape(kind: str) -> tuple[int, int] | None:
    """Digits before and after the point of an exact number type."""
    if kind in _DIGITS:
        return _DIGITS[kind], 0
    found = _DECIMAL.fullmatch(kind)
    return (int(found.group(1)) - int(found.group(2)), int(found.group(2))) if found else None


def _names_differ(wanted: Sequence[str], found: Sequence[str]) -> str:
    missing = [name for name in wanted if name not in found]
    extra = [name for name in found if name not in wanted]
    parts = [f"lacks {', '.join(missing[:5])}"] if missing else []
    return " and ".join([*parts, f"has {', '.join(extra[:5])} besides"] if extra else parts)


def _differs(first: WorkspaceTable, table: WorkspaceTable, how: str) -> CallError:
    return CallError(
        "set_not_homogeneous",
        f"{table.file} differs from {first.file}: {how}.",
        hint="Narrow the pattern to files of one shape, or read the tables on their own with run_sql.",
        details={"file": table.file, "compared_with": first.file},
    )


def _digest(tables: Iterable[WorkspaceTable]) -> str:
    body = "".join(f"{table.file}\0{table.revision}\n" for table in tables)
    return "sha256:" + hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest()


def _definition(tables: Sequence[WorkspaceTable], columns: Sequence[Column]) -> str:
    """Files of exactly equal types are read together; each group is cast to the shared types by name."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for table in tables:
        if table.rows or len(tables) == 1:
            kinds = {column.name: column.type for column in table.columns}
            groups.setdefault(tuple(kinds[column.name] for column in columns), []).append(str(table.parquet))
    chosen = ", ".join(f"CAST({quoted(column.name)} AS {column.type}) AS {quoted(column.name)}" for column in columns)
    reads = [f"SELECT {chosen} FROM read_parquet([{', '.join(map(literal, paths))}])" for paths in groups.values()]
    if not reads:
        reads = [f"SELECT {chosen} FROM read_parquet({literal(str(tables[0].parquet))})"]
    return " UNION ALL ".join(reads)

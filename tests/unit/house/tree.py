"""What the tests on the house read: the tracked layout of the project and its Python sources."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("bot", "runtime", "guest")


def sources(*folders: str) -> list[Path]:
    """Every Python file under the given folders of the project, in order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def shown(path: Path) -> str:
    """A path as a person would write it, from the project's root."""
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and length in lines of each function in a file, nested ones included, decorators left out."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def broad_handlers(path: Path) -> Iterator[int]:
    """Lines of the handlers in a file that catch everything and neither raise it again nor log its traceback."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.id if isinstance(node.type, ast.Name) else None
        broad = node.type is None or caught in ("Exception", "BaseException")
        inside = list(ast.walk(node))
        passes_on = any(isinstance(n, ast.Raise) and n.exc is None for n in inside)
        logs = any(
            (isinstance(n, ast.Attribute) and n.attr == "exception")
            or (isinstance(n, ast.keyword) and n.arg == "exc_info")
            for n in inside
        )
        if broad and not (passes_on or logs):
            yield node.lineno

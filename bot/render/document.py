"""A Markdown document as parts in reading order: prose in mrkdwn, code, tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from bot.render.clean import clean
from bot.render.grammar import parser
from bot.render.inert import inert_code
from bot.render.inline import mrkdwn, plain
from bot.render.links import LinkPolicy

_BULLETS = ("•", "◦", "▪")
_INDENT = "    "
_QUOTE = "&gt; "
_TASKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


@dataclass(frozen=True, slots=True)
class Prose:
    """Finished mrkdwn. `near`: it stands on the next line of what came before, without a blank line between."""

    text: str
    near: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """The inside of a fence, made inert."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table's cells as plain text, one line each, not yet inert. Every row is as long as `header`."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Part = Prose | Code | Table


def read(markdown: str, policy: LinkPolicy) -> tuple[Part, ...]:
    """The parts of `markdown`, everything foreign made inert, links as `policy` admits."""
    tree = SyntaxTreeNode(parser().parse(clean(markdown).replace("\t", _INDENT)))
    return tuple(_blocks(tree, policy, 0))


def _blocks(node: SyntaxTreeNode, policy: LinkPolicy, depth: int) -> Iterator[Part]:
    for child in node.children:
        if child.type == "heading":
            yield from _heading(child, policy)
        elif child.type == "paragraph":
            yield from _prose(mrkdwn(_inline(child), policy))
        elif child.type in ("bullet_list", "ordered_list"):
            yield from _list(child, policy, depth)
        elif child.type == "blockquote":
            yield from _quote(child, policy, depth)
        elif child.type in ("fence", "code_block"):
            yield from _code(child.content)
        elif child.type == "table":
            yield _table(child)


def _prose(text: str) -> Iterator[Prose]:
    text = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    if text:
        yield Prose(text)


def _heading(node: SyntaxTreeNode, policy: LinkPolicy) -> Iterator[Prose]:
    text = " ".join(mrkdwn(_inline(node), policy, bold=True).split())
    if text:
        yield Prose(f"*{text}*")


def _code(content: str) -> Iterator[Code]:
    body = inert_code(content).strip("\n")
    if body.strip():
        yield Code(body)


def _quote(node: SyntaxTreeNode, policy: LinkPolicy, depth: int) -> Iterator[Part]:
    for part in _blocks(node, policy, depth):
        if isinstance(part, Prose):
            part = replace(part, text="\n".join(_QUOTE + line for line in part.text.split("\n")))
        yield part


def _list(node: SyntaxTreeNode, policy: LinkPolicy, depth: int) -> Iterator[Part]:
    """One part an item, so that long lists can be cut between items; what an item holds beside text follows it."""
    first = depth == 0
    bullet = _BULLETS[min(depth, len(_BULLETS) - 1)]
    for item in node.children:
        label = f"{item.info}. " if node.type == "ordered_list" else f"{bullet} "
        started = False
        for part in _blocks(item, policy, depth + 1):
            if isinstance(part, Prose) and not started:
                yield Prose(_INDENT * depth + label + _hang(_task(part.text), depth), near=not first)
            elif isinstance(part, Prose) and not part.near:
                yield Prose(_INDENT * (depth + 1) + _hang(part.text, depth), near=True)
            else:
                yield part
            started, first = True, False
        if not started:
            yield Prose(_INDENT * depth + label.rstrip(), near=not first)
            first = False


def _hang(text: str, depth: int) -> str:
    return text.replace("\n", "\n" + _INDENT * (depth + 1))


def _task(text: str) -> str:
    return _TASKS[text[:4]] + text[4:] if text[:4] in _TASKS else text


def _table(node: SyntaxTreeNode) -> Table:
    lines = [
        tuple(" ".join(plain(_inline(cell)).split()) for cell in row.children)
        for section in node.children
        for row in section.children
    ]
    return Table(lines[0], tuple(lines[1:]))


def _inline(node: SyntaxTreeNode) -> list[Token]:
    """The inline tokens of a heading, paragraph or cell."""
    for child in node.children:
        if child.type == "inline" and child.token is not None:
            return child.token.children or []
    return []

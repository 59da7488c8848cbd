"""The command line: parses, and hands over to one module per command. Imports nothing heavy by itself."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence

FAILURE, USAGE = 1, 2

# What each command does; the module of the same name in bot.commands does it.
COMMANDS: dict[str, str] = {
    "demo": "start the bot on demo data with a Slack of its own on this machine",
    "serve": "serve a Slack workspace (settings come from the environment)",
    "ask": "answer one question without Slack, as an operator in a direct message",
    "sql": "run one guarded query: footnote sql [SOURCE] QUERY",
    "check": "test settings, manifest, sources and this machine",
    "migrate": "bring the state database to this version's schema",
    "reload": "put the manifest as it stands now in force, in every process that serves with this state",
    "receipts": "list who changed what data, when, and on whose approval",
    "version": "print the version",
}


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="footnote", description="A data analyst that lives in Slack and shows the evidence for every figure."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    made = {name: commands.add_parser(name, help=text, description=text) for name, text in COMMANDS.items()}
    made["demo"].add_argument("--port", type=_port, default=8300, help="where the page is served (default 8300)")
    made["ask"].add_argument("question", metavar="QUESTION")
    made["ask"].add_argument("--manifest", help="the admission manifest (default: FOOTNOTE_MANIFEST)")
    made["ask"].add_argument("--model", help="a model name, or offline (default: FOOTNOTE_MODEL)")
    made["ask"].add_argument("--json", action="store_true", help="print answer, evidence, verification, usage, status")
    made["sql"].add_argument("words", metavar="[SOURCE] QUERY", nargs="+")
    made["sql"].add_argument("--manifest", help="the admission manifest (default: FOOTNOTE_MANIFEST)")
    made["sql"].add_argument("--json", action="store_true", help="print the result envelope")
    made["receipts"].add_argument("receipt", metavar="RECEIPT", nargs="?", help="one change, with its rows")
    made["receipts"].add_argument("--limit", type=_count, default=20, help="how many of the newest (default 20)")
    made["receipts"].add_argument("--json", action="store_true", help="print everything as JSON, the rows too")
    made["check"].add_argument("--manifest", help="the admission manifest (default: FOOTNOTE_MANIFEST)")
    made["check"].add_argument("--live", action="store_true", help="also ask the real Slack and model endpoints")
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65_535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 0 to 65535")
    return int(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 999999999")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Exit codes: 0 ok, 1 failure, 2 bad usage or configuration."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # whatever letters the terminal knows
    try:
        code = _run(argv)
    except BrokenPipeError:
        code = FAILURE
    return code if _written() else FAILURE


def _written() -> bool:
    """Whether all that was printed went out. Of a reader that has enough, as `| head` has, nothing is said."""
    if sys.stdout is None:
        return True
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"footnote: the output cannot be written: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter tries, and says so
        return False
    return True


def _run(argv: Sequence[str] | None) -> int:
    arguments = build_parser().parse_args(argv)
    from runtime.errors import ConfigurationError, FootnoteError

    module = importlib.import_module(f"bot.commands.{arguments.command}")
    try:
        return int(module.run(arguments))
    except ConfigurationError as error:
        print(f"footnote: {error}", file=sys.stderr)
        return USAGE
    except FootnoteError as error:
        print(f"footnote: {error}", file=sys.stderr)
        return FAILURE
    except KeyboardInterrupt:
        return 130

"""`footnote sql [SOURCE] QUERY`: one guarded read through the same boundary, without a model."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from bot.commands.local_run import local_analyst, require_open, settings_for
from bot.direct import DirectResult, direct_sql, named_source
from bot.logs import set_up_logs
from bot.settings import Settings
from runtime.errors import ConfigurationError


def run(arguments: argparse.Namespace) -> int:
    """Prints the rows as tab-separated text, or the result envelope; 0 when the query ran."""
    if len(arguments.words) > 2 or not all(map(str.strip, arguments.words)):
        raise ConfigurationError('Usage: footnote sql [SOURCE] "QUERY" (put the query in quotes).')
    settings = settings_for(arguments.manifest, "offline")
    set_up_logs(settings.log)
    result = asyncio.run(_query(" ".join(arguments.words), settings))
    if arguments.json:
        print(result.envelope)
    elif result.error:
        print(f"footnote: {result.error}", file=sys.stderr)
    else:
        _print_rows(result)
    return 1 if result.error else 0


async def _query(words: str, settings: Settings) -> DirectResult:
    async with local_analyst(settings) as (analyst, scope):
        source, query = named_source(words, scope)
        require_open(scope, source)
        return await direct_sql(analyst, scope, source, query)


def _print_rows(result: DirectResult) -> None:
    print("\t".join(column.name for column in result.evidence.columns))
    for row in result.evidence.rows:
        print("\t".join("" if cell is None else cell if isinstance(cell, str) else json.dumps(cell) for cell in row))
    if result.evidence.truncated:
        print(f"({result.evidence.truncated.reason}: {len(result.evidence.rows)} rows shown)", file=sys.stderr)

"""`footnote receipts`: who changed what, when, and on whose approval; with a receipt's name, its rows."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bot.render.words import counted
from bot.settings import load_settings
from runtime.clock import SystemClock, random_id
from runtime.errors import ConfigurationError
from runtime.state import Approval, Effect, State, peek_state

_WORDS = {
    "begun": "under way",
    "executing": "under way",
    "done": "changed",
    "failed": "nothing written",
    "unknown": "UNKNOWN, to be checked by hand",
    "never": "never begun",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A change and the request by which people allowed it, if it is known."""

    effect: Effect
    approval: Approval | None

    def as_json(self) -> dict[str, Any]:
        """Everything, the rows too: each its key, and the values of `columns` before and after."""
        effect, images = self.effect, cast(Mapping[str, Any], self.effect.images)
        return {
            "receipt": effect.id,
            "state": effect.state,
            "reason": effect.reason,
            "began_at": effect.began_at.isoformat() if effect.began_at else None,
            "ended_at": effect.changed_at.isoformat() if effect.changed_at else None,
            "requester": effect.requester,
            "approved_by": self.approved_by,
            "conversation": effect.conversation,
            "tool": effect.tool,
            **effect.request,
            "columns": images.get("columns", []),
            "rows": [
                {"key": key, "before": before, "after": after} for key, _, before, after in images.get("rows", [])
            ],
        }

    @property
    def approved_by(self) -> list[str]:
        return list(self.approval.votes) if self.approval else []


def run(arguments: argparse.Namespace) -> int:
    """Prints the newest receipts, or one with its rows. Works while the bot serves."""
    entries = asyncio.run(_entries(load_settings().state_url, arguments.receipt, arguments.limit))
    if arguments.json:
        print(json.dumps([entry.as_json() for entry in entries], indent=2, ensure_ascii=False))
    elif not entries:
        print("No data was changed yet.")
    else:
        for entry in entries:
            told = [_line(entry), *(_rows(entry.as_json()) if arguments.receipt else [])]
            print("\n".join(map(_visible, told)))
    return 0


def _visible(line: str) -> str:
    """The line without anything that a terminal would obey, or that would show its letters in another order."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in line)


async def _entries(url: str, receipt: str | None, limit: int) -> list[Entry]:
    state = await asyncio.to_thread(peek_state, url, clock=SystemClock(), new_id=random_id)
    try:
        effects = await _effects(state, receipt, limit)
        return [Entry(each, await state.approvals.of_call(each.run_id, each.call_id)) for each in effects]
    finally:
        state.close()


async def _effects(state: State, receipt: str | None, limit: int) -> Sequence[Effect]:
    if receipt is None:
        return await state.effects.newest(limit)
    found = await state.effects.get(receipt)
    if found is None:
        raise ConfigurationError(f"There is no receipt {receipt!r}; `footnote receipts` lists them.")
    return [found]


def _line(entry: Entry) -> str:
    effect, request = entry.effect, cast(Mapping[str, Any], entry.effect.request)
    when = f"{effect.began_at:%Y-%m-%d %H:%M:%S}Z" if effect.began_at else "?"
    by = ", ".join(entry.approved_by) or "nobody known"
    return (
        f"{effect.id}  {when}  {_WORDS[effect.state]}: {counted(request['row_count'], 'row')} of {effect.target}, "
        f"{_what(request)}; asked by {effect.requester}, approved by {by}"
    )


def _what(request: Mapping[str, Any]) -> str:
    if "restore" in request:
        return f"undoing {request['restore']}"
    return ", ".join(f"{each['column']} = {json.dumps(each['value'], ensure_ascii=False)}" for each in request["set"])


def _rows(body: Mapping[str, Any]) -> list[str]:
    """What those who approved were warned of, and the rows."""
    told = [f"  warned of: {warning}" for warning in body.get("warnings", [])]
    for row in body["rows"]:
        pairs = zip(body["columns"], row["before"], row["after"], strict=True)
        changes = [f"{name}: {_text(old)} -> {_text(new)}" for name, old, new in pairs if old != new]
        told.append(f"  {'/'.join(row['key'])}  {'; '.join(changes) or 'the same as before'}")
    return told


def _text(value: str | None) -> str:
    return "NULL" if value is None else json.dumps(value, ensure_ascii=False)

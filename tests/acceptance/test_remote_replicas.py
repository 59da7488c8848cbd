"""A remote tool that changed is told to the operators once, however many replicas find it out, and whenever."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from runtime.state import migrate_state
from tests import postgres_server

from .test_reload_replicas import logged
from .test_remote import admitted

pytestmark = pytest.mark.timeout(900)


async def looked(stage, *names: str) -> None:
    """Replicas start together, each finds the change out, and each ends once it has told what it had to tell."""
    processes = await asyncio.gather(
        *(stage.start(FOOTNOTE_REPLICA=name, FOOTNOTE_DATA_DIR=str(stage.folder / f"cache-{name}")) for name in names)
    )
    try:
        await asyncio.gather(*(logged(process, "remote tool changed") for process in processes))
    finally:
        for process in processes:
            process.terminate()
        await asyncio.gather(*(asyncio.wait_for(process.communicate(), 180) for process in processes))


async def test_replicas_tell_the_operators_of_a_changed_tool_once(stage) -> None:
    with contextlib.ExitStack() as stack:
        dsn = stack.enter_context(postgres_server.server())
        state = stack.enter_context(postgres_server.database(dsn))
        migrate_state(state)
        async with admitted(stage) as raw:
            raw.tools = [{**raw.tools[0], "description": "Another tool altogether."}]
            stage.overrides = {"FOOTNOTE_STATE": state, "FOOTNOTE_LOG": "json"}
            await looked(stage, "A", "B", "C")
            await looked(stage, "A")
            (said,) = stage.slack.messages(stage.slack.dm("U0ANN"))
            assert "search_issues of tracker is closed" in said["text"] and "U0EVE" not in json.dumps(said)
    assert stage.slack.refusals == []

"""The demo, asked in plain words: each question is answered right, or refused for the reason that holds."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.local.demo import write_demo
from bot.local.demo.opening import write_manifest_without_crm
from tests.acceptance.demo_plain_answers import PLAIN
from tests.acceptance.test_demo_questions import Asked, faults, opened


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncGenerator[Asked]:
    """The demo without its CRM."""
    write_demo(tmp_path)
    async with opened(tmp_path, write_manifest_without_crm(tmp_path)) as asked:
        yield asked


@pytest.mark.timeout(400)
async def test_plain_questions_are_answered_right(shop: Asked) -> None:
    assert await faults(shop, PLAIN) == {}

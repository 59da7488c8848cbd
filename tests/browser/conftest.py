"""One theatre for all browser tests: the bot and Chromium start once."""

from __future__ import annotations

import pytest_asyncio

from tests.browser.stage import theatre


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house(tmp_path_factory):
    async with theatre(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(house):
    """`async with open_page(at, width=…) as page`; the test fails when a page complained."""
    house.complaints.clear()
    yield house.page
    assert house.complaints == []

"""One theatre for each module of browser tests. It ends with its module: the durable engine of its bot is the only one
that a process can have, and the tests after it open their own."""

from __future__ import annotations

import pytest_asyncio

from tests.browser.stage import theatre


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory):
    async with theatre(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def open_page(house):
    """`async with open_page(at, width=…) as page`; the test fails when a page complained."""
    house.complaints.clear()
    yield house.page
    assert house.complaints == []

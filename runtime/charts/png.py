"""The PNG of a chart: drawn in a thread, one at a time, without network, by a library that is loaded when needed."""

from __future__ import annotations

import asyncio

from runtime.charts.model import Chart
from runtime.charts.spec import spec
from runtime.charts.theme import SCALE, TALL, TALL_SCALE


class NotDrawn(Exception):
    """The drawing library refused the chart."""


class Painter:
    """Draws charts, one at a time: the library has one engine inside, and two at once are slower than in turn."""

    def __init__(self) -> None:
        self._one = asyncio.Semaphore(1)

    async def png(self, chart: Chart) -> bytes:
        """A PNG of 1,440 pixels' width on white, 1,080 when it is tall. The first one takes a second more. Raises
        NotDrawn."""
        async with self._one:
            return await asyncio.to_thread(draw, chart)


def draw(chart: Chart) -> bytes:
    """The PNG, in this thread. Raises NotDrawn."""
    import vl_convert  # 0.5 to 1.5 s at its first drawing: only a run with a chart pays them

    drawing = spec(chart)
    scale = TALL_SCALE if drawing["height"] > TALL else SCALE
    try:
        return vl_convert.vegalite_to_png(drawing, scale=scale, allowed_base_urls=[], show_warnings=False)
    except ValueError as error:
        raise NotDrawn(str(error)[:200]) from error

"""Kill -9 of the whole bot: each question is answered once, and no result stands under another call.

FOOTNOTE_KILLS sets how often (10 without it; `make soak` takes 50), FOOTNOTE_KILL_SEED repeats a run's choices.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.acceptance.drill.drill import drill_at
from tests.acceptance.drill.verdict import report, verdict
from tests.kill_seed import kill_seed

KILLS = int(os.environ.get("FOOTNOTE_KILLS", "10"))
SEED = kill_seed()


# Two drills, each with half of the kills and a workspace of its own, so that they can run side by side.
DRILLS = 2


@pytest.mark.parametrize("part", range(DRILLS))
@pytest.mark.timeout(600 + 60 * KILLS)
async def test_killed_at_random_moments_every_question_is_answered_once(tmp_path: Path, part: int) -> None:
    kills = len(range(part, KILLS, DRILLS))
    print(f"seed {SEED}, part {part + 1} of {DRILLS}, {kills} kills")
    begun = time.monotonic()
    async with drill_at(tmp_path, SEED + part) as drill:
        await drill.run(kills)
        print(report(drill, time.monotonic() - begun))
        await verdict(drill)

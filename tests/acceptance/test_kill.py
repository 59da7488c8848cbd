"""Kill -9 of the whole bot: each question is answered once, and no result stands under another call.

FOOTNOTE_KILLS sets how often (10 without it; `make soak` takes 50), FOOTNOTE_KILL_SEED repeats a run's choices.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from tests.acceptance.drill.drill import drill_at
from tests.acceptance.drill.verdict import report, verdict

KILLS = int(os.environ.get("FOOTNOTE_KILLS", "10"))
SEED = int(os.environ.get("FOOTNOTE_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 2**31)


@pytest.mark.timeout(300 + 60 * KILLS)
async def test_killed_at_random_moments_every_question_is_answered_once(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    begun = time.monotonic()
    async with drill_at(tmp_path, SEED) as drill:
        await drill.run(KILLS)
        print(report(drill, time.monotonic() - begun))
        await verdict(drill)

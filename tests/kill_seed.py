"""What decides where the tests that kill do so: the same choices in every run, other ones in each soak."""

import os
import random


def kill_seed() -> int:
    """FOOTNOTE_KILL_SEED where it is set; drawn where FOOTNOTE_KILLS asks for a number of kills, as `make soak` does;
    else always the same."""
    if given := int(os.environ.get("FOOTNOTE_KILL_SEED", "0")):
        return given
    return random.SystemRandom().randrange(1, 2**31) if "FOOTNOTE_KILLS" in os.environ else 1

"""The worker process of a SQLite source."""

from __future__ import annotations

import os
import sys
from typing import Any

from runtime.engines.worker.serving import Answers, serve


def _answering(settings: dict[str, Any]) -> Answers:
    os.environ["SQLITE_TMPDIR"] = settings["temp_folder"]  # sorts that do not fit in memory are spilled there
    from runtime.engines.sqlite.answering import Answering  # SQLite is loaded under the limits

    return Answering(memory_bytes=settings["memory_bytes"])


if __name__ == "__main__":
    sys.exit(serve(_answering))

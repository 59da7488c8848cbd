"""The worker process of the workspace: DuckDB behind the envelope that every worker has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from runtime.engines.worker.serving import Answers, serve


def _answering(settings: dict[str, Any]) -> Answers:
    from runtime.engines.workspace.worker.answering import Answering  # DuckDB is loaded under the limits

    return Answering(
        memory_bytes=settings["memory_bytes"],
        temp_bytes=settings["temp_bytes"],
        temp_folder=Path(settings["temp_folder"]),
    )


if __name__ == "__main__":
    sys.exit(serve(_answering))

"""The desk and the makers of files of the unit tests, whose folders are no packages."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any


def _module(path: str) -> Any:
    spec = importlib.util.spec_from_file_location(path.replace("/", "_"), Path(__file__).parents[2] / f"{path}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Desk = _module("unit/toolboxes/conftest").Desk
made = _module("unit/ingest/documents")
written = _module("unit/ingest/spreadsheets/conftest").written

"""`footnote version`."""

from __future__ import annotations

import argparse
from importlib.metadata import version


def run(_: argparse.Namespace) -> int:
    """Prints the version."""
    print(f"footnote {version('footnote')}")
    return 0

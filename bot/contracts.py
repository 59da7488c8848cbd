"""The generated contracts under manifests/: `python -m bot.contracts` writes them anew; a test compares them."""

from __future__ import annotations

import json
from pathlib import Path

from bot.slack_manifest import slack_manifest
from runtime.admission import manifest_schema
from runtime.registry import Registry, contract_document

FOLDER = Path(__file__).parents[1] / "manifests"


def documents() -> dict[str, str]:
    """The text of each generated file, by name."""
    return {
        "capabilities.json": contract_document(Registry.of()),
        "admission.schema.json": json.dumps(manifest_schema(), indent=2) + "\n",
        "slack.json": json.dumps(slack_manifest(), indent=2) + "\n",
    }


def main() -> None:
    """Writes all of them."""
    for name, text in documents().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"wrote manifests/{name}")


if __name__ == "__main__":
    main()

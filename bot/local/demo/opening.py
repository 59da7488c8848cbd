"""Which manifest the demo opens: the one in `manifests/`, or, where no PostgreSQL is, that one without the CRM."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import yaml

from bot.local.demo.data import DATABASE, FILES

MANIFEST = Path(__file__).parents[3] / "manifests" / "demo.yaml"
CRM = "crm"
MANIFEST_WITHOUT_CRM = "manifest.yaml"  # beside the data


def data_folder(manifest: Path = MANIFEST) -> Path:
    """The folder in which the manifest's workspace and database lie."""
    return (manifest.parent / _body(manifest)["workspace"]["root"]).resolve().parent


def write_manifest_without_crm(folder: Path, manifest: Path = MANIFEST) -> Path:
    """Writes `manifest.yaml` beside the data in `folder`: the demo's manifest without its PostgreSQL source."""
    body = _body(manifest)
    body["workspace"]["root"] = f"./{FILES}"
    body["sources"] = [source for source in body["sources"] if source["id"] != CRM]
    for source in body["sources"]:
        source["path"] = f"./{DATABASE}"
    path = folder / MANIFEST_WITHOUT_CRM
    path.write_text(yaml.safe_dump(body, sort_keys=False), encoding="utf-8")
    return path


def _body(manifest: Path) -> dict[str, Any]:
    return cast(dict[str, Any], yaml.safe_load(manifest.read_text(encoding="utf-8")))

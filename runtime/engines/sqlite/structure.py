"""A SQLite file's schema as the catalog's structure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from runtime.catalog import CatalogColumn, CatalogTable, ForeignKey, Structure, TableKind

DIALECT = "sqlite"
SCHEMA = "main"


def structure_of(source: str, body: Mapping[str, Any]) -> Structure:
    """The structure in what introspection gave. Its revision is a digest of the schema's content, so that a copy of
    the file has the same one."""
    tables = [_table(item) for item in body["tables"]]
    content = [{key: value for key, value in item.items() if key not in ("rows", "indexed")} for item in body["tables"]]
    digest = hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
    return Structure(source, DIALECT, tuple(sorted(tables, key=lambda table: table.id)), f"sha256:{digest}")


def _table(item: Mapping[str, Any]) -> CatalogTable:
    name = str(item["name"])
    return CatalogTable(
        id=name,
        schema=SCHEMA,
        name=name,
        kind=TableKind(item["kind"]),
        columns=tuple(
            CatalogColumn(column["name"], column["type"], column["nullable"], generated=column["generated"])
            for column in item["columns"]
        ),
        primary_key=tuple(item["primary_key"]),
        unique=tuple(tuple(key) for key in item["unique"]),
        foreign_keys=tuple(
            ForeignKey(
                f"{name}_{'_'.join(key['columns'])}_fkey",
                tuple(key["columns"]),
                key["table"],
                tuple(key["references"]),
            )
            for key in item["foreign_keys"]
        ),
        rows_estimate=item.get("rows"),
        reads=tuple(item.get("reads", ())),
        indexed=tuple(tuple(columns) for columns in item.get("indexed", ())),
    )

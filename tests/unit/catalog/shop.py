"""Two small sources: a shop in SQLite and a customer database in PostgreSQL."""

from __future__ import annotations

from runtime.catalog import CatalogColumn, CatalogTable, ForeignKey, Structure, TableKind


def _columns(text: str) -> tuple[CatalogColumn, ...]:
    pairs = (part.split(":") for part in text.split())
    return tuple(CatalogColumn(name, kind, nullable=name != "id") for name, kind in pairs)


def table(name: str, columns: str, *keys: tuple[str, str], schema: str = "", **more: object) -> CatalogTable:
    """A table with the primary key `id`, and keys from a column to another table's `id`."""
    ident = f"{schema}.{name}" if schema else name
    foreign = tuple(ForeignKey("", (column,), target, ("id",)) for column, target in keys)
    settings: dict[str, object] = {"kind": TableKind.TABLE, "primary_key": ("id",), "foreign_keys": foreign, **more}
    return CatalogTable(ident, schema, name, columns=_columns(columns), **settings)  # type: ignore[arg-type]


SHOP = Structure(
    "shop",
    "sqlite",
    (
        table(
            "Order Items",
            "id:INTEGER order_id:INTEGER product_id:INTEGER qty:INTEGER",
            ("order_id", "orders"),
            ("product_id", "products"),
        ),
        table(
            "customers",
            "id:INTEGER name:TEXT email:TEXT region_id:INTEGER",
            ("region_id", "regions"),
            rows_estimate=120,
            comment="Who buys.",
        ),
        table(
            "orders",
            "id:INTEGER customer_id:INTEGER ordered_at:TEXT total:REAL",
            ("customer_id", "customers"),
            rows_estimate=900,
        ),
        table("products", "id:INTEGER name:TEXT price:REAL group:TEXT"),
        table("refunds", "id:INTEGER order_id:INTEGER amount:REAL", ("order_id", "orders")),
        table("regions", "id:INTEGER name:TEXT"),
        table("settings", "id:INTEGER value:TEXT"),
    ),
    "s1",
)

CRM = Structure(
    "crm",
    "postgres",
    (
        table("customers", "id:integer name:text email:text tier:text", schema="public"),
        table(
            "tickets",
            "id:integer customer_id:integer opened_at:timestamp",
            ("customer_id", "public.customers"),
            schema="public",
        ),
    ),
    "c1",
)

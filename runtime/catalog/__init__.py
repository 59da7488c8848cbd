"""What a database holds, as far as it is admitted: its tables, keys and the ways between them."""

from runtime.catalog.structure import CatalogColumn, CatalogTable, ClosedView, ForeignKey, Structure, TableKind

__all__ = ["CatalogColumn", "CatalogTable", "ClosedView", "ForeignKey", "Structure", "TableKind"]

"""Changes of a PostgreSQL source's data: previewed exactly, approved elsewhere, carried out at most once."""

from runtime.engines.postgresql.updates.engine import PostgresqlUpdates

__all__ = ["PostgresqlUpdates"]

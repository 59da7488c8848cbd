"""The PostgreSQL engine: one guarded statement in a read-only snapshot that is always rolled back."""

from runtime.engines.postgresql.engine import PostgresqlEngine
from runtime.engines.postgresql.rights import Rights

__all__ = ["PostgresqlEngine", "Rights"]

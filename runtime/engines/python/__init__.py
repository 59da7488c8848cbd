"""Python: programs in the sealed guest, with the run's own reads as their only way to data."""

from runtime.engines.python.engine import PythonEngine
from runtime.engines.python.inner_sql import InnerSql

__all__ = ["InnerSql", "PythonEngine"]

"""Python: programs in the sealed guest, with the run's own reads as their only way to data."""

from runtime.engines.python.engine import PythonEngine
from runtime.engines.python.opening import describe_python, open_python

__all__ = ["PythonEngine", "describe_python", "open_python"]

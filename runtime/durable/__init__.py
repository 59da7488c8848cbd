"""Durable turns: work that survives a crash, on DBOS Transact behind a small surface. Importing this is cheap."""

from runtime.durable.lease import Lease
from runtime.durable.steps import DirectSteps, StepFailed, Steps
from runtime.durable.turns import Cancelled, Durable, engine_url

__all__ = ["Cancelled", "DirectSteps", "Durable", "Lease", "StepFailed", "Steps", "engine_url"]

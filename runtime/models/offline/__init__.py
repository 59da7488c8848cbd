"""The offline analyst: a deterministic, rule-based reader of questions over tables, behind the model port."""

from runtime.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]

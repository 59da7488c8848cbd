"""Verification: deterministic checks of an answer against its evidence, after the answer."""

from runtime.verification.figures import check_figures
from runtime.verification.report import Verification

__all__ = ["Verification", "check_figures"]

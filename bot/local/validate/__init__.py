"""Judges payloads by Slack's published and measured limits, independently of the renderer's own table."""

from __future__ import annotations

from .message import check_message
from .problem import Problem
from .view import check_view, validate_payload

__all__ = ["Problem", "check_message", "check_view", "validate_payload"]

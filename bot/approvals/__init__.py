"""Approvals in Slack: the card, those who may press its buttons, and what everyone is told."""

from bot.approvals.board import Board
from bot.approvals.pressers import Pressers
from bot.approvals.presses import Press, Presses

__all__ = ["Board", "Press", "Pressers", "Presses"]

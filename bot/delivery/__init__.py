"""Delivery: what the outbox holds becomes messages and files in Slack, and the status line says what is going on."""

from bot.delivery.payload import deliveries_of, update_of
from bot.delivery.sender import SlackSender
from bot.delivery.status_board import StatusBoard

__all__ = ["SlackSender", "StatusBoard", "deliveries_of", "update_of"]

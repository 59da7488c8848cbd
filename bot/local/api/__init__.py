"""The Web API's methods: one module per family, each with a table `METHODS` of name → Method."""

from __future__ import annotations

from . import assistant, chat, conversations, files, people, session, streams, views
from .method import Method

#: Every method the server speaks.
METHODS: dict[str, Method] = {
    **session.METHODS,
    **chat.METHODS,
    **streams.METHODS,
    **assistant.METHODS,
    **conversations.METHODS,
    **people.METHODS,
    **files.METHODS,
    **views.METHODS,
}

__all__ = ["METHODS", "Method"]

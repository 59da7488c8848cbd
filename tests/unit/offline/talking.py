"""A thread of several questions, each asked with those before it and their answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from runtime.models.port import Message, ModelMessage, UserMessage


def talking(converse: Callable[..., Awaitable[str]]) -> Callable[..., Awaitable[str]]:
    """`talk(data, *questions)`: the last answer of a thread, each of which `converse` gives."""

    async def talk(data: Any, *questions: str) -> str:
        history: list[Message] = []
        text = ""
        for question in questions:
            text = await converse(data, question, history=tuple(history))
            history += [UserMessage(question), ModelMessage(text)]
        return text

    return talk

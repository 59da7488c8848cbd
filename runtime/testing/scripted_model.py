"""A model that follows a script, behind the real port."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.errors import ModelError
from runtime.models.port import ModelRequest, ModelStep, Stop, ToolCall, Usage

Script = Sequence[ModelStep | ModelError] | Callable[[ModelRequest], ModelStep]


class ScriptedModel:
    """Gives the script's steps in order; `requests` are what it was asked. An error in the script is raised."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        """The name people see."""
        return "scripted"

    async def warm_up(self) -> None:
        """Nothing to wait for."""

    async def step(self, request: ModelRequest) -> ModelStep:
        """The next step of the script."""
        self.requests.append(request)
        if callable(self._script):
            return self._script(request)
        step = self._script[len(self.requests) - 1]
        if isinstance(step, ModelError):
            raise step
        return step

    async def close(self) -> None:
        """Nothing to let go of."""


def says(text: str, *, stop: Stop = Stop.END, usage: Usage | None = None) -> ModelStep:
    """A step of words."""
    return ModelStep(text, stop, usage=usage or Usage(10, 5), model="scripted")


def asks(
    *calls: tuple[str, dict[str, Any]], text: str = "", prefix: str = "c", usage: Usage | None = None
) -> ModelStep:
    """A step of calls, with ids `c0`, `c1`, …"""
    made = tuple(ToolCall(f"{prefix}{index}", tool, arguments) for index, (tool, arguments) in enumerate(calls))
    return ModelStep(text, Stop.TOOL_USE, calls=made, usage=usage or Usage(10, 5), model="scripted")

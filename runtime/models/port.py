"""The model port: one request in, one step out. Adapters translate; nothing else knows a provider's wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from runtime.evidence import Json


class Stop(StrEnum):
    """Why a step ended."""

    END = "end"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    PAUSE = "pause"
    CONTEXT_FULL = "context_full"


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as the model sees it. `deferred` tools are on demand: known to the run, not yet shown to the model."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asked for. `id` is the provider's, unique in the run."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave back: the bounded envelope as text, and the names of tools that it loaded."""

    call_id: str
    text: str
    is_error: bool = False
    loaded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money of one or more steps."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.usd + other.usd,
        )


@dataclass(frozen=True, slots=True)
class UserMessage:
    """Text from the person (or the run itself, such as the last word about a budget)."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """What the model said in an earlier step. `opaque` are the provider's own content blocks, echoed unchanged."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    opaque: tuple[Mapping[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class ResultsMessage:
    """The results of the calls of the message before, in call order. `text` is what the run adds after them."""

    results: tuple[ToolResult, ...]
    text: str = ""


Message = UserMessage | ModelMessage | ResultsMessage


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One step's whole input. `instructions` and `tools` are byte-stable within a run, so that they can be cached;
    `context` (today's date, who asks) follows them. With `tools_allowed` False the model must answer in words."""

    instructions: str
    context: str
    tools: tuple[ToolDefinition, ...]
    messages: tuple[Message, ...]
    loaded: frozenset[str] = frozenset()
    tools_allowed: bool = True
    max_output_tokens: int = 8_192


@dataclass(frozen=True, slots=True)
class ModelStep:
    """One step's whole output."""

    text: str
    stop: Stop
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    opaque: tuple[Mapping[str, Json], ...] = ()
    model: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, the inverse of `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> ModelStep:
        """A step from what `as_json` gave."""
        return cls(
            text=body["text"],
            stop=Stop(body["stop"]),
            calls=tuple(ToolCall(**call) for call in body["calls"]),
            usage=Usage(**body["usage"]),
            opaque=tuple(body["opaque"]),
            model=body["model"],
        )


class Model(Protocol):
    """A model. Cancelling the task ends the request at once."""

    @property
    def name(self) -> str:
        """The name people see."""
        ...

    async def warm_up(self) -> None:
        """Does what the first step would else wait for: nothing that costs, and harmless when repeated or left out."""
        ...

    async def step(self, request: ModelRequest) -> ModelStep:
        """One step. Raises ModelUnavailable, ModelRejected or ModelGarbled."""
        ...

    async def close(self) -> None:
        """Lets go of connections."""
        ...

"""The frozen contract of a tool: its schemas as the model and the registry file see them, compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator

from runtime.capability import ArgumentCheck, Arguments, Capability


@dataclass(frozen=True, slots=True)
class Contract:
    """Input and output schema (JSON Schema 2020-12) and their compiled validators."""

    input_schema: Mapping[str, Any]
    input_validator: ArgumentCheck
    output_validator: Validator

    @staticmethod
    def of(capability: Capability[Any]) -> Contract:
        """The contract of a capability; compiled once for each."""
        return _compiled(capability)


@lru_cache(maxsize=256)
def _compiled(capability: Capability[Any]) -> Contract:
    Draft202012Validator.check_schema(capability.output_schema)
    schema, check = _input(capability)
    return Contract(
        input_schema=schema,
        input_validator=check,
        output_validator=Draft202012Validator(capability.output_schema),
    )


def _input(capability: Capability[Any]) -> tuple[Mapping[str, Any], ArgumentCheck]:
    if capability.remote is not None:
        return capability.remote.input_schema(), capability.remote.check()
    schema = input_schema(capability.arguments, capability.example)
    Draft202012Validator.check_schema(schema)
    return schema, Draft202012Validator(schema)


def input_schema(arguments: type[Arguments], example: Mapping[str, Any]) -> dict[str, Any]:
    """The model's JSON Schema without generated titles, closed to further properties, with one example call."""
    schema = cast(dict[str, Any], _without_titles(arguments.model_json_schema()))
    schema.pop("description", None)
    schema["additionalProperties"] = False
    schema["examples"] = [dict(example)]
    return schema


def _without_titles(node: Any, *, named: bool = False) -> Any:
    """Drops pydantic's generated `title` keywords, but keeps a property that is called title."""
    if isinstance(node, dict):
        items = cast(dict[str, Any], node).items()
        return {
            key: _without_titles(value, named=key in ("properties", "$defs"))
            for key, value in items
            if named or key != "title"
        }
    if isinstance(node, list):
        return [_without_titles(item) for item in cast(list[Any], node)]
    return node

"""Stage 2: do the arguments fit the schema and the typed model?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from jsonschema import ValidationError as SchemaError
from pydantic import ValidationError as ModelError
from rapidfuzz import process

from runtime.boundary.call import InFlight
from runtime.boundary.contract import Contract
from runtime.errors import CallError

_ERRORS_SHOWN = 3
_RAISED = "Value error, "  # what pydantic puts before the words of our own checks


async def arguments(flight: InFlight) -> InFlight:
    """Cuts what may be cut to its bound (and notes it), then checks the schema, then builds the typed arguments.
    Raises `invalid_arguments` naming the argument, what is wrong and the bound."""
    capability = flight.registered
    contract = Contract.of(capability)
    raw, notes = _capped(_whole(flight.call.input, contract.input_schema), capability.caps)
    found = sorted(contract.input_validator.iter_errors(raw), key=lambda error: list(map(str, error.absolute_path)))
    if found:
        raise _invalid([_explain(error) for error in found])
    try:
        typed = capability.arguments.model_validate_json(json.dumps(raw))
    except ModelError as error:
        raise _invalid(
            [f"{_where(item['loc'])}: {item['msg'].removeprefix(_RAISED)}" for item in error.errors()]
        ) from error
    return replace(flight, arguments=typed, notes=flight.notes + notes)


def _whole(raw: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with 40.0 as 40 where a whole number is asked for: to JSON Schema they are the same."""
    whole = {name for name, each in schema.get("properties", {}).items() if _takes_whole(each)}
    return {
        name: int(value) if name in whole and isinstance(value, float) and value.is_integer() else value
        for name, value in raw.items()
    }


def _takes_whole(schema: Mapping[str, Any]) -> bool:
    return any(each.get("type") == "integer" for each in (schema, *schema.get("anyOf", ())))


def _capped(raw: Mapping[str, Any], caps: Mapping[str, int]) -> tuple[dict[str, Any], tuple[str, ...]]:
    values, notes = dict(raw), list[str]()
    for name, bound in caps.items():
        asked = values.get(name)
        if isinstance(asked, int) and not isinstance(asked, bool) and asked > bound:
            values[name] = bound
            notes.append(f"{name} was cut from {asked} to its bound {bound}.")
    return values, tuple(notes)


def _invalid(problems: list[str]) -> CallError:
    shown = "; ".join(problems[:_ERRORS_SHOWN])
    more = len(problems) - _ERRORS_SHOWN
    return CallError(
        "invalid_arguments",
        shown + (f"; and {more} more" if more > 0 else ""),
        hint="Send the call again with these arguments mended.",
        retryable=True,
    )


def _explain(error: SchemaError) -> str:
    where = _where(error.absolute_path)
    if error.validator == "additionalProperties":
        return _unknown(error)
    if error.validator == "required":
        return error.message.replace(" is a required property", " is required")
    bound = f"is outside its bound {error.validator} {error.validator_value}"
    if error.validator in ("maxLength", "maxItems", "minLength", "minItems"):
        return f"{where}: length {len(cast(Any, error.instance))} {bound}"
    if error.validator in ("maximum", "minimum", "exclusiveMinimum", "exclusiveMaximum"):
        return f"{where}: {error.instance} {bound}"
    if error.validator == "enum":
        known = ", ".join(map(_short, cast(list[Any], error.validator_value)))
        return f"{where}: {_short(error.instance)} is not one of {known}"
    if error.validator == "type":
        return f"{where}: {_short(error.instance)} is not of type {error.validator_value}"
    if error.validator == "anyOf" and error.context:
        closer = [inner for inner in error.context if inner.validator != "type"]
        if closer or len(error.context) == 1:
            return _explain((closer or error.context)[0])
        types = " or ".join(str(inner.validator_value) for inner in error.context)
        return f"{where}: {_short(error.instance)} is not of type {types}"
    return f"{where}: {error.message[:200]}"


def _unknown(error: SchemaError) -> str:
    known = sorted(cast(Mapping[str, Any], cast(Mapping[str, Any], error.schema).get("properties", {})))
    extra = [name for name in cast(Mapping[str, Any], error.instance) if name not in known]
    parts = list[str]()
    for name in extra:
        near = process.extractOne(name, known, score_cutoff=60)
        parts.append(f"unknown argument {_short(name)}" + (f" (did you mean {near[0]}?)" if near else ""))
    return "; ".join(parts) + f"; known are {', '.join(known)}"


def _where(path: Iterable[int | str]) -> str:
    return ".".join(map(str, path)) or "arguments"


def _short(value: Any) -> str:
    """A value as the call had it: in JSON, but for a text in plain quotes."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"

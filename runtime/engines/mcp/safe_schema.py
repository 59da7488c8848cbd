"""A foreign JSON Schema as one that can be shown and checked in bounded time, or the reason why it can't.

References are written out, so that the number of nodes bounds the work; patterns are RE2's; what would need more is
refused, and what only annotates is dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

import re2  # pyright: ignore[reportMissingTypeStubs]
from jsonschema import Draft202012Validator, FormatChecker, SchemaError, ValidationError, validators

from runtime.limits import Limits

_RE2: Any = re2  # the package has no type information
_ONE = frozenset({"additionalProperties", "items", "contains", "not", "propertyNames"})
_SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_PLAIN = frozenset(
    "type enum const required format default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength "
    "maxLength minItems maxItems uniqueItems minContains maxContains minProperties maxProperties dependentRequired "
    "pattern".split()
)
_REFUSED = frozenset(
    "$dynamicRef $recursiveRef $dynamicAnchor $anchor $id patternProperties if then else dependentSchemas "
    "unevaluatedProperties unevaluatedItems".split()
)
_COMBINED = frozenset({"allOf", "anyOf", "oneOf", "not"})  # model endpoints take them below the root only
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what model endpoints take
_LONGEST_INTEGER = 2**64
_DROPPED = object()


class SchemaRefused(Exception):
    """The schema can't be used; the message says why in our own words."""


def safe_schema(foreign: object, limits: Limits) -> dict[str, Any]:
    """A closed object schema without references, of bounded size. Raises SchemaRefused."""
    copied = _Copy(foreign, limits).whole()
    schema = cast(dict[str, Any], copied) if isinstance(copied, dict) else {}
    if schema.get("type") != "object" or not _COMBINED.isdisjoint(schema):
        raise SchemaRefused("its arguments are no plain object")
    if len(json.dumps(schema)) > limits.mcp_schema_bytes:
        raise SchemaRefused(f"its schema is larger than {limits.mcp_schema_bytes:,} bytes")
    try:
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        raise SchemaRefused("its schema is no valid JSON Schema") from error
    return schema


class _Copy:
    """One pass over a schema that is written out into a new one."""

    def __init__(self, root: object, limits: Limits) -> None:
        self.root, self.limits, self.nodes = root, limits, 0

    def whole(self) -> Any:
        return self.schema(self.root, 0, ())

    def schema(self, node: object, depth: int, trail: tuple[str, ...]) -> Any:
        self.nodes += 1
        if self.nodes > self.limits.mcp_schema_nodes or depth > self.limits.mcp_schema_depth:
            raise SchemaRefused(
                f"its schema has more than {self.limits.mcp_schema_nodes:,} parts or is nested deeper than "
                f"{self.limits.mcp_schema_depth}"
            )
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            raise SchemaRefused("its schema is no valid JSON Schema")
        members = cast(dict[str, Any], node)
        if refused := sorted(_REFUSED & members.keys()):
            raise SchemaRefused(f"its schema uses {refused[0]}, which is not checked here")
        copied = {key: self.member(key, value, depth, trail) for key, value in members.items() if key != "$ref"}
        copied = {key: value for key, value in copied.items() if value is not _DROPPED}
        return self.written_out(members["$ref"], copied, depth, trail) if "$ref" in members else copied

    def member(self, key: str, value: Any, depth: int, trail: tuple[str, ...]) -> Any:
        """The member of the copy; `_DROPPED` for one that only annotates."""
        if key == "description" and isinstance(value, str):
            return plain(value, self.limits.mcp_description_chars)
        if key == "pattern":
            _require_pattern(value, self.limits)
        if key in _PLAIN:
            return value
        if key in _ONE:
            return self.schema(value, depth + 1, trail)
        if key in _SEVERAL and isinstance(value, list):
            return [self.schema(part, depth + 1, trail) for part in cast(list[Any], value)]
        if key == "properties" and isinstance(value, dict):
            parts = cast(dict[str, Any], value)
            if odd := [name for name in parts if not _NAME.fullmatch(name)]:
                raise SchemaRefused(f"an argument's name is not made of plain letters: {plain(odd[0], 40)!r}")
            return {name: self.schema(part, depth + 1, trail) for name, part in parts.items()}
        if key in _SEVERAL or key == "properties":
            raise SchemaRefused("its schema is no valid JSON Schema")
        return _DROPPED

    def written_out(
        self, reference: object, beside: dict[str, Any], depth: int, trail: tuple[str, ...]
    ) -> dict[str, Any]:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise SchemaRefused("its schema refers to another document")
        if reference in trail:
            raise SchemaRefused("its schema refers to itself")
        target: Any = self.schema(self.at(reference), depth + 1, (*trail, reference))
        if isinstance(target, dict) and beside.keys() <= {"description", "default"}:
            return {**cast(dict[str, Any], target), **beside}
        return {**beside, "allOf": [*cast(list[Any], beside.get("allOf", [])), target]}

    def at(self, reference: str) -> object:
        """What a pointer inside the document means."""
        node: Any = self.root
        for part in reference[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, dict) or name not in node:
                raise SchemaRefused("its schema refers to what isn't there")
            node = cast(dict[str, Any], node)[name]
        return node


def plain(text: str, most: int) -> str:
    """A foreign text on one line, within its bound, without characters that can't be seen."""
    seen = "".join(char if char.isprintable() else " " for char in text[: 4 * most])
    line = " ".join(seen.split())
    return line if len(line) <= most else line[: most - 1] + "…"


class BoundedCheck:
    """Checks arguments against a safe schema, in at most `mcp_check_steps` pairs of a schema's and a value's parts."""

    def __init__(self, schema: Mapping[str, Any], limits: Limits) -> None:
        self._compiled: Any = _VALIDATOR(schema)
        self._parts = sum(1 for _ in _walk(schema))
        self._most = limits.mcp_check_steps

    def iter_errors(self, instance: Any, /) -> Iterable[ValidationError]:
        """The faults. Arguments that are too large to be checked are one."""
        values = list(_walk(instance))
        if len(values) * self._parts > self._most:
            return [ValidationError("the arguments are too large to be checked; send fewer or smaller values")]
        if any(isinstance(value, int) and abs(value) > _LONGEST_INTEGER for value in values):
            return [ValidationError("an integer is larger than 2^64")]
        return self._compiled.iter_errors(instance)


def _walk(value: Any) -> Iterator[Any]:
    """A JSON value and all values in it."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Mapping):
            waiting.extend(cast(Mapping[str, Any], node).values())
        elif isinstance(node, list):
            waiting.extend(cast(list[Any], node))


def _require_pattern(pattern: object, limits: Limits) -> None:
    if not isinstance(pattern, str) or len(pattern) > limits.mcp_pattern_chars:
        raise SchemaRefused(f"its schema has a pattern longer than {limits.mcp_pattern_chars} characters")
    try:
        _regex(pattern)
    except _RE2.error as error:
        raise SchemaRefused("its schema has a pattern that RE2 can't take") from error


@lru_cache(maxsize=512)
def _regex(pattern: str) -> Any:
    options = _RE2.Options()
    options.log_errors = False
    return _RE2.compile(pattern, options)


def _pattern(_: Any, pattern: str, instance: object, __: object) -> Generator[ValidationError]:
    if isinstance(instance, str) and not _regex(pattern).search(instance):
        yield ValidationError(f"does not match the pattern {pattern}")


def _unique(_: Any, wanted: bool, instance: object, __: object) -> Generator[ValidationError]:
    if wanted and isinstance(instance, list):
        items = [json.dumps(item, sort_keys=True) for item in cast(list[Any], instance)]
        if len(set(items)) != len(items):
            yield ValidationError("has a value more than once")


_VALIDATOR: Any = cast(Any, validators).extend(Draft202012Validator, {"pattern": _pattern, "uniqueItems": _unique})

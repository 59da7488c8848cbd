"""The admission manifest: what an operator declares, checked key by key (DESIGN 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.config import JsonDict
from rapidfuzz import process

from runtime.admission.audience import Audience, ChannelId, GroupId, UserId
from runtime.admission.mapping import UniqueKeys
from runtime.capability import ApproverRule, EffectKind
from runtime.environment import named_value
from runtime.errors import ConfigurationError
from runtime.limits import DEFAULT, FLOORS, Limits, limit_names

SourceId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,62}$")]
EnvironmentReference = Annotated[str, StringConstraints(pattern=r"^\$\{[A-Z][A-Z0-9_]*\}$")]
Duration = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,4}[smhd]$")]
RemoteToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,59}$")]
SchemaDigest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]

_PROBLEMS_SHOWN = 20
_TOOL_NAME_CHARS = 64  # what model endpoints take
# What a text that has not the shape of its key should have been, by the key; of the others the shape itself is told.
_WANTED = {
    "channels": 'is no channel\'s id, such as C0SALES, nor "*"; names are not taken',
    "users": "is no person's id, such as U0ANN; names are not taken",
    "groups": "is no user group's id, such as S0APPR; names are not taken",
    "id": "is no id, such as crm: a small letter first, then small letters, digits, - and _, 63 at most",
    "alias": "is no alias, such as tickets: a small letter first, then small letters, digits and _, 31 at most",
    "expires": "is no time, such as 10m: a whole number with s, m, h or d behind it",
    "tools": "is no digest, such as sha256: with 64 digits from 0 to f behind it; `footnote check` prints it",
    "tools[key]": "is no name of a remote tool, such as search_issues: letters, digits, - and _, 59 at most",
}
# What a value of another kind should have been, by pydantic's name for the fault.
_KINDS = {
    "tuple_type": "should be a list, such as [first, second]",
    "dict_type": "should be a mapping of keys to values",
    "model_type": "should be a mapping of keys to values",
    "model_attributes_type": "should be a mapping of keys to values",
    "union_tag_not_found": "lacks its kind: sqlite, postgresql or mcp",
    "union_tag_invalid": "its kind should be sqlite, postgresql or mcp",
    "too_short": "should have an entry",
}
_REFERENCE = "write a reference to the environment, such as ${CRM_READ_URL}, and never the value itself"
_MCP_ADDRESS = (
    "write an address, such as https://mcp.example.com/mcp, without user or password; http:// is for this machine alone"
)
_PORT = r"(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def _number(value: object) -> object:
    """The value, a whole one such as 5.0 as the number it is. `true` is no 1 here, as in JSON Schema."""
    if isinstance(value, bool):
        raise ValueError("should be a number, not true or false")
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[StrictInt, Field(ge=1), BeforeValidator(_number)]
Days = Annotated[StrictInt, Field(ge=1, le=36_500), BeforeValidator(_number)]
LimitValue = Annotated[StrictInt, Field(le=2**53), BeforeValidator(_number)]  # that it is above 0 is said by its name
Dollars = Annotated[StrictFloat, Field(gt=0, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class People(_Part):
    """People by id, alone or through groups."""

    users: tuple[UserId, ...] = ()
    groups: tuple[GroupId, ...] = ()


class Workspace(_Part):
    """The folder of local files."""

    root: Annotated[str, Field(description="The folder, relative to the manifest.", min_length=1)]
    audience: Audience
    label: Literal["public", "internal", "confidential", "restricted"] = "internal"
    model_rows: Literal["none", "sample", "full"] = "full"


class _Source(_Part):
    id: Annotated[SourceId, Field(description="The name used in tools.")]
    label: Literal["public", "internal", "confidential", "restricted"] = "internal"
    model_rows: Literal["none", "sample", "full"] = "full"
    audience: Audience


class AllowDeny(_Part):
    """Name patterns of tables: what is admitted, minus what is denied."""

    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()


class ColumnRules(_Part):
    """Columns that nobody sees, and columns that the model never sees."""

    deny: tuple[str, ...] = ()
    mask: tuple[str, ...] = ()


class SqliteSource(_Source):
    """A SQLite file."""

    kind: Literal["sqlite"]
    path: Annotated[str, Field(description="The file, relative to the manifest.", min_length=1)]
    tables: AllowDeny = AllowDeny()
    columns: ColumnRules = ColumnRules()


class UpdateRule(_Part):
    """A table whose rows may be changed, by whom, and how many at once."""

    table: str
    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    trigger_columns: Annotated[
        tuple[str, ...], Field(description="Columns that the table's own triggers may change as well.")
    ] = ()
    max_rows: Whole = 100
    approvers: People
    self_approval: StrictBool = False
    approvals: Annotated[Literal[1, 2], BeforeValidator(_number)] = 1
    expires: Duration = "10m"

    def approver_rule(self) -> ApproverRule:
        """Who approves, as the boundary asks for it."""
        return ApproverRule(
            self.approvers.users,
            self.approvers.groups,
            self.self_approval,
            self.approvals,
            int(self.expires[:-1]) * _SECONDS[self.expires[-1]],
        )


_WITH_UPDATES: JsonDict = {"required": ["updates"], "properties": {"updates": {"type": "array", "minItems": 1}}}
_WITH_UPDATES_URL: JsonDict = {"required": ["updates_url"], "properties": {"updates_url": {"type": "string"}}}


class PostgresqlSource(_Source):
    """A PostgreSQL database. Addresses are references to the environment, never literal passwords."""

    model_config = ConfigDict(json_schema_extra={"if": _WITH_UPDATES, "then": _WITH_UPDATES_URL})

    kind: Literal["postgresql"]
    url: EnvironmentReference
    updates_url: EnvironmentReference | None = None
    schemas: tuple[str, ...] = ("public",)
    tables: AllowDeny = AllowDeny()
    columns: ColumnRules = ColumnRules()
    updates: tuple[UpdateRule, ...] = ()

    @model_validator(mode="after")
    def _own_role(self) -> PostgresqlSource:
        if self.updates and self.updates_url is None:
            raise ValueError("updates need an updates_url with a role of its own")
        tables = [rule.table for rule in self.updates]
        if twice := sorted({name for name in tables if tables.count(name) > 1}):
            raise ValueError(f"updates name a table twice: {', '.join(twice)}")
        return self


class McpSource(_Source):
    """A remote MCP server, with the tools admitted by name and pinned by a digest of server, description and schema."""

    kind: Literal["mcp"]
    url: Annotated[
        str,
        StringConstraints(
            pattern=r"^(https://([^\s/@?#:\[\]]+|\[[0-9A-Fa-f:.]+\])|http://(127\.0\.0\.1|localhost|\[::1\]))"
            rf"{_PORT}(/[^\s#]*)?$"
        ),
    ]
    alias: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,30}$")]
    token: Annotated[
        EnvironmentReference | None, Field(description="Sent to this address alone, as `Authorization: Bearer`.")
    ] = None
    tools: Mapping[RemoteToolName, SchemaDigest]

    @field_validator("tools")
    @classmethod
    def _short_names(cls, tools: Mapping[str, str], info: ValidationInfo) -> Mapping[str, str]:
        names = [f"mcp_{info.data.get('alias', '')}_{name}" for name in tools]
        if long := [name for name in names if len(name) > _TOOL_NAME_CHARS]:
            raise ValueError(f"{long[0]} is longer than {_TOOL_NAME_CHARS} characters; choose a shorter alias")
        return tools

    def tool_names(self) -> tuple[str, ...]:
        """The names of its tools as the model sees them."""
        return tuple(f"mcp_{self.alias}_{name}" for name in self.tools)


Source = Annotated[SqliteSource | PostgresqlSource | McpSource, Field(discriminator="kind")]


class EffectRule(_Part):
    """Who approves an effect."""

    approvers: People
    self_approval: StrictBool = False

    def approver_rule(self) -> ApproverRule:
        """Who approves, as the boundary asks for it."""
        return ApproverRule(self.approvers.users, self.approvers.groups, self.self_approval)


class Effects(_Part):
    """Who approves the effects that are not changes to a source's data."""

    knowledge: EffectRule | None = None
    routines: EffectRule | None = None
    delivery: EffectRule | None = None

    def approver_rule(self, kind: EffectKind) -> ApproverRule | None:
        """Who approves effects of this kind; None where the manifest names nobody. Changes of data have the rules of
        their tables."""
        named = {
            EffectKind.ADVISORY_CONTEXT: self.knowledge,
            EffectKind.MANAGE_ROUTINE: self.routines,
            EffectKind.DELIVERY: self.delivery,
            EffectKind.DELIVERY_CONFIGURATION: self.delivery,
        }.get(kind)
        return None if named is None else named.approver_rule()


class ChannelSettings(_Part):
    """Settings of one channel."""

    timezone: str | None = None
    follow_up: Literal["thread", "mention"] = "thread"
    budget_usd_day: Dollars | None = None

    @field_validator("timezone")
    @classmethod
    def _zone(cls, name: str | None) -> str | None:
        return name if name is None else checked_zone(name)


class Budgets(_Part):
    """Money caps in US dollars. None is no cap."""

    run_usd: Dollars | None = None
    person_usd_day: Dollars | None = None
    channel_usd_day: Dollars | None = None


class SlackFiles(_Part):
    """Files shared with a question."""

    max_mib: Whole = 100
    keep_days: Days = 30


class Retention(_Part):
    """How long things are to be kept, in days. Read, not applied yet: nothing is removed by its age."""

    conversations_days: Days = 365
    artifacts_days: Days = 90


class ExportDestination(_Part):
    """A folder that artifacts may be saved to."""

    id: SourceId
    dir: str
    mode: Literal["persistent", "once"] = "persistent"


class Exports(_Part):
    """Local export destinations. Read, not used yet."""

    destinations: tuple[ExportDestination, ...] = ()


class Manifest(_Part):
    """What is open to whom. Unknown keys are errors."""

    version: Annotated[Literal[1], BeforeValidator(_number)]
    timezone: Annotated[str, Field(description="IANA zone for dates in answers.")] = "UTC"
    operators: People = People()
    workspace: Workspace | None = None
    sources: tuple[Source, ...] = ()
    effects: Effects = Effects()
    channels: Mapping[ChannelId, ChannelSettings] = Field(default_factory=dict[str, ChannelSettings])
    budgets: Budgets = Budgets()
    slack_files: SlackFiles = SlackFiles()
    retention: Retention = Retention()
    exports: Exports = Exports()
    limits: Mapping[str, LimitValue] = Field(
        default_factory=dict[str, int], json_schema_extra={"propertyNames": {"enum": [*sorted(limit_names())]}}
    )

    @field_validator("timezone")
    @classmethod
    def _zone(cls, name: str) -> str:
        return checked_zone(name)

    @model_validator(mode="after")
    def _distinct(self) -> Manifest:
        ids = [source.id for source in self.sources] + (["workspace"] if self.workspace else [])
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"source ids must be distinct: {', '.join(twice)}")
        tools = [name for source in self.sources if isinstance(source, McpSource) for name in source.tool_names()]
        if repeated := sorted({name for name in tools if tools.count(name) > 1}):
            raise ValueError(f"two remote tools would have one name: {', '.join(repeated)}")
        return self

    def effective_limits(self) -> Limits:
        """The limits in force: the defaults with this manifest's overrides. Raises ConfigurationError."""
        return DEFAULT.override(self.limits)


def checked_zone(name: str) -> str:
    """The zone's name. Raises ValueError for a zone that the IANA data doesn't know."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name!r} is no IANA time zone, such as Europe/Berlin") from error
    return name


def load_manifest(path: Path) -> Manifest:
    """Reads and checks a manifest. Raises ConfigurationError that names the key, the problem and the nearest key."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The manifest {path} cannot be read: {error}") from error
    try:
        body = yaml.load(text, UniqueKeys)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"The manifest {path} is not YAML: {error}") from error
    except RecursionError as error:
        raise ConfigurationError(f"The manifest {path} is nested too deep.") from error
    if not isinstance(body, dict):
        raise ConfigurationError(f"The manifest {path} is not a mapping of keys; start with `version: 1`.")
    try:
        manifest = Manifest.model_validate(body)
    except ValidationError as error:
        raise ConfigurationError(f"The manifest {path} is refused:\n{_explain(error)}") from error
    manifest.effective_limits()
    _references_exist(manifest)
    return manifest


def manifest_schema() -> dict[str, Any]:
    """The published JSON Schema of the manifest. It refuses what the loader refuses, but for names of time zones, names
    that stand twice or are too long together, limits that do not fit one another, and references to variables that are
    not set."""
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Manifest.model_json_schema(),
    }
    for part in (schema, *schema["$defs"].values()):
        for mapping in part.get("properties", {}).values():
            if "patternProperties" in mapping:  # pydantic refuses other names, and forgets to say so
                mapping["additionalProperties"] = False
    limits = schema["properties"]["limits"]
    limits["additionalProperties"]["minimum"] = 1
    limits["properties"] = {
        name: {**limits["additionalProperties"], "minimum": least} for name, least in FLOORS.items()
    }
    return schema


def environment_value(reference: str) -> str | None:
    """The value behind a `${NAME}` reference. Raises ConfigurationError when the file at `NAME_FILE` cannot be read."""
    return named_value(reference.strip("${}"))


def _references_exist(manifest: Manifest) -> None:
    for source in manifest.sources:
        for reference in filter(None, _references(source)):
            if environment_value(reference) is None:
                raise ConfigurationError(f"sources.{source.id}: {reference} is not set in the environment.")


def _references(source: Source) -> tuple[str | None, ...]:
    if isinstance(source, PostgresqlSource):
        return (source.url, source.updates_url)
    return (source.token,) if isinstance(source, McpSource) else ()


def _explain(error: ValidationError) -> str:
    lines = list[str]()
    found = error.errors()
    for item in found[:_PROBLEMS_SHOWN]:
        where = ".".join(str(part) for part in item["loc"])
        if item["type"] == "extra_forbidden":
            lines.append(f"  {where}: unknown key{_nearest(item['loc'])}")
        elif item["type"] == "string_pattern_mismatch" and (said := _wanted(item["loc"], str(item["input"]))):
            lines.append(f"  {where}: {said}")
        elif item["type"] in _KINDS:
            lines.append(f"  {where}: {_KINDS[item['type']]}")
        else:
            lines.append(f"  {where or 'manifest'}: {re.sub('^Value error, ', '', item['msg'])}")
    if len(found) > _PROBLEMS_SHOWN:
        lines.append(f"  and {len(found) - _PROBLEMS_SHOWN:,} more")
    return "\n".join(lines)


def _wanted(location: tuple[int | str, ...], written: str) -> str:
    """What should stand there, or '' where only the pattern says it. What may be a secret is not repeated."""
    if location[-1] in ("updates_url", "token") or location[-2:] == ("postgresql", "url"):
        return _REFERENCE
    if location[-2:] == ("mcp", "url"):
        return _MCP_ADDRESS
    if location[-1] == "[key]":
        names = (f"{location[-3]}[key]", str(location[-3]))
    else:
        names = (str(location[-1]), *map(str, location[-2:-1]))  # a key's own text, or an entry of its list
    wanted = next((_WANTED[name] for name in names if name in _WANTED), None)
    return f"{written[:60]!r} {wanted}" if wanted else ""


def _nearest(location: tuple[int | str, ...]) -> str:
    """The known key nearest to the unknown one, among the keys of its own part of the schema."""
    *parents, key = location
    node = Manifest.model_json_schema()
    definitions = cast(dict[str, Any], node["$defs"])
    for parent in parents:
        node = _step(node, parent, definitions)
    near = process.extractOne(str(key), sorted(node.get("properties", {})), score_cutoff=50)
    known = ", ".join(sorted(node.get("properties", {})))
    return f"; did you mean {near[0]!r}?" if near else (f"; known are {known}" if known else "")


def _step(node: dict[str, Any], part: int | str, definitions: dict[str, Any]) -> dict[str, Any]:
    if isinstance(part, int):
        return _resolve(node.get("items", {}), definitions)
    options: list[dict[str, Any]] = [_resolve(option, definitions) for option in node.get("oneOf", [])]
    for option in options:  # a discriminated source: pydantic puts its kind into the location
        if option.get("properties", {}).get("kind", {}).get("const") == part:
            return option
    by_name = next(iter(node.get("patternProperties", {}).values()), node.get("additionalProperties", {}))
    found = node.get("properties", {}).get(part, by_name)
    return _resolve(cast(dict[str, Any], found) if isinstance(found, dict) else {}, definitions)


def _resolve(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return definitions[node["$ref"].rsplit("/", 1)[1]]
    for option in node.get("anyOf", []):
        if "$ref" in option:
            return definitions[option["$ref"].rsplit("/", 1)[1]]
    return node

"""The capability: one immutable description of something a run may do, and the executor behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar, cast

from jsonschema import ValidationError
from pydantic import BaseModel, ConfigDict, Field

from runtime.clock import Clock
from runtime.errors import CallError
from runtime.evidence import Column, Evidence, Json, ProgramUsage, SourceRef, Truncation
from runtime.limits import DEFAULT, Limits

T = TypeVar("T")


class Access(StrEnum):
    """What a capability does with data."""

    NONE = "none"
    READ = "read"
    WRITE = "write"


class Toolbox(StrEnum):
    """The six groups of tools, and the two controls."""

    CONTROLS = "controls"
    FILES = "files"
    SOURCES = "sources"
    ARTIFACTS = "artifacts"
    KNOWLEDGE = "knowledge"
    JOBS = "jobs"
    ROUTINES = "routines"


class EffectKind(StrEnum):
    """An operational change, apart from access to data (DESIGN 3)."""

    ADVISORY_CONTEXT = "advisory_context"
    START_JOB = "start_job"
    CANCEL_JOB = "cancel_job"
    MUTATE_DATA = "mutate_data"
    DELIVERY = "delivery"
    DELIVERY_CONFIGURATION = "delivery_configuration"
    MANAGE_ROUTINE = "manage_routine"


class Arguments(BaseModel):
    """The typed arguments of a tool. `note` is for the status line and is no part of the call's identity."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    note: Annotated[
        str | None,
        Field(description="A few plain words for the status line.", max_length=DEFAULT.note_chars),
    ] = None


A = TypeVar("A", bound=Arguments)


class SourceKind(StrEnum):
    """What answers for a source."""

    WORKSPACE = "workspace"
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    MCP = "mcp"


DATABASES = frozenset({SourceKind.SQLITE, SourceKind.POSTGRESQL})
READABLE = DATABASES | {SourceKind.WORKSPACE}

ModelRows = Literal["none", "sample", "full"]
"""Which rows of a source leave for the model provider: none, 30 at most of a result, or as many as the tool shows."""


@dataclass(frozen=True, slots=True)
class SourceTerms:
    """On which terms a source is open: its kind, which of its rows the model may see, why it can't be used now,
    and whether rows of it may be changed."""

    kind: SourceKind
    model_rows: ModelRows = "full"
    closed: str = ""
    updates: bool = False


WORKSPACE_TERMS: Mapping[str, SourceTerms] = {"workspace": SourceTerms(SourceKind.WORKSPACE)}
"""The workspace alone, all its rows open to the model."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, where, and what is open to that audience; frozen when the run starts. `terms` tells the kind and the
    terms of each of the `sources`; of one that it doesn't tell, no row leaves for the model."""

    run_id: str
    conversation: str
    origin: Literal["person", "machine"]
    asker: str
    timezone: str
    policy_revision: str
    sources: frozenset[str]
    composition: Literal["local", "hosted"] = "local"
    terms: Mapping[str, SourceTerms] = field(default_factory=dict[str, SourceTerms])

    def of_kind(self, *kinds: SourceKind) -> tuple[str, ...]:
        """The open sources of these kinds, sorted."""
        return tuple(sorted(name for name in self.sources if self.kind(name) in kinds))

    def described(self) -> tuple[str, ...]:
        """The open sources, sorted; a database with its kind, which tells the tool that reads it: `shop (sqlite)`, and
        one that can't be used now with the reason."""
        return tuple(self._described(name) for name in sorted(self.sources))

    def _described(self, name: str) -> str:
        terms = self.terms.get(name)
        if terms is None or terms.kind is SourceKind.WORKSPACE:
            return name
        kind = "remote tools" if terms.kind is SourceKind.MCP else terms.kind.value
        return f"{name} ({kind}; {terms.closed})" if terms.closed else f"{name} ({kind})"

    def kind(self, source_id: str) -> SourceKind | None:
        """The kind of an open source."""
        found = self.terms.get(source_id)
        return None if found is None else found.kind

    def model_rows(self, source_id: str) -> ModelRows:
        """Which rows of a source the model may see."""
        found = self.terms.get(source_id)
        return "none" if found is None else found.model_rows


@dataclass(frozen=True, slots=True)
class Open:
    """A source is admitted for this audience now."""

    revision: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A source is not admitted for this audience now: why, and what a person can do."""

    reason: str
    hint: str


class AdmissionNow(Protocol):
    """Asked before every call: is this source still open to the run's audience under the same policy?"""

    async def source(self, scope: Scope, source_id: str) -> Open | Closed: ...


class Services:
    """The engines and stores of this process, looked up by type: `services.get(Workspace)`."""

    def __init__(self, *members: object) -> None:
        self._members: dict[type, object] = {type(member): member for member in members}

    def get(self, kind: type[T]) -> T:
        """The member of exactly this type. Raises LookupError when the process was wired without it."""
        if kind not in self._members:
            raise LookupError(f"no {kind.__name__} in this process")
        return cast(T, self._members[kind])

    def instead(self, *members: object) -> Services:
        """The same, with these in place of the members of their types."""
        return Services(*{**self._members, **{type(member): member for member in members}}.values())

    def has(self, kind: type) -> bool:
        """Whether a member of exactly this type exists."""
        return kind in self._members


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A tool of the run catalog as search shows it."""

    tool: str
    toolbox: str
    summary: str
    when: str
    access: str
    effect: str | None
    pinned: bool


class RunCatalogView(Protocol):
    """The tools this run may see, frozen at its start."""

    @property
    def digest(self) -> str:
        """sha256 over the frozen contracts, as `sha256:…`."""
        ...

    @property
    def entries(self) -> tuple[CatalogEntry, ...]:
        """All tools of the run, in registry order."""
        ...


@dataclass(frozen=True, slots=True)
class InnerRows:
    """What an inner read gave: at most the rows asked for; `row_count` is how many there really are, or the number
    seen when `truncated.total` is None."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Json, ...], ...]
    row_count: int
    truncated: Truncation | None = None
    notes: tuple[str, ...] = ()


class InnerRead(Protocol):
    """A read that an executor makes on its way. The boundary admits, bounds and records it as if it were a call."""

    async def __call__(self, source_id: str, sql: str, *, seconds: float, rows_kept: int) -> InnerRows:
        """Raises CallError: `admission_changed`, `not_found` for a source without an engine, those of the engine."""
        ...


class ProgramError(CallError):
    """A program that ended badly, and what it had used until then."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        usage: ProgramUsage,
        hint: str = "",
        retryable: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message, hint=hint, retryable=retryable, details=details)
        self.usage = usage


class AdmittedNow(Protocol):
    """Asked by an executor that looks at a source itself: is it still open to the run?"""

    async def __call__(self, source_id: str) -> None:
        """Raises CallError `admission_changed`."""
        ...


async def reads_nothing(source_id: str, sql: str, *, seconds: float, rows_kept: int) -> InnerRows:
    """The inner read of a call that stands outside a boundary: none. Raises CallError `not_found`."""
    raise CallError("not_found", f"No source {source_id!r} can be read here.")


async def admits_nothing(source_id: str) -> None:
    """The admission of a call that stands outside a boundary: none. Raises CallError `admission_changed`."""
    raise CallError("admission_changed", f"No source {source_id!r} is open here.")


@dataclass(frozen=True, slots=True)
class CallContext:
    """Everything an executor may lean on. `call_id` is the call's own inside its run; `deadline` is on the monotonic
    clock, in seconds; `read` is the only way to data beside the call's own source, and `admitted` is asked before the
    catalog of another one is shown. `fingerprint` is that of the effect's preflight which is carried out, what people
    said yes to; empty before."""

    scope: Scope
    call_id: str
    limits: Limits
    clock: Clock
    services: Services
    catalog: RunCatalogView
    loaded: frozenset[str]
    evidence: Callable[[str], Evidence | None]
    deadline: float
    read: InnerRead = reads_nothing
    admitted: AdmittedNow = admits_nothing
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """What an executor gives back. `title` is a few words for the fold ("12 rows"); `summary` one sentence for people;
    `data` goes to the model; `listing` names the list inside `data` that may be cut at its end to meet the text bound;
    `notes` go to model and people, `people_notes` only to people; `loaded` are tools to be added to the run
    (toolbox_load only); `chart` is a drawing as data (make_chart only); `receipt` names the record of a change;
    `parameters` are the values bound to the placeholders of `sql`."""

    title: str
    summary: str
    data: Mapping[str, Json]
    listing: str | None = None
    notes: tuple[str, ...] = ()
    people_notes: tuple[str, ...] = ()
    truncated: Truncation | None = None
    sql: str | None = None
    parameters: tuple[Json, ...] = ()
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Json, ...], ...] = ()
    row_count: int | None = None
    text: str | None = None
    sources: tuple[SourceRef, ...] = ()
    loaded: tuple[str, ...] = ()
    chart: Mapping[str, Json] | None = None
    usage: ProgramUsage | None = None
    receipt: str | None = None


@dataclass(frozen=True, slots=True)
class ApproverRule:
    """Who may approve an effect, as the manifest says: people by id or members of groups, by id; whether the asker may
    approve their own request; how many different people it takes; and for how many seconds it is asked."""

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    self_approval: bool = False
    approvals: int = 1
    expires_s: int = DEFAULT.approval_seconds

    @property
    def nobody(self) -> bool:
        """True when the rule names no one."""
        return not self.users and not self.groups


@dataclass(frozen=True, slots=True)
class Attachment:
    """A whole text that belongs to a preflight, such as all rows before and after as CSV."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Preflight:
    """An effect's dry check: the fingerprint of exactly what would happen, and what a person is shown.

    `target` is the lock key (`crm:public.customers`), `summary` says what would happen in plain words. `details` by
    kind of effect: of a data change `source`, `table`, `set` [{column, value}], `where` (text), `row_count`, `columns`
    (names), `before` and `after` (the first rows, each a list in the order of `columns`), `warnings` (texts), `keys`;
    of a text `name`, `before` and `after` (texts); of a schedule `name`, `instruction`, `schedule` and `timezone`
    (texts), `next` (the next moments, as text with their UTC offsets), `destinations` (ids). `approvers` None leaves
    it to the manifest's `effects`, which names people for each kind but changes of data."""

    fingerprint: str
    target: str
    summary: str
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    approvers: ApproverRule | None = None
    attachments: tuple[Attachment, ...] = ()


class Fate(StrEnum):
    """What became of a call whose execution broke off, where it did not succeed."""

    NOT_BEGUN = "not_begun"
    NOT_APPLIED = "not_applied"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class EffectSpec(Generic[A]):
    """The effect of a capability: its kind, whether a person must approve, and its own preflight. `resolve` finds out
    what became of exactly this call (`context.scope.run_id`, `context.call_id`) after a crash, a stop or a timeout:
    its output when it was done. Without it such a call's outcome is unknown. The executor says so itself by CallError:
    `state_changed` for drift, `outcome_unknown`, any other code when nothing was applied."""

    kind: EffectKind
    needs_approval: bool
    preflight: Callable[[A, CallContext], Awaitable[Preflight]]
    resolve: Callable[[A, CallContext], Awaitable[Output | Fate]] | None = None


class ArgumentCheck(Protocol):
    """What finds the faults of arguments: a compiled JSON Schema."""

    def iter_errors(self, instance: Any, /) -> Iterable[ValidationError]:
        """Every fault, none when the arguments fit."""
        ...


class RemoteContract(Protocol):
    """The input contract of a tool that another server carries out. Its digest is pinned in the manifest, so it is a
    constant, but one that is known only after the server was looked at; until then the tool isn't offered."""

    def input_schema(self) -> Mapping[str, Any]:
        """The schema as the model sees it. Raises LookupError while it isn't known."""
        ...

    def check(self) -> ArgumentCheck:
        """What arguments are held against. Raises LookupError while it isn't known."""
        ...


def any_scope(_: Scope) -> bool:
    """Offered in every run."""
    return True


def touches_nothing(_: Any) -> str | None:
    """Reads no source."""
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Capability(Generic[A]):
    """One registered capability; equal only to itself, so that what is derived from it can be kept with it. `source`
    names the admitted source that a call with these arguments touches;
    `offered` says in which scopes the tool makes sense; `caps` lists arguments that are cut to their bound, with it.
    `any_source`: it may read any admitted source, through `context.read`; `needs`: the service without which a
    process does not offer it. `text_chars` is how long one text may be in the model's result (else the run's
    `cell_chars`). `remote`: another server carries it out, under this contract; its results can't be run again."""

    id: str
    tool: str
    toolbox: Toolbox
    pinned: bool
    summary: str
    when: str
    description: str
    arguments: type[A]
    example: Mapping[str, Json]
    output_schema: Mapping[str, Any]
    execute: Callable[[A, CallContext], Awaitable[Output]]
    access: Access = Access.READ
    effect: EffectSpec[A] | None = None
    offered: Callable[[Scope], bool] = any_scope
    source: Callable[[A], str | None] = touches_nothing
    caps: Mapping[str, int] = field(default_factory=dict[str, int])
    deadline_s: int = DEFAULT.call_deadline_s
    model_text_bytes: int = DEFAULT.model_text_bytes
    any_source: bool = False
    needs: type | None = None
    text_chars: int | None = None
    remote: RemoteContract | None = None

"""data_undo_postgresql: gives the rows of an earlier change their values back. A person starts it, never the model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runtime.capability import (
    Access,
    Arguments,
    CallContext,
    Capability,
    EffectKind,
    EffectSpec,
    Fate,
    Output,
    Preflight,
    Toolbox,
)
from runtime.engines.update_port import Change, UpdateEngines
from runtime.errors import CallError
from runtime.toolboxes.sources.data_query import SourceId
from runtime.toolboxes.sources.data_update_postgresql import carried_out, found_out, preflight_of
from runtime.toolboxes.sources.update_scope import RECEIPT_SCHEMA, may_update, of_source, terms_of, update_engine

TOOL = "data_undo_postgresql"


class DataUndoPostgresql(Arguments):
    """The change to be undone."""

    source_id: SourceId
    receipt: Annotated[str, Field(description="The receipt of the change.", pattern=r"^R[0-9a-f]{16}$")]


async def preflight(arguments: DataUndoPostgresql, context: CallContext) -> Preflight:
    """The change back, for people. Raises CallError `state_changed` where a row changed since, or anything since
    people said yes, `not_found`, `update_refused`."""
    change, terms = await _change(arguments, context), terms_of(context, arguments.source_id)
    engine = update_engine(context, arguments.source_id)
    if context.fingerprint:
        shown = await engine.previewed(change, terms, context.fingerprint)
    else:
        shown = await engine.preview(change, terms)
    return preflight_of(change, shown, context)


async def execute(arguments: DataUndoPostgresql, context: CallContext) -> Output:
    """Carries out exactly what people said yes to. The receipt alone wouldn't tell it: it fixes rows, versions and
    values, and the table's triggers, rights and rules may have become others."""
    return await carried_out(TOOL, await _change(arguments, context), context.fingerprint, context)


async def resolve(arguments: DataUndoPostgresql, context: CallContext) -> Output | Fate:
    """What became of this very call."""
    return await found_out(TOOL, arguments.source_id, context)


async def _change(arguments: DataUndoPostgresql, context: CallContext) -> Change:
    engine = update_engine(context, arguments.source_id)
    effect = await context.services.get(UpdateEngines).effects.get(arguments.receipt)
    if effect is None or effect.source != arguments.source_id or effect.conversation != context.scope.conversation:
        raise CallError("not_found", f"No change {arguments.receipt!r} was made from this conversation.")
    return engine.undoing(effect)


CAPABILITY = Capability(
    id="sources.data_undo_postgresql",
    tool=TOOL,
    toolbox=Toolbox.SOURCES,
    pinned=False,
    summary="Give the rows of an earlier change their values back.",
    when="A person presses Undo under a change.",
    description="Undoes one change by its receipt, previewed and approved like any other; refused where rows changed.",
    arguments=DataUndoPostgresql,
    example={"source_id": "crm", "receipt": "R0123456789abcdef"},
    output_schema=RECEIPT_SCHEMA,
    execute=execute,
    access=Access.WRITE,
    effect=EffectSpec(EffectKind.MUTATE_DATA, needs_approval=True, preflight=preflight, resolve=resolve),
    offered=may_update,
    source=of_source,
    needs=UpdateEngines,
)

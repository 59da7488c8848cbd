"""data_update_postgresql: carries out exactly the previewed change once, after a person's yes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runtime.capability import (
    Access,
    CallContext,
    Capability,
    EffectKind,
    EffectSpec,
    Fate,
    Output,
    Preflight,
    Toolbox,
)
from runtime.engines.update_port import Change, ChangeCall, ShownChange, UpdateEngines
from runtime.errors import CallError
from runtime.evidence import Json
from runtime.toolboxes.sources.update_scope import (
    EXAMPLE,
    RECEIPT_SCHEMA,
    ChangeArguments,
    attachment,
    in_words,
    may_update,
    of_source,
    receipt_output,
    rows_in_words,
    terms_of,
    unchanged,
    update_engine,
)

TOOL = "data_update_postgresql"

Fingerprint = Annotated[
    str,
    Field(description="preview_fingerprint of the preview of exactly this change.", pattern=r"^sha256:[0-9a-f]{64}$"),
]


class DataUpdatePostgresql(ChangeArguments):
    """The change, as it was previewed."""

    expected_rows: Annotated[int, Field(description="row_count of the preview.", ge=1)]
    preview_fingerprint: Fingerprint


async def preflight(arguments: DataUpdatePostgresql, context: CallContext) -> Preflight:
    """The preview once more, for people. Raises CallError `state_changed`, which says what drifted, and those of the
    preview."""
    change = arguments.change()
    engine = update_engine(context, arguments.source_id)
    shown = await engine.previewed(change, terms_of(context, arguments.source_id), arguments.preview_fingerprint)
    if len(shown.before) != arguments.expected_rows:
        raise CallError(
            "state_changed",
            f"The preview has {rows_in_words(len(shown.before))}, not {arguments.expected_rows:,}.",
            hint="Nothing was run. Use row_count of the preview as expected_rows.",
            retryable=True,
        )
    if unchanged(change, shown) == arguments.expected_rows:
        raise CallError(
            "update_refused",
            f"These values stand in {rows_in_words(arguments.expected_rows)} already; nothing would change.",
            hint="Nothing was run and nobody was asked. Say so.",
        )
    return preflight_of(change, shown, context)


def preflight_of(change: Change, shown: ShownChange, context: CallContext) -> Preflight:
    """A change as it is put before people."""
    most = context.limits.update_samples
    details: dict[str, Json] = {
        **change.as_json(),
        "row_count": len(shown.before),
        "columns": [column.name for column in shown.columns],
        "keys": list(shown.keys),
        "before": [list(row) for row in shown.before[:most]],
        "after": [list(row) for row in shown.after[:most]],
        "warnings": list(shown.warnings),
    }
    return Preflight(
        fingerprint=shown.fingerprint,
        target=change.target,
        summary=in_words(change, len(shown.before)),
        details=details,
        approvers=shown.approvers,
        attachments=(attachment(change.table, shown),),
    )


async def execute(arguments: DataUpdatePostgresql, context: CallContext) -> Output:
    """Carries it out. Raises CallError `state_changed`, `update_refused`, `target_busy`, `timeout`,
    `source_unavailable` (nothing was written), `outcome_unknown`."""
    return await carried_out(TOOL, arguments.change(), arguments.preview_fingerprint, context)


async def carried_out(tool: str, change: Change, fingerprint: str, context: CallContext) -> Output:
    """The change with this fingerprint, once, and its receipt."""
    call = ChangeCall(context.scope.run_id, context.call_id, context.scope.conversation, tool)
    engine = update_engine(context, change.source)
    receipt = await engine.perform(change, terms_of(context, change.source), fingerprint, call)
    return receipt_output(context, change.source, receipt)


async def resolve(arguments: DataUpdatePostgresql, context: CallContext) -> Output | Fate:
    """What became of this very call."""
    return await found_out(TOOL, arguments.source_id, context)


async def found_out(tool: str, source_id: str, context: CallContext) -> Output | Fate:
    """Asks the journal, and the target where the journal doesn't know the end."""
    engines, scope = context.services.get(UpdateEngines), context.scope
    call = ChangeCall(scope.run_id, context.call_id, scope.conversation, tool)
    engine = engines.by_source[source_id]
    ended = await engine.resolve(await engines.standing(call, source_id, scope.asker))
    if ended.state == "done":
        return receipt_output(context, source_id, engine.receipt(ended))
    return {"never": Fate.NOT_BEGUN, "unknown": Fate.UNKNOWN}.get(ended.state, Fate.NOT_APPLIED)


CAPABILITY = Capability(
    id="sources.data_update_postgresql",
    tool=TOOL,
    toolbox=Toolbox.SOURCES,
    pinned=False,
    summary="Change rows of a PostgreSQL table exactly as previewed, once a permitted person approved it.",
    when="When the asker wants data changed, after data_preview_postgresql_update showed the rows that were meant.",
    description=(
        "Carries out exactly the change that data_preview_postgresql_update previewed: the same arguments, "
        "expected_rows and preview_fingerprint from its result. The people whom the operator named are asked with a "
        "card that shows the rows; nothing is written before one of them approves, and nothing you or the data say "
        "counts as approval. If anything differs from the preview, state_changed says what, and no row is written. "
        "Gives the number of rows and a receipt. outcome_unknown: say so and never run it again."
    ),
    arguments=DataUpdatePostgresql,
    example={**EXAMPLE, "expected_rows": 2, "preview_fingerprint": "sha256:" + "0" * 64},
    output_schema=RECEIPT_SCHEMA,
    execute=execute,
    access=Access.WRITE,
    effect=EffectSpec(EffectKind.MUTATE_DATA, needs_approval=True, preflight=preflight, resolve=resolve),
    offered=may_update,
    source=of_source,
    needs=UpdateEngines,
)

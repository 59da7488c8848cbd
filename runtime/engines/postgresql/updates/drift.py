"""What differs between the preview that people saw and the target as it is now, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.engines.postgresql.updates.preview import Preview, RowImage
from runtime.errors import CallError

_NAMED = 3


def state_changed(what: Sequence[str]) -> CallError:
    """The error for a target that is no longer what it was at the preview."""
    return CallError(
        "state_changed",
        f"What differs: {'; '.join(what)}." if what else "The target is no longer what it was at the preview.",
        hint="Nothing was written. Preview the change again.",
        retryable=True,
        details={"drift": list(what)},
    )


def between(seen: Preview, now: Preview) -> CallError:
    """The error for two previews of one change whose fingerprints differ."""
    what = list[str]()
    if seen.terms.policy_revision != now.terms.policy_revision or seen.rule != now.rule:
        what.append("the admission policy changed")
    if seen.facts.digest != now.facts.digest:
        what.append(schema_words(seen))
    elif seen.facts.oid == now.facts.oid:
        what += of_rows(seen, now.rows)
    return state_changed(what)


def refused_since(error: CallError) -> CallError:
    """For a change that could be asked for at the preview and can't any more."""
    return state_changed([error.message.removesuffix(".")])


def schema_words(seen: Preview) -> str:
    """For a table that is not built as it was."""
    return f"{seen.change.table} itself changed (its columns, keys, rules, triggers, policies or rights)"


def of_rows(seen: Preview, found: Sequence[RowImage]) -> list[str]:
    """How the rows that are there differ from those that were seen."""
    now = {row.key: row for row in found}
    was = {row.key: row for row in seen.rows}
    gone = [key for key in was if key not in now]
    new = [key for key in now if key not in was]
    values = [key for key, row in was.items() if key in now and now[key].cells != row.cells]
    touched = [
        key for key, row in was.items() if key in now and now[key].cells == row.cells and now[key].xmin != row.xmin
    ]
    columns = sorted(
        {
            name
            for key in values
            for name, old, fresh in zip(seen.readable, was[key].cells, now[key].cells, strict=True)
            if old != fresh
        }
    )
    gone_how = "were deleted" if seen.change.restore else "were deleted or no longer fit the conditions"
    hidden = " or were hidden from the role by row-level security" if seen.facts.document["row_security"] else ""
    return [
        *_told(seen, values, f"changed their value ({', '.join(columns)})"),
        *_told(seen, touched, "were written again with the same values"),
        *_told(seen, gone, f"{gone_how}{hidden}"),
        *_told(seen, new, "newly fit the conditions"),
    ]


def of_phantoms(seen: Preview, keys: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows that fit now and were not there when people looked."""
    return _told(seen, list(keys), "newly fit the conditions")


def _told(seen: Preview, keys: Sequence[tuple[str, ...]], what: str) -> list[str]:
    if not keys:
        return []
    count = "1 row" if len(keys) == 1 else f"{len(keys):,} rows"
    verb = what.replace("were ", "was ", 1).replace("their", "its") if len(keys) == 1 else what
    if len(keys) == 1:
        verb = verb.replace("newly fit", "newly fits").replace("no longer fit ", "no longer fits ")
        verb = verb.replace("or were hidden", "or was hidden")
    return [f"{count}{_names(seen, keys)} {verb}"]


def _names(seen: Preview, keys: Sequence[tuple[str, ...]]) -> str:
    """Which rows, by key, where the key is nobody's secret."""
    if not seen.keys_shown:
        return ""
    names = seen.facts.primary_key
    told = ["/".join(key) for key in keys[:_NAMED]]
    return f" ({', '.join(names)} {', '.join(told)}{' …' if len(keys) > _NAMED else ''})"

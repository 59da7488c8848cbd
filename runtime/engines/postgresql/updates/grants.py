"""Which rights the role of the updates lacks for a change: said in words, with the statements that give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.engines.postgresql.connections import quoted
from runtime.engines.postgresql.updates.table_facts import TableFacts

# Rows are told apart from their later selves by it. A grant of columns alone leaves it out, unless it is named.
VERSION = "xmin"


def lacking(facts: TableFacts, read: Iterable[str], written: Iterable[str]) -> tuple[str, str] | None:
    """What the role may not do, and the SQL that an operator can run as the table's owner; None where the rights
    suffice. `read` are the columns that have to be read, `written` those that are set; both exist."""
    columns = facts.columns
    reads = [name for name in dict.fromkeys(read) if not columns[name].readable]
    reads += [] if facts.document["version_readable"] else [VERSION]
    writes = [name for name in dict.fromkeys(written) if not columns[name].writable]
    schema, calls = str(facts.document["schema"]), [str(name) for name in facts.document["calls_refused"]]
    may_not = [
        *([] if facts.document["schema_open"] else [f"use the schema {schema}"]),
        *([f"read {_listed(reads)}"] if reads else []),
        *([f"change {_listed(writes)}"] if writes else []),
    ]
    of_table = f" of {schema}.{facts.document['name']}" if reads or writes else ""
    told = f"{' or '.join(may_not)}{of_table}" if may_not else ""
    called = f"call {_listed(calls)}" if calls else ""
    if not told and not called:
        return None
    return " or ".join(filter(None, (told, called))), " ".join(_statements(facts, reads, writes, calls))


def _statements(facts: TableFacts, reads: Sequence[str], writes: Sequence[str], calls: Sequence[str]) -> Iterable[str]:
    schema, name = str(facts.document["schema"]), str(facts.document["name"])
    to = f"TO {quoted(str(facts.document['role']))};"
    if not facts.document["schema_open"]:
        yield f"GRANT USAGE ON SCHEMA {quoted(schema)} {to}"
    rights = [f"{right} ({', '.join(map(quoted, of))})" for right, of in (("SELECT", reads), ("UPDATE", writes)) if of]
    if rights:
        yield f"GRANT {', '.join(rights)} ON {quoted(schema, name)} {to}"
    if calls:
        yield f"GRANT EXECUTE ON FUNCTION {', '.join(f'pg_catalog.{each}' for each in calls)} {to}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

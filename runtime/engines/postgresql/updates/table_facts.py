"""What PostgreSQL's catalogue says of one table that decides what an UPDATE of it does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runtime.engines.postgresql.connections import Connection, fetch

_FACTS = """
-- One document of everything by which an UPDATE of the table $1.$2 could do other than it says. Internal triggers are
-- those of foreign keys, which are told by the columns that other tables refer to. Functions of triggers count with
-- their version, so that a new body is a new fact. A type compares by the operators of its own default order, wherever
-- they live: citext's do not tell cases apart, and text's, which would be found in their place, do.
-- The functions are those that a change calls; every role may, unless somebody took that away.
SELECT jsonb_build_object(
  'oid', c.oid::int8, 'kind', c.relkind, 'schema', n.nspname, 'name', c.relname, 'partition', c.relispartition,
  'children', EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid),
  'columns', (
    SELECT jsonb_agg(jsonb_build_object(
        'name', a.attname, 'position', a.attnum, 'base', format_type(b.oid, -1),
        'full', format_type(a.atttypid, a.atttypmod), 'category', t.typcategory, 'not_null', a.attnotnull,
        'operators', coalesce((
          SELECT o.nspname FROM pg_opclass AS f JOIN pg_am AS m ON m.oid = f.opcmethod AND m.amname = 'btree'
          JOIN pg_amop AS s ON s.amopfamily = f.opcfamily AND s.amopstrategy = 3 AND s.amoplefttype = f.opcintype
            AND s.amoprighttype = f.opcintype
          JOIN pg_operator AS e ON e.oid = s.amopopr JOIN pg_namespace AS o ON o.oid = e.oprnamespace
          WHERE f.opcdefault AND f.opcintype = b.oid), 'pg_catalog'),
        'generated', a.attgenerated <> '', 'identity', a.attidentity = 'a',
        'readable', has_column_privilege(c.oid, a.attnum, 'SELECT'),
        'writable', has_column_privilege(c.oid, a.attnum, 'UPDATE')) ORDER BY a.attnum)
    FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
    CROSS JOIN LATERAL (
      WITH RECURSIVE below AS (
        SELECT t.oid, t.typtype, t.typbasetype
        UNION ALL SELECT u.oid, u.typtype, u.typbasetype FROM below JOIN pg_type AS u ON u.oid = below.typbasetype)
      SELECT oid FROM below WHERE typtype <> 'd') AS b
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
  'primary_key', (
    SELECT coalesce(jsonb_agg(a.attname ORDER BY k.at), '[]')
    FROM pg_index AS i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, at)
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
    WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid AND k.at <= i.indnkeyatts),
  'rules', (
    SELECT coalesce(jsonb_agg(r.rulename ORDER BY r.rulename), '[]') FROM pg_rewrite AS r
    WHERE r.ev_class = c.oid AND r.ev_type = '2' AND r.ev_enabled <> 'D'),
  'triggers', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'name', g.tgname, 'before', g.tgtype & 2 <> 0, 'row', g.tgtype & 1 <> 0,
        'definition', pg_get_triggerdef(g.oid), 'function', p.xmin::text,
        'columns', (SELECT coalesce(jsonb_agg(a.attname ORDER BY a.attname), '[]') FROM pg_attribute AS a
                    WHERE a.attrelid = c.oid AND a.attnum = ANY (g.tgattr::int2[]))) ORDER BY g.tgname), '[]')
    FROM pg_trigger AS g JOIN pg_proc AS p ON p.oid = g.tgfoid
    WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgtype & 16 <> 0 AND g.tgenabled IN ('O', 'A')),
  'checks', (
    SELECT coalesce(jsonb_agg(pg_get_constraintdef(k.oid) ORDER BY k.conname), '[]') FROM pg_constraint AS k
    WHERE k.conrelid = c.oid AND k.contype IN ('c', 'f', 'x')),
  'referenced', (
    SELECT coalesce(jsonb_agg(DISTINCT a.attname), '[]')
    FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = ANY (k.confkey)
    WHERE k.confrelid = c.oid AND k.contype = 'f'),
  'row_security', row_security_active(c.oid),
  'policies', (
    SELECT coalesce(jsonb_agg(jsonb_build_array(p.polname, p.polcmd, p.polroles::text,
        pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) ORDER BY p.polname), '[]')
    FROM pg_policy AS p WHERE p.polrelid = c.oid),
  'schema_open', has_schema_privilege(n.oid, 'USAGE'),
  'version_readable', (
    SELECT has_column_privilege(c.oid, a.attnum, 'SELECT') FROM pg_attribute AS a
    WHERE a.attrelid = c.oid AND a.attname = 'xmin'),
  'calls_refused', (
    SELECT coalesce(jsonb_agg(p.oid::regprocedure::text ORDER BY 1), '[]') FROM pg_proc AS p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND NOT has_function_privilege(p.oid, 'EXECUTE')
      AND (p.proname IN ('pg_control_system', 'pg_current_wal_lsn', 'pg_current_xact_id', 'pg_walfile_name',
                         'pg_xact_status')
           OR p.proname = 'pg_logical_emit_message' AND p.proargtypes[2] = 'text'::regtype)),
  'standby', pg_is_in_recovery(), 'replica', current_setting('session_replication_role') = 'replica',
  'role', current_user, 'superuser', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))::text
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2
"""


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column. `base` is its type without length or domain, `full` as it was declared; `category` PostgreSQL's own
    letter for a kind of types (S text, N number, B boolean, V bits, D moments); `operators` the schema of those that
    compare it."""

    name: str
    base: str
    full: str
    category: str
    operators: str
    not_null: bool
    generated: bool
    identity: bool
    readable: bool
    writable: bool


@dataclass(frozen=True, slots=True)
class TriggerFacts:
    """One trigger that an UPDATE may fire. `columns` are those it waits for; none means all."""

    name: str
    before: bool
    row: bool
    columns: tuple[str, ...]


@dataclass(frozen=True)
class TableFacts:
    """The whole document, and its parts by name."""

    document: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """Changes with everything in the document."""
        return hashlib.sha256(json.dumps(self.document, sort_keys=True).encode()).hexdigest()

    @property
    def oid(self) -> int:
        return int(self.document["oid"])

    @property
    def kind(self) -> str:
        """PostgreSQL's letter: r table, p partitioned, v and m views, f foreign."""
        return str(self.document["kind"])

    @cached_property
    def columns(self) -> Mapping[str, ColumnFacts]:
        """The columns by name, in their order."""
        fields = ColumnFacts.__slots__
        return {each["name"]: ColumnFacts(**{name: each[name] for name in fields}) for each in self.document["columns"]}

    @property
    def primary_key(self) -> tuple[str, ...]:
        return tuple(self.document["primary_key"])

    def triggers(self, changed: Sequence[str]) -> list[TriggerFacts]:
        """The triggers that an UPDATE of these columns fires."""
        found = [
            TriggerFacts(each["name"], each["before"], each["row"], tuple(each["columns"]))
            for each in self.document["triggers"]
        ]
        return [each for each in found if not each.columns or set(each.columns) & set(changed)]


async def table_facts(connection: Connection, schema: str, name: str) -> TableFacts | None:
    """What the catalogue says now; None without such a table. Raises psycopg.Error."""
    found = await fetch(connection, _FACTS, (schema, name))
    return TableFacts(json.loads(found[0][0])) if found else None

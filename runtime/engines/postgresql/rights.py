"""Whether a source's role may do more than read, and the script that mends it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

from runtime.catalog import CatalogTable, Structure
from runtime.engines.postgresql.connections import Connection, fetch, quoted

_PROBLEMS_SHOWN = 20
_FUNCTIONS_SHOWN = 5
_PUBLIC = "PUBLIC"

_FINDINGS = """
-- Everything by which the session's role could do more than read: kind, what, where, through whom, and by
-- which of its own memberships that one is reached. A membership counts whether it is inherited or not, as SET ROLE
-- would reach it; what is granted counts by the grants themselves, so that a superuser's script is whole too.
WITH RECURSIVE roles AS (
       SELECT oid, rolname::text AS name, rolname::text AS via FROM pg_roles WHERE rolname = session_user
       UNION
       SELECT parent.oid, parent.rolname::text, CASE roles.name WHEN session_user THEN parent.rolname ELSE roles.via END
       FROM roles JOIN pg_auth_members AS m ON m.member = roles.oid JOIN pg_roles AS parent ON parent.oid = m.roleid
     ),
     grantees AS (SELECT oid, name, via FROM roles UNION ALL SELECT 0, 'PUBLIC', 'PUBLIC'),
     relations AS (
       SELECT c.oid, c.relkind, c.relacl, c.relowner, n.nspname::text AS schema, c.relname::text AS name
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
     ),
     spaces AS (
       SELECT nspname::text AS name, nspacl, nspowner FROM pg_namespace
       WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
     ),
     database AS (SELECT datname::text AS name, datacl, datdba FROM pg_database WHERE datname = current_database())
SELECT 'attribute', attribute, NULL, NULL, roles.name, via
FROM roles JOIN pg_roles AS r ON r.oid = roles.oid
CROSS JOIN LATERAL (VALUES ('SUPERUSER', r.rolsuper), ('CREATEROLE', r.rolcreaterole), ('CREATEDB', r.rolcreatedb),
                           ('REPLICATION', r.rolreplication)) AS a(attribute, has)
WHERE has
UNION ALL
SELECT 'predefined', name, NULL, NULL, name, via FROM roles
WHERE name IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend',
                  'pg_write_all_data', 'pg_maintain', 'pg_checkpoint', 'pg_create_subscription')
UNION ALL
SELECT 'owner', CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, schema, relations.name, r.name, via
FROM relations JOIN roles AS r ON r.oid = relowner
UNION ALL
SELECT 'owner', 'SCHEMA', NULL, spaces.name, r.name, via FROM spaces JOIN roles AS r ON r.oid = nspowner
UNION ALL
SELECT 'owner', 'DATABASE', NULL, database.name, r.name, via FROM database JOIN roles AS r ON r.oid = datdba
UNION ALL
SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, privilege_type, schema, relations.name, g.name, via
FROM relations CROSS JOIN LATERAL aclexplode(relacl) AS acl JOIN grantees AS g ON g.oid = acl.grantee
WHERE CASE relkind WHEN 'S' THEN privilege_type IN ('USAGE', 'UPDATE')
      ELSE privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'MAINTAIN') END
UNION ALL
SELECT 'COLUMN', privilege_type || ' (' || quote_ident(a.attname) || ')', schema, relations.name, g.name, via
FROM relations JOIN pg_attribute AS a ON a.attrelid = relations.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN LATERAL aclexplode(a.attacl) AS acl JOIN grantees AS g ON g.oid = acl.grantee
WHERE privilege_type IN ('INSERT', 'UPDATE')
UNION ALL
SELECT 'SCHEMA', 'CREATE', NULL, spaces.name, g.name, via
FROM spaces CROSS JOIN LATERAL aclexplode(nspacl) AS acl JOIN grantees AS g ON g.oid = acl.grantee
WHERE privilege_type = 'CREATE'
UNION ALL
SELECT 'DATABASE', 'CREATE', NULL, database.name, g.name, via
FROM database CROSS JOIN LATERAL aclexplode(datacl) AS acl JOIN grantees AS g ON g.oid = acl.grantee
WHERE privilege_type = 'CREATE'
UNION ALL
SELECT 'FUNCTION', 'EXECUTE', NULL, p.oid::regprocedure::text, g.name, via
FROM pg_proc AS p CROSS JOIN LATERAL aclexplode(proacl) AS acl JOIN grantees AS g ON g.oid = acl.grantee
WHERE pronamespace = 'pg_catalog'::regnamespace
  AND proname IN ('pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', 'lo_export')
UNION ALL
SELECT 'owner', 'LARGE OBJECT', NULL, lo.oid::text, r.name, via
FROM pg_largeobject_metadata AS lo JOIN roles AS r ON r.oid = lomowner
UNION ALL
SELECT 'LARGE OBJECT', privilege_type, NULL, lo.oid::text, g.name, via
FROM pg_largeobject_metadata AS lo CROSS JOIN LATERAL aclexplode(lomacl) AS acl
JOIN grantees AS g ON g.oid = acl.grantee
WHERE privilege_type = 'UPDATE'
"""
_OF_PARAMETERS = """
-- Settings of the whole server, which may be granted since PostgreSQL 15.
UNION ALL
SELECT 'PARAMETER', privilege_type, NULL, parname, g.name, via
FROM pg_parameter_acl CROSS JOIN LATERAL aclexplode(paracl) AS acl JOIN grantees AS g ON g.oid = acl.grantee
WHERE privilege_type = 'ALTER SYSTEM'
"""
_ORDER = "ORDER BY 1, 3, 4, 5, 2"
_PARAMETERS_SINCE = 150_000
_SETTABLE = """
-- Settings that only superusers may change, and that the session's role may for itself.
SELECT parname FROM pg_parameter_acl WHERE has_parameter_privilege(parname, 'SET') ORDER BY 1
"""
_LARGE_OBJECTS = """
-- How many large objects are open to the session's role, one of them, and whether all are, whatever is granted.
SELECT count(*)::int8, min(lo.oid)::text, current_setting('lo_compat_privileges') = 'on'
FROM pg_largeobject_metadata AS lo CROSS JOIN LATERAL aclexplode(lomacl) AS acl
WHERE privilege_type = 'SELECT' AND (acl.grantee = 0 OR pg_has_role(acl.grantee, 'MEMBER'))
"""
_LIKE_OWNERS = """
-- Functions outside of PostgreSQL's own that the session's role may run with the rights of their owners.
SELECT p.oid::regprocedure::text
FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE p.prosecdef AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY 1
"""
_PAST_RULES = """
-- Whether the rules on rows hold for the session's role, and whether it reads every table (known since PostgreSQL 14).
SELECT me.rolbypassrls, EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = 'pg_read_all_data'
                                AND pg_has_role(me.oid, r.oid, 'MEMBER'))
FROM pg_roles AS me WHERE me.rolname = session_user
"""
_ROLE = "SELECT session_user::text, current_database()::text"


@dataclass(frozen=True, slots=True)
class Rights:
    """What a check found. `problems` are sentences for operators, none when the role is fit to read with; `script`
    mends them, to be run by the database's owner ("" when there is nothing to mend). `remarks`: what the role may read
    or run beside the admitted tables, so that only the guard stands before it."""

    role: str
    problems: tuple[str, ...]
    script: str
    remarks: tuple[str, ...] = ()

    @property
    def fit(self) -> bool:
        """Whether reads may go on."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class _Finding:
    """One right too many: of `kind` (attribute, predefined, owner, or what is granted on), `through` a role or PUBLIC.
    `via` is the direct membership that leads there."""

    kind: str
    what: str
    schema: str | None
    name: str | None
    through: str
    via: str

    @property
    def place(self) -> str:
        if self.kind in ("FUNCTION", "LARGE OBJECT") or self.what == "LARGE OBJECT":
            return str(self.name)  # with its arguments, as PostgreSQL writes it, or a number
        if self.kind == "PARAMETER":
            return quoted(*str(self.name).split("."))
        return quoted(*filter(None, (self.schema, self.name)))


async def fit_to_read(connection: Connection) -> bool:
    """Whether the session's role may do nothing but read. Raises psycopg.Error."""
    return not await fetch(connection, f"SELECT 1 FROM ({_findings_of(connection)}) AS finding LIMIT 1")


def _findings_of(connection: Connection) -> str:
    """The question that the server of this connection understands."""
    return _FINDINGS + (_OF_PARAMETERS if connection.info.server_version >= _PARAMETERS_SINCE else "")


async def check_rights(connection: Connection, structure: Structure) -> Rights:
    """Looks at the session's role. `structure` is what it shall go on reading. Raises psycopg.Error."""
    ((role, database),) = await fetch(connection, _ROLE)
    findings = [_Finding(*row) for row in await fetch(connection, _findings_of(connection) + _ORDER)]
    if findings:
        return Rights(role, _problems(role, findings), _script(role, database, findings, structure))
    return Rights(role, (), "", tuple([remark async for remark in _remarks(connection, role)]))


async def _remarks(connection: Connection, role: str) -> AsyncIterator[str]:
    ((past_rows, everything),) = await fetch(connection, _PAST_RULES)
    if past_rows:
        yield f"{role} has the attribute BYPASSRLS: it reads rows that row security keeps from others"
    if everything:
        yield f"{role} is a member of pg_read_all_data: it reads every table, so only the manifest keeps any back"
    like_owners = [str(name) for (name,) in await fetch(connection, _LIKE_OWNERS)]
    if like_owners:
        named = ", ".join(like_owners[:_FUNCTIONS_SHOWN]) + (", …" if len(like_owners) > _FUNCTIONS_SHOWN else "")
        yield (
            f"{role} may run with their owners' rights (SECURITY DEFINER): {named}. Footnote's queries call none of "
            "them, and REVOKE EXECUTE ON FUNCTION … FROM PUBLIC closes them in the database, too"
        )
    ((count, example, all_open),) = await fetch(connection, _LARGE_OBJECTS)
    if all_open:
        yield (
            f"{role} may read and write every large object, as the server's lo_compat_privileges is on. Footnote's "
            "queries can't, and ALTER SYSTEM SET lo_compat_privileges = off closes them in the database, too"
        )
    elif count:
        yield (
            f"{role} may read {_large_objects(count, example)}, which no rule of the manifest covers. "
            "Footnote's queries can't, and REVOKE SELECT ON LARGE OBJECT … closes them in the database, too"
        )
    if connection.info.server_version >= _PARAMETERS_SINCE:
        settable = [str(name) for (name,) in await fetch(connection, _SETTABLE)]
        if settable:
            named = ", ".join(settable[:_FUNCTIONS_SHOWN]) + (", …" if len(settable) > _FUNCTIONS_SHOWN else "")
            yield (
                f"{role} may set for itself what only superusers may: {named}. Footnote's queries set nothing, and "
                "REVOKE SET ON PARAMETER … closes them in the database, too"
            )


def _large_objects(count: int, example: str) -> str:
    return f"1 large object, {example}" if count == 1 else f"{count:,} large objects, {example} among them"


def _problems(role: str, findings: Sequence[_Finding]) -> tuple[str, ...]:
    told = list(dict.fromkeys(_told(role, finding) for finding in findings))
    more = len(told) - _PROBLEMS_SHOWN
    return (*told[:_PROBLEMS_SHOWN], *([f"and {more:,} more rights"] if more > 0 else []))


def _told(role: str, finding: _Finding) -> str:
    through = "" if finding.through == role else f", as {finding.through}"
    match finding.kind:
        case "attribute":
            return f"{role} has the attribute {finding.what}{through}"
        case "predefined":
            return f"{role} is a member of {finding.what}"
        case "owner":
            return f"{role} owns {finding.what.lower()} {finding.place}{through}"
        case kind:
            on = "table" if kind == "COLUMN" else kind.lower()
            return f"{role} may {finding.what} on {on} {finding.place}{through}"


def _script(role: str, database: str, findings: Sequence[_Finding], structure: Structure) -> str:
    spoken = " ".join(role.split())  # a line break would end the comment
    own = [finding for finding in findings if finding.through == role]
    if any(finding.kind == "owner" or finding.what == "SUPERUSER" for finding in own):
        reader = f"footnote_{structure.source}"
        head = [
            f"-- {spoken} is a superuser or owns what it reads: taking that away would break what else uses it.",
            f"-- Footnote gets a role of its own. Give it a password afterwards (\\password {quoted(reader)})",
            "-- and put both into the address of this source.",
        ]
        made = [f"CREATE ROLE {quoted(reader)} LOGIN NOINHERIT;"]
        kept = [finding for finding in findings if finding.through == _PUBLIC]
    else:
        reader, head, made, kept = role, [f"-- Leaves {spoken} nothing but reading what Footnote reads."], [], findings
    lines = [*head, "BEGIN;", *made, *_taken(reader, kept), *_given(reader, database, structure), "COMMIT;"]
    return "\n".join(lines) + "\n"


def _taken(role: str, findings: Iterable[_Finding]) -> list[str]:
    """Statements that take every finding away: a right that comes by a membership, with the membership."""
    revoked = defaultdict[tuple[str, str], list[str]](list)
    lines = list[str]()
    for finding in findings:
        if finding.through not in (role, _PUBLIC):
            lines.append(f"REVOKE {quoted(finding.via)} FROM {quoted(role)};")
        elif finding.kind == "attribute":
            lines.append(f"ALTER ROLE {quoted(role)} NO{finding.what};")
        else:
            on = f"{'TABLE' if finding.kind == 'COLUMN' else finding.kind} {finding.place}"
            revoked[on, _PUBLIC if finding.through == _PUBLIC else quoted(role)].append(finding.what)
    lines += [f"REVOKE {', '.join(rights)} ON {on} FROM {grantee};" for (on, grantee), rights in revoked.items()]
    return list(dict.fromkeys(lines))


def _given(role: str, database: str, structure: Structure) -> list[str]:
    """What reading needs, said again: it may have come with what is taken."""
    to = f"TO {quoted(role)};"
    tables = structure.tables
    schemas = dict.fromkeys(table.schema for table in tables)
    return [
        f"GRANT CONNECT ON DATABASE {quoted(database)} {to}",
        *(f"GRANT USAGE ON SCHEMA {quoted(schema)} {to}" for schema in schemas),
        *(f"GRANT SELECT{_columns(table)} ON TABLE {quoted(table.schema, table.name)} {to}" for table in tables),
    ]


def _columns(table: CatalogTable) -> str:
    return f" ({', '.join(quoted(column.name) for column in table.columns)})" if table.partial else ""

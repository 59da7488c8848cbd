"""Attacks that the engines run when the guard is switched off, by what they do. None writes, and none shows a hidden
row but three of DuckDB's, over a table that a workspace's database never holds."""

POSTGRES = {
    "names a hidden table in a step that nothing reads": [
        "with a as (select 1 as id), b as (select id from hidden) select a.id from a",
    ],
    "reads the catalogue, of which every role sees all": [
        "select 'hidden'::regclass",
        "select 'hidden'::\"regclass\"",
        "select 'hidden'::pg_catalog.regclass",
        "select 'hidden'::regclass::oid",
        "select 1::oid",
        "select * from information_schema.columns",
        "select * from information_schema.tables",
        "select * from pg_catalog.pg_class",
        "select * from pg_class",
        "select has_table_privilege('hidden', 'select')",
        "select json_populate_record(null::hidden, '{}')",
        "select pg_get_functiondef('sd'::regproc)",
        "select pg_get_viewdef('pg_views'::regclass)",
        "select pg_relation_size('hidden')",
        "select pg_typeof(1)",
        "select o.ctid from orders o",
        "select tableoid, ctid, xmin from orders",
    ],
    "tells about the server, the session or settings": [
        "select * from current_user",
        "select * from pg_settings",
        "select * from pg_stat_activity",
        "select current_catalog, current_schema",
        "select current_user",
        "select inet_server_addr()",
        "select session_user || current_role",
        "select txid_current()",
        "select user",
        "select version()",
    ],
    "does what the roll-back or DISCARD ALL takes back": [
        "select case when pg_advisory_lock(1) is null then 1 end",
        "select pg_try_advisory_lock(1)",
        "select lo_creat(-1)",
        "select pg_notify('c', 'm')",
    ],
    "reaches for other sessions of the same role": ["select pg_cancel_backend(0)", "select pg_terminate_backend(0)"],
    "writes what the role may read as XML": [
        "select schema_to_xml('public', true, true, '')",
        "select database_to_xml(true, true, '')",
        "select xmlparse(document '<a/>')",
    ],
    "runs a function of the owner with the owner's rights, which only REVOKE EXECUTE takes away": [
        "select sd()",
        "select (select sd())",
    ],
    "is a read, only not one the guard knows to judge": [
        "select * from only orders",
        "select * from orders semi join customers using (id)",
        "select * from pg_catalog.generate_series(1, 2)",
        "select format('%s', variadic array['a'])",
    ],
}

SQLITE = {
    "names a hidden table in a step that nothing reads": [
        "with x as (select 1), y as (select * from HIDDEN) select * from x",
    ],
    "tells about the engine or the session": ["select sqlite_version()", "select total_changes()"],
    "shows a plan": ["explain select 1"],
    "is a read, only not one the guard knows to judge": [
        "select 'a' 'b'",
        'select cast(1 as "evil), (select secret from hidden")',
        "select cast(1 as [evil) from hidden --])",
        "select cast(day as date) from orders",
    ],
}

DUCKDB = {
    "names a hidden table in a step that nothing reads": [
        "with a as (select 1 as id), b as (select id from hidden) select a.id from a",
    ],
    "reads the table that stands in a text, which no workspace would hold": [
        "select * from query_table(['hidden'])",
        "select * from query('select * from ' || 'hid' || 'den')",
        "select * from pragma_storage_info('hidden')",
    ],
    "reads the catalogue or tells about the session": [
        "select getvariable('v')",
        "select * from duckdb_columns()",
        "select sql from sqlite_master",
        "select * from information_schema.tables",
        "select * from pragma_table_info('hidden')",
        "show all tables",
        "select * from (show all tables)",
        "select * from duckdb_logs",
    ],
    "waits, or writes into the log of its own process": [
        "select write_log('x')",
        "select sleep_ms(100)",
    ],
    "makes rows or a text of its own, only not by a function on the list": [
        "select * from test_all_types()",
        "select json_serialize_sql('select * from hidden')",
    ],
}

"""The questions put to PostgreSQL's own catalogue, each in one pass over what the schemas in `$1` hold."""

from __future__ import annotations

RELATIONS = """
-- Tables, views, materialized views, partitioned and foreign tables. A partition is part of its table, not one of its
-- own. A partitioned table keeps no estimate before PostgreSQL 14, and later only after ANALYZE: its leaves are summed.
SELECT c.oid::int8, n.nspname::text, c.relname::text, c.relkind::text,
       CASE c.relkind
         WHEN 'p' THEN (SELECT sum(leaf.reltuples) FROM pg_partition_tree(c.oid) AS part
                        JOIN pg_class AS leaf ON leaf.oid = part.relid
                        WHERE part.isleaf AND leaf.reltuples >= 0)
         WHEN 'v' THEN NULL
         ELSE nullif(c.reltuples, -1)
       END::int8,
       has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT c.relispartition
ORDER BY n.nspname, c.relname
LIMIT $2
"""

COLUMNS = """
-- The columns of the relations $1 in their order: position, name, type as SQL writes it, whether NULL is possible and
-- whether it is computed from others.
SELECT a.attrelid::int8, a.attnum::int4, a.attname::text, format_type(a.atttypid, a.atttypmod),
       NOT a.attnotnull, a.attgenerated <> ''
FROM pg_attribute AS a
WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum
"""

OWN_TYPES = """
-- The columns of the relations $1 whose type is an enum or a composite type of the database, or a list of these: the
-- names by which a cast may mean the enum (without its schema where the search path finds it; none where a cast runs a
-- function), and the fields of the composite type. Types of tables' whole rows are left out.
SELECT a.attrelid::int8, a.attnum::int4,
       CASE WHEN t.typtype = 'e' AND has_schema_privilege(n.oid, 'USAGE')
                 AND NOT EXISTS (SELECT FROM pg_cast WHERE casttarget = t.oid AND castfunc <> 0)
            THEN array_remove(ARRAY[n.nspname || '.' || t.typname,
                                    CASE WHEN pg_type_is_visible(t.oid) THEN t.typname END]::text[], NULL)
            ELSE '{}' END,
       ARRAY (SELECT f.attname::text FROM pg_attribute AS f
              WHERE f.attrelid = composite.oid AND f.attnum > 0 AND NOT f.attisdropped ORDER BY f.attnum)
FROM pg_attribute AS a
JOIN pg_type AS own ON own.oid = a.atttypid
JOIN pg_type AS t ON t.oid = CASE WHEN own.typlen = -1 AND own.typelem <> 0 THEN own.typelem ELSE own.oid END
JOIN pg_namespace AS n ON n.oid = t.typnamespace AND n.nspname <> 'pg_catalog'
LEFT JOIN pg_class AS composite ON composite.oid = t.typrelid AND composite.relkind = 'c'
WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
  AND (t.typtype = 'e' OR composite.oid IS NOT NULL)
"""

ROWS_HELD = """
-- The columns of the relations $1 that hold whole rows of relations, by their types: also inside lists, domains,
-- ranges, composite types and the rows that they hold.
WITH RECURSIVE inside AS (
  SELECT a.attrelid, a.attnum, a.atttypid AS held
  FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
  WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    AND t.typnamespace <> 'pg_catalog'::regnamespace
  UNION
  SELECT inside.attrelid, inside.attnum, further.held
  FROM inside JOIN pg_type AS t ON t.oid = inside.held
  CROSS JOIN LATERAL (
    SELECT t.typelem UNION SELECT t.typbasetype
    UNION SELECT rngsubtype FROM pg_range WHERE rngtypid = t.oid
    UNION SELECT atttypid FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped
  ) AS further (held)
  WHERE further.held <> 0)
SELECT DISTINCT inside.attrelid::int8, inside.attnum::int4, n.nspname::text, c.relname::text
FROM inside JOIN pg_type AS t ON t.oid = inside.held
JOIN pg_class AS c ON c.oid = t.typrelid AND c.relkind <> 'c'
JOIN pg_namespace AS n ON n.oid = c.relnamespace
ORDER BY 1, 2, 3, 4
"""

READABLE_COLUMNS = """
-- Which columns of the relations $1 the role may read, where it has no right to whole relations.
SELECT a.attrelid::int8, a.attnum::int4
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
  AND has_schema_privilege(c.relnamespace, 'USAGE') AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
"""

COMMENTS = """
-- What people wrote about the relations $1 (position 0) and their columns.
SELECT objoid::int8, objsubid::int4, description
FROM pg_description
WHERE classoid = 'pg_class'::regclass AND objoid = ANY ($1::oid[])
"""

KEYS = """
-- Primary and unique keys of the relations $1, unique indexes without a constraint too; none over expressions or a part
-- of the rows.
SELECT i.indrelid::int8, i.indisprimary, (i.indkey::int2[])[0:i.indnkeyatts - 1]::int4[]
FROM pg_index AS i JOIN pg_class AS named ON named.oid = i.indexrelid
WHERE i.indrelid = ANY ($1::oid[]) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
ORDER BY i.indrelid, named.relname
"""

FOREIGN_KEYS = """
-- Foreign keys of the relations $1, column by column.
SELECT conrelid::int8, conname::text, conkey::int4[], confrelid::int8, confkey::int4[]
FROM pg_constraint
WHERE contype = 'f' AND conrelid = ANY ($1::oid[])
ORDER BY conrelid, conname
"""

PARTS = """
-- Schema and name of the partitions, of any depth, of the partitioned tables among the relations $1.
SELECT c.oid::int8, n.nspname::text, part.relname::text
FROM pg_class AS c CROSS JOIN LATERAL pg_partition_tree(c.oid) AS leaf
JOIN pg_class AS part ON part.oid = leaf.relid AND part.oid <> c.oid
JOIN pg_namespace AS n ON n.oid = part.relnamespace
WHERE c.oid = ANY ($1::oid[]) AND c.relkind = 'p'
ORDER BY 1, 2, 3
"""

READS = """
-- What the relations $1 show of others: the relations that a view reads (of a partition, its table), the tables that
-- inherit from a table, and the functions a view calls that might read anything, also as an operator or an aggregate.
-- What a function in SQL or in a language of the database declares of itself proves nothing: its owner says it. Of
-- PostgreSQL's own no dependency is noted; they stand in the view's parsed query, by number.
SELECT r.ev_class::int8, n.nspname::text, c.relname::text
FROM pg_rewrite AS r
JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
                   AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
JOIN pg_class AS c ON c.oid = coalesce(pg_partition_root(d.refobjid), d.refobjid)
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE r.ev_class = ANY ($1::oid[])
UNION
SELECT i.inhparent::int8, n.nspname::text, c.relname::text
FROM pg_inherits AS i
JOIN pg_class AS c ON c.oid = i.inhrelid AND NOT c.relispartition
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE i.inhparent = ANY ($1::oid[])
UNION
SELECT r.ev_class::int8, n.nspname::text, p.proname || '()'
FROM pg_rewrite AS r
JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
                   AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
LEFT JOIN pg_aggregate AS a ON d.refclassid = 'pg_proc'::regclass AND a.aggfnoid = d.refobjid
JOIN pg_proc AS p ON p.oid IN (coalesce(o.oprcode, d.refobjid), a.aggtransfn, a.aggfinalfn, a.aggmtransfn,
                               a.aggmfinalfn, a.aggcombinefn)
JOIN pg_language AS l ON l.oid = p.prolang
                     AND NOT (l.lanname IN ('c', 'internal') AND (p.provolatile = 'i' OR o.oid IS NOT NULL))
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE r.ev_class = ANY ($1::oid[])
UNION
SELECT r.ev_class::int8, n.nspname::text, c.relname::text
FROM pg_rewrite AS r CROSS JOIN LATERAL regexp_matches(r.ev_action::text, ':relid ([0-9]+)', 'g') AS found(number)
JOIN pg_class AS c ON c.oid = number[1]::oid
JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname IN ('pg_catalog', 'information_schema')
WHERE r.ev_class = ANY ($1::oid[])
UNION
SELECT r.ev_class::int8, n.nspname::text, p.proname || '()'
FROM pg_rewrite AS r
CROSS JOIN LATERAL regexp_matches(r.ev_action::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) ([0-9]+)', 'g')
  AS found(number)
JOIN pg_proc AS p ON p.oid = number[1]::oid
                 AND (p.provolatile = 'v' OR p.proname ~ '^(table|schema|database)_to_xml')
                 AND p.proname NOT IN ('random', 'random_normal', 'gen_random_uuid', 'uuidv4', 'uuidv7',
                                       'clock_timestamp', 'timeofday')
JOIN pg_namespace AS n ON n.oid = p.pronamespace AND n.nspname = 'pg_catalog'
WHERE r.ev_class = ANY ($1::oid[])
ORDER BY 1, 2, 3
"""

FINGERPRINT = """
-- Changes with every relation, column, key, comment, view, grant and right of the role. A changed row has a newer
-- transaction id than all before it, so count and sum tell; maintenance (VACUUM, ANALYZE) writes in place.
WITH spaces AS (SELECT oid, xmin FROM pg_namespace WHERE nspname = ANY ($1::text[])),
     relations AS (SELECT oid, xmin FROM pg_class WHERE relnamespace IN (SELECT oid FROM spaces)),
     rows_seen(kind, version) AS (
       SELECT 1, xmin FROM spaces
       UNION ALL SELECT 2, xmin FROM relations
       UNION ALL SELECT 3, xmin FROM pg_attribute WHERE attrelid IN (SELECT oid FROM relations)
       UNION ALL SELECT 4, xmin FROM pg_constraint WHERE conrelid IN (SELECT oid FROM relations)
       UNION ALL SELECT 5, xmin FROM pg_description
                 WHERE classoid = 'pg_class'::regclass AND objoid IN (SELECT oid FROM relations)
       UNION ALL SELECT 6, xmin FROM pg_rewrite WHERE ev_class IN (SELECT oid FROM relations)
       UNION ALL SELECT 7, xmin FROM pg_inherits WHERE inhparent IN (SELECT oid FROM relations)
       UNION ALL SELECT 8, xmin FROM pg_auth_members
     ),
     counted AS (SELECT kind, count(*) AS rows, sum(version::text::int8) AS versions FROM rows_seen GROUP BY kind),
     role AS (SELECT oid, rolsuper, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles
              WHERE rolname = current_user)
SELECT md5(concat_ws(' ', (SELECT oid FROM pg_database WHERE datname = current_database()),
                     (SELECT role::text FROM role),
                     (SELECT string_agg(concat_ws(':', kind, rows, versions), ',' ORDER BY kind) FROM counted)))
"""

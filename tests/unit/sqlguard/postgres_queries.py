"""Queries over the PostgreSQL fixtures of the cases: ordinary analysis of many kinds, and attacks of many kinds."""

LEGITIMATE = [
    # a key of JSON as the first thing of an argument, which is no lambda
    "select jsonb_array_length(doc -> 'n'), jsonb_typeof(doc -> 'n' -> 0), coalesce(doc -> 'x', doc -> 'n' -> -1, doc) "
    "from (select '{\"n\": [1, 2]}'::jsonb as doc) s group by doc",
    # grouping, windows, sets
    "select region, count(*), sum(qty * price) as revenue, round(avg(price), 2), min(day), max(day) from orders "
    "group by region",
    "select region, count(*) filter (where qty > 3) as big, sum(qty) filter (where mood = 'ok') from orders group by 1",
    "select id, sum(qty) over (partition by customer_id order by id) as running from orders order by id limit 9",
    "select id, lag(qty, 1, 0) over w, lead(qty) over w, nth_value(qty, 2) over w, ntile(4) over w, row_number() "
    "over w "
    "from orders window w as (partition by region order by id) order by id limit 5",
    "select id, sum(qty) over (order by day range between interval '7 days' preceding and current row exclude ties) "
    "from orders order by id limit 5",
    "select id, count(*) over (order by qty, id groups between 1 preceding and current row) from orders order by id "
    "limit 5",
    "select region, qty, sum(price), grouping(region, qty) from orders group by cube (region, qty) order by 1, 2",
    "select region, qty, sum(price) from orders group by rollup (region, qty) having sum(price) > 100 order by 1, 2",
    "select customer_id from orders intersect all select id from customers order by 1 limit 4",
    "select id from customers except select customer_id from orders where qty > 6 order by 1",
    "(select id from orders order by id desc limit 2) union all (select id from customers order by id limit 2)",
    "select region, percentile_cont(0.5) within group (order by price) as median, percentile_cont(array[0.1, 0.9]) "
    "within group (order by price), mode() within group (order by qty) from orders group by region order by 1",
    "select count(*) from orders group by region order by count",
    "select date_trunc('month', day), count(*) from orders group by 1 order by date_trunc",
    # with
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20) select i, i * i from n",
    "with recursive a as (select * from b where x > 1), b as (select 1 as x union all select 2) select * from a",
    "with months as (select date_trunc('month', day) as m, sum(qty) as q from orders group by 1) "
    "select m, q, q - lag(q) over (order by m) as change from months order by m",
    "with hidden as (select 1 as id) select hidden.id from hidden",
    'with "Orders" as (select 1 as id) select "Orders".id from "Orders"',
    "with t as materialized (select * from orders) select count(*) from t",
    # joins and subqueries
    "select c.name, count(o.id) from customers as c left join orders o on o.customer_id = c.id group by c.id "
    "order by 2 desc, 1 limit 5",
    "select count(*) from orders o natural join (select id as customer_id from customers) x",
    "select count(*) from orders join customers using (id) cross join (select 1 as one) q",
    "select a.id, b.id from customers a full outer join orders b on a.id = b.id + 19990 order by 1, 2 limit 5",
    "select count(*) from (orders o join customers c on c.id = o.customer_id)",
    "select c.name, x.id from customers c cross join lateral (select o.id from orders o where o.customer_id = c.id "
    "order by o.price desc, o.id limit 1) x order by 1 limit 4",
    "select c.name, t.tag, t.n from customers c, unnest(c.tags) with ordinality as t(tag, n) order by c.id, t.n "
    "limit 4",
    "select id from orders where (region, qty) in (values ('north', 1), ('south', 2)) order by id limit 3",
    "select id from orders where customer_id = any (array[1, 2]) and qty >= all (select 1) order by id limit 3",
    "select name, (select max(o.price) from orders o where o.customer_id = c.id) as best from customers c limit 5",
    "select public.orders.id, orders.qty from public.orders order by 1 limit 2",
    "select o from orders o order by id limit 1",
    "select distinct on (region) region, o.* from orders o order by region, price desc, id",
    # dates
    "select day + 1, day - date '2024-01-01', day + interval '1 month', extract(year from day), date_part('dow', day), "
    "to_char(day, 'YYYY-MM'), age(date '2024-03-01', day), make_date(2024, 2, 29) from orders order by id limit 3",
    "select count(*) from orders where day >= date '2024-12-31' - interval '90 days' and day < '2025-01-01'::date",
    "select d::date, extract(isodow from d) from generate_series(date '2024-01-01', '2024-01-05', interval '1 day') d",
    "select timestamp '2024-01-01 10:00' at time zone 'UTC' at time zone 'Europe/Berlin', interval '1 day 2 hours', "
    "interval '3' hour, timestamptz '2024-01-01 00:00+00' = '2024-01-01 01:00+01'",
    "select (date '2024-01-01', date '2024-02-01') overlaps (date '2024-01-15', interval '1 day')",
    # texts
    "select upper(name), left(name, 4), substring(name from 2 for 3), substring(name from '[0-9]+'), position('t' in "
    "name), trim(both 'c' from name), split_part(name, ' ', 2), lpad(id::text, 5, '0'), initcap(name), concat_ws('-', "
    "name, null, region), format('%s: %s', name, id), overlay(name placing 'X' from 1 for 1) from customers limit 2",
    "select name from customers where name ilike 'CUST 1_' and name !~ '5$' and name similar to '%(1|2)%' order by id",
    "select regexp_match(note, '(\\w+);'), regexp_replace(note, '\\d+', '#', 'g'), note ~ 'drop', note !~* 'DROP' from "
    "orders limit 2",
    "select 'it''s' || ' ' || name, e'tab\\there\\'s', $$it's $x$$, $q$a$$b$q$, u&'\\0441' from customers limit 1",
    "select name from customers order by name collate \"C\" desc nulls last limit 3",
    "select string_agg(distinct region, ', ' order by region desc), array_agg(distinct qty order by qty) from orders",
    "select x'1F', b'101', encode('abc'::bytea, 'hex'), md5('a'), ascii('a'), chr(98), quote_literal('a''b'), '%', "
    "100 % 7",
    # numbers, cases, nulls
    "select case region when 'north' then 1 else 0 end, coalesce(note, ''), nullif(qty, 1), greatest(qty, 3), "
    "least(1, 2), num_nulls(1, null) from orders limit 3",
    "select round(price, 1), abs(-3), 7 / 2, 7 % 3, 7.0 / 2, 2 ^ 3, sqrt(4), 5 & 3, 5 | 3, 5 # 3, 1 << 4, ~5, -qty, "
    "width_bucket(5.3, 0, 10, 5), div(7, 2), mod(7, 3), trunc(1.5) from orders limit 1",
    "select null is null, 1 is distinct from 2, qty isnull, qty notnull, (qty > 1) is true, (qty > 1) is not unknown, "
    "not (qty = 1), qty between symmetric 3 and 1 from orders limit 2",
    "select cast('12' as integer), 3::real, 3.5::numeric(5, 2), '1'::text::int, 'a'::varchar(3), '{1,2}'::int[], "
    "'[1,5)'::int4range, 't'::boolean, '{\"a\": 1}'::jsonb, '1 day'::interval, 3::double precision, '10'::money::text",
    # json, arrays
    "select meta -> 'emails' -> 0, meta -> 'emails' ->> -1, meta ->> 'tier', meta #>> '{emails,0}', meta ? 'tier', "
    "meta ?| array['a', 'tier'], meta @> '{\"tier\": 1}', meta - 'tier', jsonb_typeof(meta), meta @? '$.tier', "
    "jsonb_path_query_first(meta, '$.emails[*]') from customers order by id limit 2",
    "select '{\"it''s\": 1, \"0\": 2}'::jsonb ->> 'it''s', '{\"0\": 2}'::jsonb -> '0', '{\"$.a\": 3}'::json ->> '$.a'",
    "select e.key, e.value from customers c, jsonb_each(c.meta) as e order by c.id, e.key limit 4",
    "select c.id, e.value, e.ordinality from customers c, jsonb_array_elements_text(c.meta -> 'emails') with "
    "ordinality "
    "as e order by c.id limit 3",
    "select x.a, x.b from jsonb_to_recordset('[{\"a\": 1, \"b\": \"x\"}]') as x(a int, b text)",
    "select jsonb_agg(qty order by id), json_build_object('n', count(*)), jsonb_object_agg(id, qty) from orders where "
    "id < 4",
    "select tags[1], tags[1:1], array_length(tags, 1), array_to_string(tags, '/'), 'a' = any(tags), tags && "
    "array['a'], "
    "tags @> array['a'], tags || array['z'], array(select id from orders order by id limit 2), array[[1, 2], [3, "
    "4]] from "
    "customers order by id limit 1",
    "select row_to_json(o), to_jsonb(o) -> 'qty' from (select id, qty from orders order by id limit 1) o",
    "select to_tsvector('english', note) @@ plainto_tsquery('drop'), ts_rank(to_tsvector(note), to_tsquery('table')) "
    "from orders order by id limit 1",
    # odd but plain
    "select id, unnest(tags) as tag, generate_series(1, 2) from customers order by id, tag limit 4",
    "select x, y from lateral unnest(array[1, 2], array['a', 'b']) as t(x, y)",
    "values (1, 'a'), (2, 'b')",
    "table customers",
    "select v.column1, v.column2 from (values (1, 'a'), (2, 'b')) v",
    "select * from (values (1, 'a')) as t(x, y) where t.y = 'a'",
    "select count(*) from orders tablesample bernoulli (100)",
    "select id from orders order by id offset 2 rows fetch next 2 rows only",
    "select s.count, s.max from (select count(*), max(qty) from orders) s",
    'SELECT COUNT(*) AS "N", Sum(QTY) FROM Orders AS O WHERE o.Region = \'north\'',
    "select pg_catalog.lower(name), pg_catalog.count(*) from customers group by 1 order by 1 limit 2",
    "select 1 as one limit all",
    "select 'Łódź', '-- not a comment; drop table x', E'\\\\' /* a /* nested */ comment */",
]  # fmt: skip

ATTACKS = [
    # names that only look admitted
    ("with hidden as (select * from hidden) select * from hidden", "sql_unknown_table"),
    ('with "HIDDEN" as (select 1 as id) select * from hidden', "sql_unknown_table"),
    ('with hidden as (select 1 as id) select * from "HIDDEN"', "sql_unknown_table"),
    ("with recursive hidden as (select * from hidden) select * from hidden", "sql_unknown_table"),
    ("with orders as (select * from hidden) select * from orders", "sql_unknown_table"),
    ("with a as (select * from hidden), hidden as (select 1) select * from a", "sql_unknown_table"),
    ("(with hidden as (select 1 as id) select 1 from hidden) union all select id from hidden", "sql_unknown_table"),
    ("with hidden as (select 1 as id) select * from public.hidden", "sql_unknown_table"),
    ('select * from "ORDERS"', "sql_unknown_table"),
    ('select * from "public.orders"', "sql_unknown_table"),
    ('select * from "public"."hidden"', "sql_unknown_table"),
    ("select * from guard.public.orders", "sql_unknown_table"),
    ("select * from pg_temp.orders", "sql_unknown_table"),
    ("select * from only orders", "sql_not_allowed"),
    ("select * from orders_" + "x" * 70, "sql_not_allowed"),
    # un-admitted tables in odd places
    ("table hidden", "sql_unknown_table"),
    ("select * from orders, lateral (select secret from hidden) x", "sql_unknown_table"),
    ("select array(select secret from hidden)", "sql_unknown_table"),
    ("select id from orders where 'a' = any (select secret from hidden)", "sql_unknown_table"),
    ("select * from unnest(array(select secret from hidden))", "sql_unknown_table"),
    ("select * from generate_series(1, (select id from hidden))", "sql_unknown_table"),
    ("select count(*) filter (where id in (select id from hidden)) from orders", "sql_unknown_table"),
    ("select percentile_cont((select id from hidden)) within group (order by id) from orders", "sql_unknown_table"),
    ("select sum(qty) over (order by (select max(id) from hidden)) from orders", "sql_unknown_table"),
    ("select 1 fetch first (select id from hidden) rows only", "sql_not_allowed"),
    ("select * from orders group by grouping sets ((id), ((select id from hidden)))", "sql_unknown_table"),
    ("select * from (orders join hidden using (id))", "sql_unknown_table"),
    ("select row((select secret from hidden))", "sql_unknown_table"),
    ("select (select h from hidden h)", "sql_unknown_table"),
    ("select extract(year from (select now() from hidden))", "sql_unknown_table"),
    ("select distinct on ((select id from hidden)) id from orders", "sql_unknown_table"),
    ("select tags[(select id from hidden)] from customers", "sql_unknown_table"),
    ("select * from rows from (generate_series(1, 2), pg_ls_dir('/')) t", "sql_not_allowed"),
    # the catalogue
    ("select * from pg_class", "sql_unknown_table"),
    ("select * from pg_stat_activity", "sql_unknown_table"),
    ("select rolpassword from pg_catalog.pg_authid", "sql_unknown_table"),
    ("select * from information_schema.tables", "sql_unknown_table"),
    ("select 'hidden'::regclass", "sql_not_allowed"),
    ("select 'hidden'::\"regclass\"", "sql_not_allowed"),
    ("select 'hidden'::pg_catalog.regclass", "sql_not_allowed"),
    ("select 1::oid", "sql_not_allowed"),
    ("select '1'::evil_domain", "sql_not_allowed"),
    ("select cast(1 as public.evil)", "sql_not_allowed"),
    ("select tableoid, ctid, xmin from orders", "sql_not_allowed"),
    ("select o.ctid from orders o", "sql_unknown_column"),
    ("select user", "sql_not_allowed"),
    ("select current_user", "sql_not_allowed"),
    ("select session_user || current_role", "sql_not_allowed"),
    ("select current_catalog, current_schema", "sql_not_allowed"),
    ("select * from current_user", "sql_unknown_table"),
    # functions in any dress
    ("select pg_sleep(5)", "function_not_allowed"),
    ("select \"pg_sleep\"(5)", "function_not_allowed"),
    ("select pg_catalog.pg_sleep(5)", "function_not_allowed"),
    ("select public.lower('x')", "function_not_allowed"),
    ("select evil.sum(qty) from orders", "function_not_allowed"),
    ("select \"LOWER\"('x')", "function_not_allowed"),
    ("select * from pg_catalog.generate_series(1, 2)", "sql_unknown_table"),
    ("select sd()", "function_not_allowed"),
    ("select o.sd from orders o", "sql_unknown_column"),
    ("select o.leak from (select * from orders) o", "sql_unknown_column"),
    ("select (o).leak from orders o", "sql_unknown_column"),
    ("select (row(1)).pg_sleep", "sql_unknown_column"),
    ("select set_config('role', 'admin', false)", "function_not_allowed"),
    ("select pg_read_file('/etc/passwd')", "function_not_allowed"),
    ("select lo_get(1)", "function_not_allowed"),
    ("select * from dblink('x', 'select 1') as t(a int)", "function_not_allowed"),
    ("select query_to_xml('select * from hidden', true, true, '')", "function_not_allowed"),
    ("select ts_rewrite('a'::tsquery, 'select secret from hidden')", "function_not_allowed"),
    ("select nextval('sq')", "function_not_allowed"),
    ("select case when pg_advisory_lock(1) is null then 1 end", "function_not_allowed"),
    ("select id from orders order by pg_notify('a', 'b')", "function_not_allowed"),
    ("select has_table_privilege('hidden', 'select')", "function_not_allowed"),
    ("select pg_typeof(1)", "function_not_allowed"),
    ("select version()", "function_not_allowed"),
    ("select xmlparse(document '<a/>')", "sql_syntax"),
    ("select json_populate_record(null::hidden, '{}')", "function_not_allowed"),
    ("select 1 operator(public.+) 2", "sql_not_allowed"),
    ("select format('%s', variadic array['a'])", "sql_not_allowed"),
    # statements and clauses
    ("select * into x from orders", "sql_not_allowed"),
    ("select * from orders for update", "sql_not_allowed"),
    ("select * from (select * from orders for share) q", "sql_not_allowed"),
    ("with d as (delete from orders returning *) select * from d", "sql_not_allowed"),
    ("with d as (insert into orders(id) values (1) returning *) select * from d", "sql_not_allowed"),
    ("copy orders to program 'id'", "sql_not_allowed"),
    ("do $$ begin perform 1; end $$", "sql_not_allowed"),
    ("set role admin", "sql_not_allowed"),
    ("set transaction read write", "sql_not_allowed"),
    ("show all", "sql_not_allowed"),
    ("prepare p as select 1", "sql_not_allowed"),
    ("explain analyze select 1", "sql_not_allowed"),
    ("lock table orders", "sql_not_allowed"),
    ("notify x", "sql_not_allowed"),
    ("declare c cursor for select 1", "sql_not_allowed"),
    ("create temp table x as select 1", "sql_not_allowed"),
    ("select 1; select 2", "sql_not_allowed"),
    ("commit", "sql_not_allowed"),
    # texts the generator would write back as SQL
    ('select extract("year from x), (select secret from hidden" from day) from orders', "sql_not_allowed"),
    ('select cast(1 as "evil), (select secret from hidden")', "sql_not_allowed"),
    ("select * from orders semi join customers using (id)", "sql_not_allowed"),
    ("select id from orders qualify row_number() over () = 1", "sql_not_allowed"),
    # placeholders without values
    ("select $1", "sql_not_allowed"),
    ("select ?", "sql_not_allowed"),
    ("select %s", "sql_not_allowed"),
    ("select %(name)s", "sql_not_allowed"),
    ("select 1\0", "sql_not_allowed"),
]  # fmt: skip

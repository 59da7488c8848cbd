"""Queries over the SQLite fixtures of the cases: ordinary analysis of many kinds, and attacks of many kinds."""

LEGITIMATE = [
    "select json_array_length(doc -> 'n'), upper(doc -> 'n' ->> 0), value from (select '{\"n\": [1, 2]}' as doc) s, "
    "json_each(doc -> '$.n')",
    # grouping, windows, sets
    "select region, count(*), sum(qty * price) as revenue, avg(price), total(qty) from orders group by region",
    "select region, count(*) filter (where qty > 3) as big, sum(qty) filter (where region = 'north') from orders",
    "select id, sum(qty) over (partition by customer_id order by id) as running from orders order by id limit 9",
    "select id, lag(qty, 1, 0) over w, lead(qty) over w, first_value(qty) over w, nth_value(qty, 2) over w, ntile(4) "
    "over w, row_number() over w from orders window w as (partition by region order by id) order by id limit 5",
    "select id, avg(qty) over (order by id rows between 3 preceding and current row exclude current row) from orders "
    "order by id limit 5",
    "select id, sum(qty) over (order by qty groups between 1 preceding and current row) from orders order by id "
    "limit 5",
    "select customer_id, count(*) as n from orders group by customer_id having n > 9 order by n desc, 1 limit 3",
    "select region from orders union select name from customers order by 1 limit 4",
    "select customer_id from orders intersect select id from customers order by 1 limit 4",
    "select id from customers except select customer_id from orders where qty > 6",
    # with
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20) select i, i * i from n",
    "with n(i) as (select 1 union all select i + 1 from n where i < 5) select sum(i) from n",
    "with a as (select * from b where x > 1), b as (select 1 as x union all select 2) select * from a",
    "with months as (select strftime('%Y-%m', day) as m, sum(qty) as q from orders group by 1) "
    "select m, q, q - lag(q) over (order by m) as change from months order by m",
    "with hidden as (select 1 as id) select hidden.id from hidden",
    "with t as materialized (select * from orders) select count(*) from t",
    "select * from (with x as (select 1 as a) select a from x)",
    # joins and subqueries
    "select c.name, count(o.id) from customers as c left join orders o on o.customer_id = c.id group by c.name "
    "order by 2 desc, 1 limit 5",
    "select count(*) from orders o natural join (select id as customer_id from customers)",
    "select count(*) from orders join customers using (id)",
    "select a.id, b.id from customers a full outer join orders b on a.id = b.id + 1990 order by 1, 2 limit 5",
    "select count(*) from (orders o join customers c on c.id = o.customer_id)",
    "select name from customers c where exists (select 1 from orders o where o.customer_id = c.id and o.qty > 6)",
    "select id from orders where customer_id in (select id from customers where name like 'cust 1%') order by id "
    "limit 3",
    "select id from orders where (region, qty) in (values ('north', 1), ('south', 2)) order by id limit 3",
    "select id from orders where (qty, price) > (6, 100) order by id limit 3",
    "select name, (select max(o.price) from orders o where o.customer_id = c.id) as best from customers c limit 5",
    # dates
    "select date('2024-01-31', '+1 month'), date(day, 'start of month', '+1 month', '-1 day') from orders limit 2",
    "select strftime('%Y', day) as y, strftime('%W', day), julianday('2024-03-01') - julianday(day), "
    "unixepoch('2024-01-01'), datetime(0, 'unixepoch'), time('12:30') from orders limit 2",
    "select count(*) from orders where day >= date('2024-12-31', '-90 days') and day < '2025-01-01'",
    # texts
    "select upper(name), substr(name, 1, 4), substring(name, 2), instr(name, ' '), length(name), trim('  x '), "
    "ltrim('xxa', 'x'), replace(name, 'cust', 'c'), printf('%05.2f', 3.14159), format('%d', 7) from customers limit 2",
    "select name from customers where name glob 'cust 1[0-9]' and name not like '%5' escape '!' order by name",
    "select 'it''s' || ' ' || \"name\", [region], `region` from customers limit 1",
    "select name from customers order by name collate nocase desc nulls last limit 3",
    "select hex('abc'), x'616263', quote('a''b'), unicode('a'), char(97, 98), typeof(1.5), soundex('x') is null",
    "select group_concat(distinct region), group_concat(name, '; ') from (select name, region from customers limit 3)",
    # numbers, cases, nulls
    "select case region when 'north' then 1 else 0 end, case when qty > 3 then 'many' end, iif(qty > 3, 1, 0), "
    "ifnull(note, ''), coalesce(null, qty), nullif(qty, 1), max(qty, 3), min(1, 2) from orders limit 3",
    "select round(price, 1), abs(-3), 7 / 2, 7 % 3, 7.0 / 2, 5 & 3, 5 | 3, 1 << 4, ~5, -qty, - -3 from orders limit 1",
    "select pow(2, 3), sqrt(2), ln(2), log10(100), ceil(1.2), floor(1.8), sign(-2), mod(7, 3), pi() > 3",
    "select cast('12' as integer), cast(3 as real), cast(3 as text), cast('3.5' as numeric), cast('1.25' as "
    "decimal(5,2))",
    "select null is null, 1 is not 2, 'a' is 'a', qty isnull, qty notnull, qty is distinct from 3, not qty from orders "
    "limit 2",
    "select 1 = 1, 1 == 1, 1 <> 2, 1 != 2, true, false, 0x1F, 1e3, .5 from orders limit 1",
    "select qty between 1 and 3, qty not between 1 and 3, qty in (1, 2), qty not in (1) from orders limit 2",
    # json
    "select meta -> '$.tier', meta ->> '$.tier', meta ->> 'tier', json_extract(meta, '$.tier'), json_type(meta) from "
    "customers limit 1",
    "select j.key, j.value, j.type from customers c, json_each(c.tags) as j limit 4",
    "select t.fullkey, t.atom from json_tree('{\"a\": [1, {\"b\": 2}]}') t where t.atom is not null",
    "select json_group_array(qty), json_group_object(id, qty) from (select id, qty from orders limit 3)",
    "select json_array(1, 'a', null), json_object('k', 1), json_array_length(tags), json_valid(meta) from customers "
    "limit 1",
    # odd but plain
    "select o.*, rowid from orders as o limit 2",
    "values (1, 'a'), (2, 'b')",
    "select * from main.orders limit 1 offset 2",
    "select distinct region, qty from orders order by qty, 1 limit 0 + 3",
    "SELECT COUNT(*) AS \"N\", Sum(QTY) FROM Orders AS O WHERE o.Region = 'north'",
    "select max(price), note from orders",
    "select 1 as a, 2 as b limit 1, 5",
    "select 'Łódź', 'ünïcödé 東京', '-- not a comment; drop table x'",
]  # fmt: skip

ATTACKS = [
    # names that only look admitted
    ("with hidden as (select * from hidden) select * from hidden", "sql_unknown_table"),
    ("with recursive hidden as (select * from hidden) select * from hidden", "sql_unknown_table"),
    ("with orders as (select * from hidden) select * from orders", "sql_unknown_table"),
    ("with x as (select 1), y as (select * from HIDDEN) select * from x", "sql_unknown_table"),
    ("select * from (with hidden as (select 1) select 1) a, hidden", "sql_unknown_table"),
    ("(with hidden as (select 1 as id) select 1 from hidden) union all select id from hidden", "sql_unknown_table"),
    ("select * from [hidden]", "sql_unknown_table"),
    ("select * from `hidden`", "sql_unknown_table"),
    ("select * from 'hidden'", "sql_unknown_table"),
    ("select * from \"HIDDEN\"", "sql_unknown_table"),
    ("select * from main.hidden", "sql_unknown_table"),
    ("select * from temp.orders", "sql_unknown_table"),
    ("select * from other.orders", "sql_unknown_table"),
    ('select * from "main"."hidden"', "sql_unknown_table"),
    # un-admitted tables in odd places
    ("select 1 in hidden", "sql_not_allowed"),
    ("select id from orders where id in main.hidden", "sql_not_allowed"),
    ("select 1 in pragma_table_info('hidden')", "sql_not_allowed"),
    ("select (select secret from hidden)", "sql_unknown_table"),
    ("select sum(qty) over (order by (select max(id) from hidden)) from orders", "sql_unknown_table"),
    ("select count(*) filter (where id in (select id from hidden)) from orders", "sql_unknown_table"),
    ("select 1 order by (select secret from hidden)", "sql_unknown_table"),
    ("select 1 limit (select id from hidden)", "sql_unknown_table"),
    ("select 1 limit 1 offset (select id from hidden)", "sql_unknown_table"),
    ("values ((select secret from hidden))", "sql_unknown_table"),
    ("select qty from orders group by (select secret from hidden)", "sql_unknown_table"),
    ("select * from orders join customers on (select secret from hidden) = name", "sql_unknown_table"),
    ("select * from json_each((select json_array(secret) from hidden))", "sql_unknown_table"),
    ("select case when exists (select 1 from hidden) then 1 end", "sql_unknown_table"),
    ("select * from (orders, hidden)", "sql_unknown_table"),
    ("select name from customers where name like (select secret from hidden)", "sql_unknown_table"),
    ("select cast((select secret from hidden) as text)", "sql_unknown_table"),
    # the catalogue and virtual tables
    ("select sql from sqlite_master", "sql_unknown_table"),
    ("select * from sqlite_temp_schema", "sql_unknown_table"),
    ("select * from sqlite_stat1", "sql_unknown_table"),
    ("select * from pragma_database_list", "sql_unknown_table"),
    ("select * from pragma_table_list()", "function_not_allowed"),
    ("select * from dbstat('main')", "function_not_allowed"),
    ("select * from bytecode('select 1')", "function_not_allowed"),
    ("select * from generate_series(1, 1000000000)", "function_not_allowed"),
    ("select * from orders('x')", "function_not_allowed"),
    ("select * from fts5vocab", "sql_unknown_table"),
    # functions
    ("select load_extension('x')", "function_not_allowed"),
    ("select \"load_extension\"('x')", "function_not_allowed"),
    ("select load_extension/**/('x')", "function_not_allowed"),
    ("select readfile('/etc/passwd')", "function_not_allowed"),
    ("select fts3_tokenizer('simple')", "function_not_allowed"),
    ("select length(randomblob(1000000000))", "function_not_allowed"),
    ("select zeroblob(1000000000)", "function_not_allowed"),
    ("select eval('drop table orders')", "function_not_allowed"),
    ("select sqlite_version()", "function_not_allowed"),
    ("select total_changes()", "function_not_allowed"),
    ("select raise(abort, 'x')", "function_not_allowed"),
    ("select name regexp 'x' from customers", "sql_not_allowed"),
    ("select name match 'x' from customers", "sql_not_allowed"),
    # statements
    ("attach 'x.db' as x", "sql_not_allowed"),
    ("detach main", "sql_not_allowed"),
    ("pragma writable_schema = 1", "sql_not_allowed"),
    ("create temp table t as select 1", "sql_not_allowed"),
    ("create temp view orders as select 666", "sql_not_allowed"),
    ("insert into orders(id) select 1", "sql_not_allowed"),
    ("update orders set qty = 1", "sql_not_allowed"),
    ("with x as (select 1) update orders set qty = 1", "sql_not_allowed"),
    ("replace into orders(id) values (1)", "sql_not_allowed"),
    ("explain select 1", "sql_not_allowed"),
    ("savepoint x", "sql_not_allowed"),
    ("begin exclusive", "sql_not_allowed"),
    ("analyze", "sql_not_allowed"),
    ("select 1; select 2", "sql_not_allowed"),
    ("select 1;;pragma query_only = 0", "sql_not_allowed"),
    ("select * from orders indexed by i", "sql_not_allowed"),
    # texts the generator would write back as SQL
    ('select cast(1 as "evil), (select secret from hidden")', "sql_not_allowed"),
    ("select cast(1 as [evil) from hidden --])", "sql_not_allowed"),
    ("select 'a' 'b'", "sql_not_allowed"),
    ("select distinct on (region) region from orders", "sql_not_allowed"),
    ("select day::date from orders", "sql_not_allowed"),
    ("select cast(day as date) from orders", "sql_not_allowed"),
    ("select 1 from orders qualify row_number() over () = 1", "sql_not_allowed"),
    ("select * from (select 1) t(a)", "sql_not_allowed"),
    # placeholders without values
    ("select ?", "sql_not_allowed"),
    ("select :a", "sql_not_allowed"),
    ("select @a", "sql_not_allowed"),
    ("select $a", "sql_not_allowed"),
    ("select ?99999", "sql_not_allowed"),
    ("select 1\0", "sql_not_allowed"),
]  # fmt: skip

"""Ordinary analysis of many kinds is allowed, and runs with the rows the original text gives."""

import pytest

from runtime.sqlguard import validate
from runtime.sqlguard.second_opinion import check_with_duckdb

QUERIES = [
    "select region, sum(qty) over (partition by region order by id rows between 2 preceding and current row) "
    "from orders order by id limit 9",
    "select id, sum(qty) over (order by day range between interval 7 days preceding and current row) from orders "
    "order by id limit 5",
    "select id, sum(qty) over (order by id rows 2 preceding exclude current row) s from orders order by id limit 5",
    "select region, day, price from orders qualify row_number() over (partition by region order by price desc, id) = 1",
    "select region, qty, sum(price) from orders group by grouping sets ((region), (qty), ()) order by all",
    "select [x * 2 for x in range(5) if x % 2 = 0] as evens",
    "select list_transform(tags, x -> upper(x)) from customers order by id limit 2",
    "select list_transform([1, 2], (x, i) -> x + i), list_reduce([1, 2, 3], lambda a, b: a + b)",
    "select apply([1, 2], lambda x: x+1), list_filter([1, 2], lambda x:x>1), [3].apply(lambda date: date + 1)",
    "select s.a, s['b'], struct_extract(s, 'a') from (select {'a': 1, 'b': 'x'} as s)",
    "select o.id, c.name from orders o asof join customers c on o.customer_id >= c.id order by o.id limit 4",
    "select c.id, x.n from customers c, lateral (select count(*) n from orders o where o.customer_id = c.id) x "
    "order by c.id limit 3",
    "select a.range, b.id from range(3) a positional join orders b where a.range is not null",
    "unpivot (select id, qty, customer_id from orders where id < 3) on qty, customer_id into name field value v",
    "select field, count(*) from (select id, qty, customer_id from orders) unpivot (v for field in (qty, customer_id)) "
    "group by field order by 1",
    "select * from orders pivot (sum(qty) as q for region in ('north', 'south') group by customer_id) "
    "order by 1 limit 3",
    "with x as (select region, qty from orders) pivot x on region using sum(qty)",
    "with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select sum(n) from r",
    "with recursive r as (select 1 as n union select n + 1 from r where n < 5), s as (select max(n) m from r) from s",
    "select date_trunc('week', day), date_diff('day', day, date '2024-12-31'), date_add(day, interval 1 month), "
    "extract(dow from day), strftime(day, '%Y-%m'), last_day(day), dayname(day) from orders order by id limit 3",
    "select strptime('04/03/2024', '%d/%m/%Y')::date, try_strptime('x', '%Y'), make_date(2024, 2, 29), age(date "
    "'2024-03-01', date '2024-02-01'), epoch_ms(0), to_timestamp(0) at time zone 'UTC'",
    "select regexp_replace(note, '[0-9]+', '#', 'g'), regexp_extract(note, '(\\d+)', 1), regexp_matches(note, 'drop') "
    "from orders order by id limit 2",
    "select regexp_extract('a=1', '(\\w)=(\\d)', ['k', 'v']), regexp_split_to_array('a,b', ','), 'x' similar to 'x|y'",
    "select split_part(name, ' ', 2), instr(name, 'st'), position('t' in name), lpad(name, 12, '.'), left(name, 2), "
    "name[1:2], trim(both 'c' from name), substring(name from 2 for 3), initials from (select name, upper(name[1]) as "
    "initials from customers order by id limit 2)",
    "select printf('%05.1f|%s', 3.14, 'a'), format('{:,}', 1234567), concat_ws('-', 'a', null, 'b'), 'a' || 1",
    "select meta->>'tier', meta->'emails'->>0, json_extract_string(meta, '$.emails[0]'), json_array_length(meta, "
    "'$.emails'), json_keys(meta) from customers order by id limit 2",
    'select \'{"a.b": 1, "a": {"b": 2}}\'::json ->> \'a.b\' as dotted',
    "select count(*) filter (where qty > 3), sum(price) filter (region = 'north'), avg(qty) from orders",
    "select percentile_cont(0.5) within group (order by price), "
    "percentile_disc(0.9) within group (order by price desc) from orders where id = 1",
    "select * exclude (note) replace (qty * 2 as qty) rename (day as ordered) from orders order by id limit 2",
    "select min(columns('q.*|price')), max(columns(* exclude (note, region, day))) from orders",
    "select columns(c -> c like '%id'), columns([x for x in (*) if x like 'q%']) from orders order by 1 limit 2",
    "select coalesce(*columns(['note', 'region'])) from orders order by id limit 2",
    "from orders select region, count(*) group by all order by 1",
    "from (from orders where qty > 3) select count(*)",
    "table customers",
    "select * from orders tablesample reservoir(5 rows) repeatable (42)",
    "select string_agg(distinct region, '/' order by region), list(distinct qty order by qty), group_concat(region) "
    "from orders where id < 6",
    "select arg_max(id, price, 3), max(price, 2), first(id order by id desc), approx_count_distinct(region) "
    "from orders",
    "select lag(qty) over w, lead(qty, 1, 0) over w, first_value(qty ignore nulls) over w, ntile(4) over w, "
    "percent_rank() over w from orders window w as (partition by region order by id) order by id limit 4",
    "select distinct on (region) region, id from orders order by region, id desc",
    "select * from orders semi join customers on orders.customer_id = customers.id and customers.id = 3 order by id",
    "select count(*) from orders anti join customers using (id)",
    "(select region from orders where id = 1) union by name (select region, qty from orders where id = 2)",
    "select region from orders intersect all select region from customers order by 1 limit 3",
    "values (1, 'a'), (2, 'b')",
    "select * from (values (1, 'a'), (2, 'b')) t(x, y) where y = 'b'",
    "select case region when 'north' then 1 else 0 end, if(qty > 3, 'many', 'few'), ifnull(null, 1), nullif(qty, 1), "
    "greatest(1, 2), least(1, 2), qty between 1 and 3 from orders order by id limit 3",
    "select qty // 2, qty % 2, 2 ^ 3, 2 ** 3, @ -5, 7 / 2, 5 & 3, 1 << 2, -qty, +qty from orders order by id limit 2",
    "select try(1 / 0), try_cast('x' as int), '12'::decimal(5, 1), 1::hugeint, [1]::int[], {'a': 1}::struct(a int)",
    "select region, median(price), quantile_cont(price, [0.25, 0.75]), stddev_samp(price), histogram(qty) from orders "
    "group by region having count(*) > 1 order by 1",
    "select e'tab\\there', $$it's$$, $q$a$$b$q$, 'it''s', 'Łódź', 'semi;colon -- no comment'",
    "select map {'a': 1}['a'], map {}, map([1, 2], ['x', 'y']), map_keys(map {'k': 2}), cardinality(map {'k': 2})",
    "select unnest(tags) as tag, count(*) from customers group by 1 order by 2 desc, 1 limit 3",
    'select * from json_each(\'{"a": 1, "b": 2}\')',
    "select i, generate_series from range(3) t(i), generate_series(1, 2)",
    "select main.orders.id from main.orders order by 1 limit 1",
    "SELECT Id FROM ORDERS ORDER BY iD LIMIT 1",
    "\ufeffselect 1 as one;",
    "select id from orders where region in ['north', 'east'] and note ilike '%1%' and not (qty is null) "
    "order by 1 limit 3",
    "select total: sum(price), n: count(*) from o: orders",
    "select id, qty from orders order by qty desc nulls last, id asc limit 5 offset 2",
    "select x from orders o, lateral (with hidden as (select o.id as x) select x from hidden) order by 1 limit 2",
    "with hidden as (select 1 as a), b as (with c as (select * from hidden) select * from c) select * from b",
    "with orders as (select 99 as id) select id, (select count(*) from main.orders) from orders",
]


@pytest.mark.parametrize("sql", QUERIES, ids=range(len(QUERIES)))
def test_runs_with_the_same_rows(sql, engine, policy, admitted):
    query = validate(sql, policy)
    check_with_duckdb(engine, query.sql, admitted)
    meant = sql.replace("x -> upper(x)", "lambda x: upper(x)")  # the arrow is gone from the engine, not from models
    meant = meant.replace("(x, i) -> x + i", "lambda x, i: x + i").replace("c -> c like", "lambda c: c like")
    expected = engine.execute(meant.lstrip("\ufeff")).fetchall()
    assert sorted(map(repr, engine.execute(query.sql).fetchall())) == sorted(map(repr, expected))


def test_tables_filters_and_aggregates_are_told(policy):
    query = validate(
        "select c.name, count(*) n from ORDERS o join customers c on c.id = o.customer_id "
        "where o.region = 'Nord' and lower(c.name) like 'a%' and 'x' = note and c.region in ('e', 'w') group by 1",
        policy,
    )
    assert query.tables == ("customers", "orders")
    assert query.output == ("name", "n")
    assert query.has_aggregate
    found = {(f.table, f.column, f.value, f.operator) for f in query.filters}
    assert found == {
        ("orders", "region", "Nord", "="),
        ("customers", "name", "a%", "like"),
        ("orders", "note", "x", "="),
        ("customers", "region", "e", "in"),
        ("customers", "region", "w", "in"),
    }


@pytest.mark.parametrize(
    ("sql", "has_aggregate"),
    [
        ("select qty from orders", False),
        ("select sum(qty) over () from orders", False),
        ("select sum(qty) filter (where qty > 1) over (order by id) from orders", False),
        ("select sum(qty) filter (where qty > 1) from orders", True),
        ("select percentile_cont(0.5) within group (order by qty) from orders", True),
        ("select max(qty) + 1 from orders", True),
    ],
)
def test_window_is_no_aggregate(sql, has_aggregate, policy):
    assert validate(sql, policy).has_aggregate is has_aggregate


@pytest.mark.parametrize(
    ("sql", "output"),
    [
        ("select sum(price), qty from orders group by qty", ("sum(price)", "qty")),
        ("select Count(*) , price::int from orders group by all", ("Count(*)", "price::int")),
        ("from orders select qty is distinct from 3, upper( region )", ("qty is distinct from 3", "upper( region )")),
        ("with a as (select 1 as x) select distinct x + 1 from a", ("x + 1",)),
        ("select 1 + 1 union all select 2", ("1 + 1",)),
        ("select * from orders", ("*",)),
        ("select o.qty, {'a': 1}.a, qty as q from orders o", ("qty", "{'a': 1}.a", "q")),
    ],
)
def test_output_names_are_the_original_text(sql, output, engine, policy):
    query = validate(sql, policy)
    assert query.output == output
    if "*" not in output:
        assert tuple(column[0] for column in engine.execute(query.sql).description) == output


def test_names_fold_as_the_engine_folds(policy):
    assert validate('select * from "CAFé SALES"', policy).tables == ("café sales",)


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("pivot orders on region using sum(qty)", True),
        ("select * from (pivot orders on region, day using count(*) group by id)", True),
        ("pivot orders on region in ('north', 'south'), day using sum(qty)", True),
        ("pivot orders on region in ('north', 'south') using sum(qty)", False),
        ("select * from orders pivot (sum(qty) for region in ('north', 'south') group by customer_id)", False),
        ("unpivot (select id, qty, customer_id from orders) on qty, customer_id", False),
        ("select region from orders", False),
    ],
)
def test_it_is_known_when_values_of_rows_become_names(sql, named, policy):
    assert validate(sql, policy).named_by_rows is named

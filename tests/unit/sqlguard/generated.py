"""Generated texts over admitted and un-admitted names: nested queries by a grammar, and soups of tokens."""

from hypothesis import strategies as st

# Mostly admitted, so that most texts get as far as the engine.
TABLES = ["orders", "customers"] * 8 + [
    "c", "d", "hidden", "HIDDEN", '"hidden"', '"Orders"', "{schema}.orders", "{schema}.hidden", "other.orders",
    "hidden as orders", "orders as hidden",
]  # fmt: skip
CTE_NAMES = ["c", "d", "hidden", "Hidden", '"HIDDEN"', '"hidden"', "orders", "hidden(id)", "c(id, secret)"]
EXPRESSIONS = [
    "id", "o.id", "count(*)", "1 as id", "({})", "*", "o.*", "orders.id", "id in ({})", "exists ({})", "max(secret)",
    "sum(id) over (order by ({}))", "coalesce(({}), 1)", "case when exists ({}) then ({}) end", "hidden.secret",
    "o.secret", "count(*) filter (where id in ({}))", "forbidden(({}))", "upper('x')", "1 as x",
]  # fmt: skip
SOURCES = [
    "{t}", "({q}) s", "{t} o join {t2} p on true", "{t}, {t2}", "({t} o cross join {t2} p)", "{t} o left join ({q}) p "
    "on p.id = o.id", "{t} natural join {t2}", "{t} o, ({q}) p",
]  # fmt: skip
SHAPES = [
    "{a} union all {b}", "with {n} as ({a}) {b}", "with recursive {n} as ({a}) {b}",
    "with recursive {n} as ({a} union all {b}) {c}", "with {n} as ({a} union {b}) {c}",
    "with {n} as ({a}), {m} as ({b}) {c}", "with recursive {n} as ({a}), {m} as ({b}) {c}", "{a} intersect {b}",
    "select * from ({a}) x, ({b}) y", "select id from orders where id in ({a}) and exists ({b})",
    "select * from (with {n} as ({a}) {b}) z, {n}", "{a} order by ({b})", "{a} limit ({b})",
]  # fmt: skip

SOUP = """select from where with recursive as ( ) ( ) , , * orders hidden customers "hidden" "HIDDEN" HIDDEN o main .
public . main.hidden public.hidden union all except intersect left join lateral on true using ( id ) natural group by
having order by limit 1 offset case when then else end sum count max ( id ) secret a b x over partition exists not and
or in = < > + - ~ :: int cast values array [ ] 'x' e'\\'' $$ $q$ -- /* */ ; ? ?1 :a @a $1 distinct filter within
interval
'1' day extract year row date json_each jsonb_each unnest generate_series pg_sleep load_extension pragma_table_info
table only tablesample explain copy insert delete update into returning materialized 0x1f 1e5 "int) from hidden --"
for update collate nocase glob match regexp indexed -> ->> #> @> ? | & user current_user regclass fetch first rows
union all from hidden , hidden with hidden as ( select 1 ) [hidden] `hidden` 'hidden' is null
""".split()


@st.composite
def queries(draw, schema, depth=3):
    """A query of bounded depth whose tables, CTE names and places are drawn; `schema` qualifies some tables."""
    if depth and draw(st.booleans()):
        parts = {key: draw(queries(schema, depth=depth - 1)) for key in "ab"}
        shape = draw(st.sampled_from(SHAPES))
        parts["c"] = draw(queries(schema, depth=depth - 1)) if "{c}" in shape else ""
        names = st.sampled_from(CTE_NAMES)
        return shape.format(**parts, n=draw(names), m=draw(names))
    tables = st.sampled_from([table.replace("{schema}", schema) for table in TABLES])
    inner = draw(queries(schema, depth=depth - 1)) if depth > 1 else f"select id from {draw(tables)}"
    source = draw(st.sampled_from(SOURCES)).format(t=draw(tables), t2=draw(tables), q=inner)
    expression = draw(st.sampled_from(EXPRESSIONS)).replace("{}", inner)
    return f"select {expression} from {source}"


def soups():
    """Tokens in any order after SELECT."""
    return st.lists(st.sampled_from(SOUP), max_size=25).map(lambda words: "select " + " ".join(words))

"""Random SQL over tables with masked columns: every place in which one may stand, and many in which it may not."""

from hypothesis import strategies as st

COLUMNS = {"customers": ("id", "name", "email"), "contacts": ("id", "customer_id", "email", "phone")}
MASKED = {"customers": frozenset({"email"}), "contacts": frozenset({"email", "phone"})}
OF_POSTGRES = {
    "rowid": "ctid",
    "group_concat({x})": "string_agg({x}::text, ',')",
    "iif({x}, 1, 2)": "row_to_json(c)",
}

NAMES = [
    "id",
    "name",
    "email",
    "c.email",
    "c.id",
    "k.email",
    "k.phone",
    "phone",
    "e",
    "s.e",
    "c",
    "rowid",
    "customer_id",
]
EXPRESSIONS = [
    "{x}", "{x} as e", "{x} as id", "count({x})", "count(distinct {x})", "{x} is null", "{x} = {y}", "{x} = 'b@x'",
    "max({x})", "upper({x})", "{x} || ''", "case when {x} > {y} then 1 end", "({q})", "exists ({q})", "{x} in ({q})",
    "*", "c.*", "s.*", "count(*)", "coalesce({x}, {y})", "row_number() over (order by {x})", "({x})", "1", "'b@x' as e",
    "(select {x})", "sum({x} = {y})", "group_concat({x})", "iif({x}, 1, 2)",
]  # fmt: skip
SOURCES = [
    "customers c", "contacts k", "customers", "customers c join contacts k on {x} = {y}", "customers c, contacts k",
    "customers c join contacts k using (email)", "({q}) s", "customers c join ({q}) s on {x} = {y}", "w", "w as s",
    "customers c natural join ({q})", "customers c left join contacts k on {x} is not null", "customers c, ({q}) s",
]  # fmt: skip
WHERES = ["", "", "", "where {x} = {y}", "where {x} is not null", "where {x} = 'b@x'", "where {x} like 'a%'",
          "where {x} < {y}", "where exists ({q})", "where {x} in ({q})", "where ({x}) = ({q})"]  # fmt: skip
ENDS = ["", "", "", "order by {x}", "order by 1", "order by 2 desc", "group by {x}", "group by 1", "limit 2",
        "group by name having {x} = {y}", "order by {x} = {y}", "limit ({q})"]  # fmt: skip
WHOLE = ["{a}", "{a}", "{a} union all {b}", "{a} union {b}", "{a} except {b}", "with w as ({a}) {b}",
         "with w(id, e) as ({a}) {b}", "with w as ({a} union all {b}) select * from w"]  # fmt: skip


@st.composite
def selects(draw, dialect, depth=2):
    """One SELECT; `depth` bounds how deep others stand in it."""

    def chosen(texts):
        text = draw(st.sampled_from(texts))
        return OF_POSTGRES.get(text, text) if dialect == "postgres" else text

    def filled(text):
        while "{q}" in text:
            inner = draw(selects(dialect, depth - 1)) if depth else "select email from contacts k"
            text = text.replace("{q}", inner, 1)
        for hole in ("{x}", "{y}"):
            while hole in text:
                text = text.replace(hole, chosen(NAMES), 1)
        return text

    listed = [chosen(EXPRESSIONS) for _ in range(draw(st.integers(1, 2)))]
    parts = [", ".join(listed), chosen(SOURCES), chosen(WHERES)]
    items, source, where = (filled(part) for part in parts)
    return f"select {items} from {source} {where} {filled(chosen(ENDS))}"


@st.composite
def texts(draw, dialect):
    """One statement in the words of `dialect`."""
    shape = draw(st.sampled_from(WHOLE))
    text = shape.replace("{a}", draw(selects(dialect)))
    return text.replace("{b}", draw(selects(dialect))) if "{b}" in text else text

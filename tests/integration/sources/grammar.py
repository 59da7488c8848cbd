"""Random SQL over what is admitted and what isn't: mostly sound queries, with every way to a hidden value mixed in."""

from __future__ import annotations

from hypothesis import strategies as st

OPEN = {
    "customers": ("id", "name", "region", "email", "pin"),
    "contacts": ("id", "customer_id", "email"),
    "orders": ("id", "customer_id", "amount", "note"),
    "products": ("id", "label", "price"),
    "open_products": ("id", "label"),
    "addresses": ("id", "address"),
}
HIDDEN_TABLES = ("salaries", "paid", "order_notes", "zextra")
HIDDEN_COLUMNS = ("ssn", "secret_note", "secret_amount", "secret", "remark")
SYSTEM = {
    "sqlite": ("rowid", "_rowid_", "oid"),
    "postgres": ("ctid", "xmin", "tableoid", "oid"),
    "duckdb": ("rowid", "filename"),
}
SCHEMAS = {"sqlite": ("main", "temp"), "postgres": ("public", "pg_temp"), "duckdb": ("main", "temp")}
CATALOGUE = {
    "sqlite": ("sqlite_master", "sqlite_schema", "sqlite_stat1", "pragma_table_info('salaries')", "dbstat", "temp.x"),
    "postgres": (
        "information_schema.columns", "pg_catalog.pg_class", "pg_stats", "pg_stat_user_tables", "pg_shadow",
        "query_to_xml('select * from salaries', true, true, '')", "pg_ls_dir('.')", "generate_series(1, 3)",
    ),
    "duckdb": (
        "information_schema.tables", "duckdb_tables()", "query('select * from salaries')", "glob('{outside}/*')",
        "read_csv('{outside}/salaries.csv')", "read_text('{outside}/salaries.csv')", "'{outside}/salaries.csv'",
        "query_table('salaries')",
    ),
}  # fmt: skip
FUNCTIONS = {
    "sqlite": ("hex", "typeof", "quote", "length", "json_quote", "load_extension", "readfile", "unicode", "count",
               "max"),
    "postgres": ("md5", "length", "row_to_json", "to_jsonb", "pg_column_size", "pg_typeof", "count", "max", "ascii",
                 "pg_read_file", "lo_import", "set_config", "quote_literal", "array_agg", "hashtext"),
    "duckdb": ("md5", "length", "to_json", "hash", "typeof", "count", "max", "getenv", "list", "unicode", "any_value"),
}  # fmt: skip
WRITES = (
    "DELETE FROM {t}", "UPDATE {t} SET {c} = NULL", "INSERT INTO {t} ({c}) VALUES (1)", "DROP TABLE {t}",
    "CREATE TABLE thief AS SELECT * FROM {t}", "CREATE VIEW thief AS SELECT * FROM {t}", "ALTER TABLE {t} ADD z TEXT",
    "WITH gone AS (DELETE FROM {t} RETURNING *) SELECT * FROM gone", "SELECT * INTO thief FROM {t}",
    "SELECT 1; DELETE FROM {t}", "PRAGMA writable_schema = 1", "ATTACH 'thief.db' AS thief", "VACUUM INTO 'thief.db'",
    "COPY {t} TO '/tmp/thief.csv'", "COPY (SELECT {c} FROM {t}) TO PROGRAM 'cat'", "TRUNCATE {t}", "REINDEX",
    "SELECT * FROM {t} FOR UPDATE", "EXPLAIN ANALYZE DELETE FROM {t}", "SELECT setval('thief', 1)", "VACUUM", "ANALYZE",
    "SELECT lo_creat(-1)", "SELECT lo_from_bytea(0, 'x')", "SELECT pg_notify('a', 'b')", "SET ROLE postgres",
    "REPLACE INTO {t} ({c}) VALUES (1)", "DO $$ BEGIN DELETE FROM {t}; END $$", "LOCK TABLE {t}",
    "BEGIN; DELETE FROM {t}",
)  # fmt: skip
OPERATORS = ("=", "<>", "<", ">=", "||", "+", "-", "IS NOT DISTINCT FROM", "LIKE", "AND", "OR", "IN")


@st.composite
def queries(draw: st.DrawFn, dialect: str) -> str:
    """One statement."""
    kind = draw(st.integers(0, 19))
    if kind == 0:
        return draw(st.sampled_from(WRITES)).format(t=draw(_table(dialect)), c=draw(_column(dialect, "t")))
    if kind == 1:
        return (
            f"{draw(_select(dialect, 1))} {draw(st.sampled_from(('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')))} "
            + draw(_select(dialect, 1))
        )
    if kind == 2:
        shadow = draw(st.sampled_from((*OPEN, *HIDDEN_TABLES)))
        return f"WITH {shadow} AS ({draw(_select(dialect, 1))}) SELECT * FROM {draw(_name(dialect, shadow))}"
    if kind == 3:
        names = [draw(st.sampled_from((*OPEN, *HIDDEN_TABLES))) for _ in range(2)]
        return f"SELECT * FROM {names[0]} NATURAL JOIN {names[1]}"
    return draw(_select(dialect, 2))


def _mostly(common: st.SearchStrategy[str], rare: st.SearchStrategy[str], one_in: int) -> st.SearchStrategy[str]:
    return st.integers(1, one_in).flatmap(lambda number: rare if number == one_in else common)


def _table(dialect: str) -> st.SearchStrategy[str]:
    names = _mostly(st.sampled_from(tuple(OPEN)), st.sampled_from(HIDDEN_TABLES), 10)
    return names.flatmap(lambda name: _name(dialect, name))


def _name(dialect: str, name: str) -> st.SearchStrategy[str]:
    spellings = [f'"{name}"', name.upper(), f"/**/{name}", *(f"{schema}.{name}" for schema in SCHEMAS[dialect])]
    return _mostly(st.just(name), st.sampled_from(spellings), 12)


def _column(dialect: str, table: str) -> st.SearchStrategy[str]:
    known = OPEN.get(table, ("id", "name", "customer_id", "email", "pin", "amount"))
    odd = st.sampled_from((*HIDDEN_COLUMNS, *SYSTEM[dialect], "*", table))
    return _mostly(st.sampled_from(known), odd, 12).flatmap(
        lambda name: st.sampled_from((name, name, f"{table}.{name}"))
    )


@st.composite
def _expression(draw: st.DrawFn, dialect: str, table: str, depth: int) -> str:
    column = draw(_column(dialect, table))
    kind = draw(st.integers(0, 11))
    if kind < 6 or depth == 0:
        return column
    if kind == 6:
        return f"{draw(st.sampled_from(FUNCTIONS[dialect]))}({column})"
    if kind == 7:
        other = draw(
            st.one_of(_column(dialect, table), st.sampled_from(("1", "'a'", "NULL", "700000003", "'Ж'", "'%1'")))
        )
        return f"({column} {draw(st.sampled_from(OPERATORS[:-1]))} {other})"
    if kind == 8:
        return f"CASE WHEN {column} IS NULL THEN 1 ELSE {draw(_column(dialect, table))} END"
    if kind == 9:
        inner, function = draw(_table(dialect)), draw(st.sampled_from(("max", "count", "min")))
        return f"(SELECT {function}({draw(_column(dialect, 'x'))}) FROM {inner} AS x)"
    if kind == 10:
        return f"CAST({column} AS INTEGER)"
    return f"count(*) OVER (PARTITION BY {column})"


@st.composite
def _from(draw: st.DrawFn, dialect: str, depth: int) -> tuple[str, str, bool]:
    """The text after FROM, the name by which columns are meant, and whether it is one table."""
    table = draw(st.sampled_from(tuple(OPEN)))
    kind = draw(st.integers(0, 11))
    if kind < 6 or depth == 0:
        return draw(_name(dialect, table)), table, True
    if kind == 6:
        return draw(_table(dialect)) + " AS t", "t", True
    if kind == 7:
        return f"({draw(_select(dialect, depth - 1))}) AS t", "t", False
    if kind == 8:
        return draw(st.sampled_from(CATALOGUE[dialect])), table, False
    other = draw(_table(dialect))
    if kind == 9:
        key = draw(st.sampled_from(("id", "email", "customer_id", "ssn", "secret")))
        return f"{table} JOIN {other} AS o USING ({key})", table, False
    if kind == 10:
        left, right = draw(_column(dialect, table)), draw(_column(dialect, "o"))
        return f"{table} LEFT JOIN {other} AS o ON {left} = {right}", table, False
    return f"{table}, LATERAL ({draw(_select(dialect, 0))}) AS o", table, False


@st.composite
def _select(draw: st.DrawFn, dialect: str, depth: int) -> str:
    origin, table, single = draw(_from(dialect, depth))
    columns = draw(st.lists(_expression(dialect, table, depth), min_size=1, max_size=3))
    parts = [f"SELECT {draw(st.sampled_from(('', '', '', 'DISTINCT ')))}{', '.join(columns)} FROM {origin}"]
    if draw(st.integers(0, 2)) == 0:
        parts.append(f"WHERE {draw(_condition(dialect, table, depth))}")
    clause = draw(st.integers(0, 9))
    column = draw(_column(dialect, table))
    if clause == 0:
        parts.append(f"GROUP BY {column}")
    elif clause == 1:
        parts.append(f"GROUP BY {', '.join(columns)} HAVING count({column}) > 0")
    elif clause in (2, 3):
        limit = f" LIMIT {draw(st.integers(1, 3))}" if single and "DISTINCT" not in parts[0] else ""
        parts.append(f"ORDER BY {column}{limit}")
    return " ".join(parts)


@st.composite
def _condition(draw: st.DrawFn, dialect: str, table: str, depth: int) -> str:
    column = draw(_column(dialect, table))
    kind = draw(st.integers(0, 4))
    if kind == 0:
        literal = draw(st.sampled_from(("1", "'north'", "700000003")))
        return f"{column} {draw(st.sampled_from(OPERATORS[:4]))} {literal}"
    if kind == 1:
        return f"EXISTS (SELECT 1 FROM {draw(_table(dialect))} AS x WHERE x.{draw(_column(dialect, 'x'))} = {column})"
    if kind == 2:
        return f"{column} IN (SELECT {draw(_column(dialect, 'x'))} FROM {draw(_table(dialect))} AS x)"
    if kind == 3:
        return f"{column} IS NOT NULL"
    return f"{draw(_expression(dialect, table, depth))} > 2"

"""The list of PostgreSQL's functions is tied to the server that is asked here; what it does not know stays refused."""

import pytest

from runtime.sqlguard import GuardPolicy, QueryRefused, validate
from runtime.sqlguard.rules import function_data, rules_for

RULES = rules_for("postgres")
DATA = function_data("postgres")
# The grammar's own, which no table of functions lists.
GRAMMAR = set("coalesce greatest least nullif grouping row".split())
# Newer than the oldest server listed.
NEWER = set(
    "any_value array_reverse array_sample array_shuffle array_sort casefold crc32 crc32c date_add date_subtract erf "
    "erfc gamma json_scalar lgamma random_normal to_bin to_oct uuid_extract_timestamp uuid_extract_version uuidv4 "
    "uuidv7".split()
)
# Their answer is another one each time, and they change nothing.
ANEW = set(
    "clock_timestamp gen_random_uuid random random_normal timeofday uuidv4 uuidv7 array_sample array_shuffle".split()
)

FUNCTIONS = """
SELECT proname, prokind::text, provolatile::text, prosecdef,
       proargtypes::regtype[] && '{regclass,regproc,regprocedure,cstring,internal}'::regtype[]
FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
"""


@pytest.fixture(scope="module")
def functions(guarded):
    return guarded.owner.execute(FUNCTIONS).fetchall()


def test_what_is_allowed_is_a_function_of_the_engine(functions):
    names = {name for name, *_ in functions}
    assert RULES.scalars - names <= GRAMMAR | NEWER
    assert RULES.table_functions <= names


def test_nothing_that_is_allowed_changes_anything(functions):
    volatile = {name for name, _, how, *_ in functions if how == "v"}
    assert volatile & (RULES.scalars | RULES.table_functions) <= ANEW


def test_nothing_that_is_allowed_reads_the_catalogue_by_name_or_runs_as_another(functions):
    dangerous = {name for name, _, _, definer, by_name in functions if definer or by_name}
    assert not dangerous & (RULES.scalars | RULES.table_functions)


def test_a_function_is_an_aggregate_or_a_window_here_when_it_is_one_there(functions):
    kinds: dict[str, set[str]] = {}
    for name, kind, *_ in functions:
        kinds.setdefault(name, set()).add(kind)
    assert all("a" in kinds[name] for name in RULES.aggregates - NEWER)
    assert all("w" in kinds[name] for name in DATA["window"])
    assert not set(DATA["denied"]) & RULES.scalars


def test_every_other_function_of_the_engine_is_refused(functions):
    for name in sorted({name for name, *_ in functions} - RULES.scalars - RULES.table_functions):
        for text in (f'select "{name}"(1)', f"select * from {name}(1) as t"):
            with pytest.raises(QueryRefused):
                validate(text, GuardPolicy({}, dialect="postgres"))


def test_every_allowed_function_passes_by_name_in_any_case():
    own_grammar = {"position", "substring", "overlay", "grouping", "row", "interval", "time", "timestamp"}
    for name in sorted(RULES.scalars - own_grammar):
        validate(f'select {name}(1), "{name}"(1), {name.upper()}(2)', GuardPolicy({}, dialect="postgres"))

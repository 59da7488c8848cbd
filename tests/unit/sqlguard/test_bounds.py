"""Long, deep and slow texts are refused before a parser sees them, and no text takes the process down."""

import json
import subprocess
import sys

import pytest

from runtime.limits import DEFAULT
from runtime.sqlguard import GuardPolicy, QueryRefused, validate

POLICY = GuardPolicy({"orders": ("id",)})


def code_of(sql, policy=POLICY):
    with pytest.raises(QueryRefused) as refused:
        validate(sql, policy)
    return refused.value.code


def test_length_counts_bytes():
    fits = "select '" + "a" * (DEFAULT.sql_bytes - 9) + "'"
    validate(fits, POLICY)
    assert code_of(fits + " ") == "sql_too_long"
    assert code_of("select '" + "é" * (DEFAULT.sql_bytes // 2) + "'") == "sql_too_long"
    assert code_of("select 1234567890", GuardPolicy({}, max_bytes=10)) == "sql_too_long"


@pytest.mark.parametrize(("opening", "closing"), ["()", "[]"])
def test_nesting_counts_brackets_outside_literals_and_comments(opening, closing):
    deepest = DEFAULT.sql_nesting
    validate(f"select {opening * deepest}1{closing * deepest}", POLICY)
    assert code_of(f"select {opening * (deepest + 1)}1{closing * (deepest + 1)}") == "sql_too_deep"
    validate(f"select '{opening * 500}' /* {opening * 500} */ -- {opening * 500}", POLICY)


@pytest.mark.parametrize("unit", ["not ", "- ", "+ ", "~ ", "case when ", "interval "])
def test_a_long_run_of_prefixes_is_refused(unit):
    assert code_of("select " + unit * 3_000 + "1") in ("sql_too_deep", "sql_syntax")


@pytest.mark.parametrize("call", ["date(", "row(", "decimal(", "struct(", "array["])
def test_type_names_that_make_the_parser_exponential_are_refused(call):
    closing = "]" if call.endswith("[") else ")"
    assert code_of(f"select {call * 40}1{closing * 40}") == "sql_too_deep"


@pytest.mark.parametrize("unit", ["join orders ", "left join orders ", "left join (select 1 from orders "])
def test_joins_without_on_that_make_the_parser_exponential_are_refused(unit):
    assert code_of("select 1 from orders " + unit * 40) == "sql_too_deep"


def test_a_few_joins_without_on_and_many_with_one_are_fine():
    policy = GuardPolicy({"orders": ("id",)}, dialect="sqlite")
    validate("select 1 from orders a join orders b join orders c left join orders d", policy)
    validate("select 1 from orders a join orders b join orders c on b.id = c.id on a.id = b.id", policy)
    validate("select 1 from orders " + "join orders using (id) cross join orders " * 40, policy)


def test_shallow_nests_of_type_names_are_fine():
    validate("select date(date(id)), row(row(row(1))), array[array[array[1]]], id::struct(a int[], b row(c int)) "
             "from orders", POLICY)  # fmt: skip


CRASHERS = [
    "select * from " + "(" * 32_000,
    "select " + "(select " * 4_000,
    "select " + "x -> " * 6_000,
    "select " + "[" * 32_000,
    "select 1" + "+1" * 16_000,
    "select 1 " + "union select 1 " * 2_000,
    "select * from orders " + "join orders on true " * 1_500,
    "select " + "orders." * 4_000 + "id",
    "select id" + "::int" * 6_000,
    "select * from orders " + "join orders " * 60,
    "select join 'a' " + "join 'a' " * 60,
    "select * from orders left join (select * from orders " * 25,
    "select id" + "[1]" * 9_000,
    "select " + "case when " * 3_000,
    "select " + "lambda x: " * 3_000,
    "with a as (select 1) " * 1_500,
    "-> " * 9_000,
    "in " * 9_000,
    "; " * 9_000,
    "else " * 6_000,
]


@pytest.mark.parametrize("unit", ["[1]", ".a", ".f()", "[1].a"])
def test_a_long_run_of_accessors_is_refused(unit):
    assert code_of("select id" + unit * 600) == "sql_too_deep"
    validate("select id[1][2].a.b['k'] from orders", POLICY)


def test_no_text_kills_the_process():
    program = (
        "import sys, json, threading\n"
        "from runtime.sqlguard import *\n"
        "policy = GuardPolicy({'orders': ('id',)})\n"
        "done = []\n"
        "def run():\n"
        "    for sql in json.load(sys.stdin):\n"
        "        try: validate(sql, policy)\n"
        "        except QueryRefused: pass\n"
        "        done.append(1)\n"
        "thread = threading.Thread(target=run); thread.start(); thread.join()\n"
        "print(len(done))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(CRASHERS), capture_output=True, text=True, timeout=300
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, str(len(CRASHERS))), ran.stderr[-2_000:]


def test_only_a_query_with_an_arrow_is_told_how_lambdas_are_written():
    with pytest.raises(QueryRefused) as refused:
        validate("select id frm orders where", POLICY)
    assert refused.value.code == "sql_syntax" and "lambda" not in refused.value.hint
    with pytest.raises(QueryRefused) as refused:
        validate("select list_transform([1], x -> x + 1 from orders", POLICY)
    assert "lambda x:" in refused.value.hint

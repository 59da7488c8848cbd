"""What the manifest doesn't admit doesn't exist in the structure: by no table, key, view, comment or column."""

from __future__ import annotations

from dataclasses import replace

from runtime.admission.manifest import AllowDeny, ColumnRules
from runtime.catalog import CatalogColumn, CatalogTable, ForeignKey, Structure, TableKind
from runtime.catalog.admitted import admitted

ALL, ANY = AllowDeny(), ColumnRules()


def table(name: str, *columns: str, schema: str = "public", **more) -> CatalogTable:
    made = tuple(CatalogColumn(column, "text") for column in columns)
    return CatalogTable(f"{schema}.{name}", schema, name, TableKind.TABLE, made, **more)


def view(name: str, *columns: str, reads: tuple[str, ...]) -> CatalogTable:
    return replace(table(name, *columns), kind=TableKind.VIEW, reads=reads)


CRM = Structure(
    "crm",
    "postgres",
    (
        view("big_customers", "id", "city", reads=("public.customers",)),
        table("customers", "id", "city", "ssn", "email", primary_key=("id",), unique=(("ssn",), ("email",))),
        table(
            "orders",
            "id",
            "customer_id",
            "clerk_id",
            primary_key=("id",),
            foreign_keys=(
                ForeignKey("a", ("customer_id",), "public.customers", ("id",)),
                ForeignKey("b", ("clerk_id",), "public.salaries", ("person",)),
            ),
            comment="Paid like in salaries.",
        ),
        view("paid", "person", reads=("public.salaries",)),
        view("paid_again", "person", reads=("public.paid", "public.orders")),
        table("salaries", "person", "amount"),
        table("secrets", "code", schema="hidden"),
    ),
    "r1",
)


def names(structure: Structure) -> list[str]:
    return [table.id for table in structure.tables]


def test_everything_of_the_schemas_is_admitted_by_default() -> None:
    assert names(admitted(CRM, ALL, ANY, ["public"])) == names(CRM)[:-1]
    assert names(admitted(CRM, ALL, ANY)) == names(CRM)


def test_a_denied_table_takes_views_keys_and_comments_with_it() -> None:
    left = admitted(CRM, AllowDeny(allow=("public.*",), deny=("public.salaries",)), ANY, ["public"])
    assert names(left) == ["public.big_customers", "public.customers", "public.orders"]
    orders = left.by_id["public.orders"]
    assert [key.table for key in orders.foreign_keys] == ["public.customers"]
    assert orders.comment == ""
    assert "salaries" not in repr(left)


def test_a_denial_holds_in_any_case_and_by_bare_name() -> None:
    for pattern in ("PUBLIC.Salaries", "salaries", "*.sal*", "public.salarie?"):
        assert "public.salaries" not in names(admitted(CRM, AllowDeny(deny=(pattern,)), ANY))


def test_an_allowance_holds_only_as_written() -> None:
    assert names(admitted(CRM, AllowDeny(allow=("public.orders", "Public.Salaries", "customers")), ANY)) == [
        "public.orders"
    ]


def test_signs_of_other_pattern_languages_are_plain_text() -> None:
    odd = replace(CRM, tables=(table("a[b]", "id"), table("a+b", "id"), table("ab", "id")))
    assert names(admitted(odd, AllowDeny(allow=("public.a[b]", "public.a+b")), ANY)) == ["public.a[b]", "public.a+b"]


def test_sqlite_names_have_no_case() -> None:
    shop = Structure(
        "shop", "sqlite", (CatalogTable("Orders", "main", "Orders", TableKind.TABLE, (CRM.tables[0].columns[0],)),), "r"
    )
    for pattern in ("orders", "main.ORDERS"):
        assert names(admitted(shop, AllowDeny(allow=(pattern,)), ANY)) == ["Orders"]


def test_a_denied_column_is_in_no_key_and_behind_no_view() -> None:
    left = admitted(CRM, ALL, ColumnRules(deny=("public.customers.ssn",)), ["public"])
    customers = left.by_id["public.customers"]
    assert [column.name for column in customers.columns] == ["id", "city", "email"]
    assert customers.unique == (("email",),)
    assert "public.big_customers" not in names(left)
    assert "ssn" not in repr(left)


def test_a_denied_key_column_takes_the_key_that_points_at_it() -> None:
    left = admitted(CRM, ALL, ColumnRules(deny=("customers.id",)))
    assert [key.table for key in left.by_id["public.orders"].foreign_keys] == ["public.salaries"]
    assert left.by_id["public.customers"].primary_key == ()


def test_a_masked_column_masks_the_views_over_it() -> None:
    left = admitted(CRM, ALL, ColumnRules(mask=("*.email",)))
    assert [column.name for column in left.by_id["public.customers"].columns if column.masked] == ["email"]
    assert all(column.masked for column in left.by_id["public.big_customers"].columns)
    assert not any(column.masked for column in left.by_id["public.orders"].columns)


def test_computed_columns_follow_what_they_may_be_computed_from() -> None:
    last_four = CatalogColumn("last_four", "text", generated=True)
    customers = replace(CRM.by_id["public.customers"], columns=(*CRM.by_id["public.customers"].columns, last_four))
    one = replace(CRM, tables=(customers,))
    assert admitted(one, ALL, ColumnRules(deny=("ssn",))).tables[0].column("last_four") is None
    masked = admitted(one, ALL, ColumnRules(mask=("ssn",))).tables[0].column("last_four")
    assert masked is not None and masked.masked


def test_a_table_without_an_admitted_column_is_none() -> None:
    assert "public.salaries" not in names(admitted(CRM, ALL, ColumnRules(deny=("public.salaries.*",))))


def test_views_in_a_circle_or_over_nothing_known_are_none() -> None:
    odd = replace(
        CRM,
        tables=(
            view("a", "x", reads=("public.b",)),
            view("b", "x", reads=("public.a",)),
            view("c", "x", reads=()),
            view("d", "x", reads=("pg_catalog.pg_authid",)),
        ),
    )
    assert names(admitted(odd, ALL, ANY)) == []


def test_a_chain_of_views_of_any_length_is_followed() -> None:
    chain = [view(f"v{n}", "x", reads=(f"public.v{n + 1}",)) for n in range(300)]
    deep = replace(CRM, tables=(*chain, table("v300", "x")))
    assert len(admitted(deep, ALL, ANY).tables) == 301
    assert len(admitted(deep, AllowDeny(deny=("v300",)), ANY).tables) == 0


def test_the_revision_changes_with_structure_and_rules() -> None:
    seen = {
        admitted(CRM, ALL, ANY).revision,
        admitted(CRM, ALL, ANY, ["public"]).revision,
        admitted(CRM, ALL, ColumnRules(mask=("ssn",))).revision,
        admitted(replace(CRM, revision="r2"), ALL, ANY).revision,
    }
    assert len(seen) == 4
    assert admitted(CRM, ALL, ANY).revision == admitted(CRM, ALL, ANY).revision


FAMILY = Structure(
    "hr",
    "postgres",
    (
        table("people", "id", "name", "ssn", reads=("public.staff",), unique=(("ssn",),)),
        table("staff", "id", "name", "ssn", reads=("public.bosses",)),
        table("bosses", "id", "name", "ssn", "bonus"),
        view("names", "name", reads=("public.people",)),
    ),
    "r1",
)


def test_what_is_said_of_a_table_holds_for_those_it_inherits_from() -> None:
    left = admitted(FAMILY, ALL, ColumnRules(deny=("public.bosses.ssn",)))
    assert [column.name for column in left.by_id["public.people"].columns] == ["id", "name"]
    assert left.by_id["public.people"].partial
    assert left.by_id["public.people"].unique == ()
    assert "public.names" not in left.by_id
    masked = admitted(FAMILY, ALL, ColumnRules(mask=("bosses.ssn",)))
    assert [column.name for column in masked.by_id["public.people"].columns if column.masked] == ["ssn"]
    assert all(column.masked for column in masked.by_id["public.names"].columns)
    nothing = admitted(FAMILY, ALL, ColumnRules(deny=("bosses.id", "bosses.name", "bosses.ssn")))
    assert names(nothing) == ["public.bosses"]


def test_what_is_said_of_a_table_holds_for_its_heirs_whose_rows_are_its_own() -> None:
    left = admitted(FAMILY, ALL, ColumnRules(deny=("public.people.ssn",)))
    assert [[column.name for column in left.by_id[name].columns] for name in ("public.staff", "public.bosses")] == [
        ["id", "name"],
        ["id", "name", "bonus"],
    ]
    masked = admitted(FAMILY, ALL, ColumnRules(mask=("staff.name",)))
    assert [column.name for column in masked.by_id["public.bosses"].columns if column.masked] == ["name"]
    assert names(admitted(FAMILY, AllowDeny(deny=("public.people",)), ANY)) == []
    assert names(admitted(FAMILY, AllowDeny(deny=("staff",)), ANY)) == []  # people would show its rows


def holding(name: str, *held: str) -> CatalogTable:
    """A table with a column that holds rows of others."""
    made = table(name, "id", "held")
    return replace(made, columns=(made.columns[0], replace(made.columns[1], holds=held)))


ROWS = Structure(
    "crm",
    "postgres",
    (
        table("customers", "id", "ssn", "email"),
        holding("history", "public.customers"),
        holding("boxes", "public.customers", "public.history"),
        view("seen", "id", reads=("public.boxes",)),
        holding("others"),
    ),
    "r1",
)


def test_a_column_that_holds_rows_of_a_table_is_open_as_that_table_is() -> None:
    assert names(admitted(ROWS, ALL, ANY)) == names(ROWS)
    for rules in (
        {"columns": ColumnRules(deny=("public.customers.ssn",)), "tables": ALL},
        {"columns": ANY, "tables": AllowDeny(deny=("customers",))},
    ):
        left = admitted(ROWS, **rules)
        for name in ("public.history", "public.boxes"):
            assert [column.name for column in left.by_id[name].columns] == ["id"] and left.by_id[name].partial
        assert "public.seen" not in left.by_id and len(left.by_id["public.others"].columns) == 2
    masked = admitted(ROWS, ALL, ColumnRules(mask=("customers.email",)))
    assert [masked.by_id[name].columns[1].masked for name in ("public.history", "public.boxes", "public.others")] == [
        True, True, False,
    ]  # fmt: skip


def test_what_is_said_of_a_partition_holds_for_its_table() -> None:
    sales = table("sales", "id", "buyer", parts=(("public", "sales_eu"), ("archive", "sales_2019")))
    split = Structure("crm", "postgres", (sales,), "r1")
    assert names(admitted(split, ALL, ANY)) == ["public.sales"]
    for pattern in ("public.sales_eu", "SALES_EU", "archive.*"):
        assert names(admitted(split, AllowDeny(deny=(pattern,)), ANY)) == []
    left = admitted(split, ALL, ColumnRules(deny=("archive.sales_2019.buyer",)))
    assert [column.name for column in left.by_id["public.sales"].columns] == ["id"]
    left = admitted(split, ALL, ColumnRules(mask=("sales_eu.buyer",)))
    assert [column.masked for column in left.by_id["public.sales"].columns] == [False, True]

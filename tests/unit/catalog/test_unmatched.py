"""A rule that takes nothing is named: what allows is compared as strictly as it is applied, what closes as widely."""

from __future__ import annotations

import pytest

from runtime.admission.manifest import AllowDeny, ColumnRules
from runtime.catalog.admitted import unmatched

from .test_admitted import ALL, ANY, CRM


@pytest.mark.parametrize("pattern", ["*", "public.*", "public.customers", "public.custom?rs"])
def test_what_allows_something_is_no_slip(pattern) -> None:
    assert unmatched(CRM, AllowDeny(allow=(pattern,)), ANY) == ()


@pytest.mark.parametrize("pattern", ["customers", "Public.Customers", "sales.*"])
def test_what_allows_nothing_is_named(pattern) -> None:
    assert unmatched(CRM, AllowDeny(allow=("*", pattern)), ANY) == (("tables.allow", pattern),)


def test_what_closes_is_known_by_every_spelling_and_named_when_it_closes_nothing() -> None:
    tables = AllowDeny(deny=("SALARIES", "public.salaries", "wages"))
    columns = ColumnRules(deny=("SSN", "customers.ssn", "public.customers.snn"), mask=("email", "orders.email"))
    assert unmatched(CRM, tables, columns) == (
        ("tables.deny", "wages"),
        ("columns.deny", "public.customers.snn"),
        ("columns.mask", "orders.email"),
    )
    assert unmatched(CRM, ALL, ANY) == ()

"""The shop's policy documents: what its words mean, and what its people promise."""

from __future__ import annotations

from pathlib import Path

_POLICIES = {
    "revenue.md": """# How we count revenue

Revenue is the total amount of paid orders, minus the refunds of these orders.
An order belongs to the month in which it was placed; a refund is taken off in the month of its order.
Open and cancelled orders are no revenue.
Euros and dollars are never added up: every revenue figure names its currency.
Amounts include tax and no shipping.
The shop's table `revenue` keeps these figures, a row for each paid order.
""",
    "returns.md": """# Returns

Goods may be sent back within 30 days after the order.
Damaged goods are refunded in full, and the customer pays no shipping.
For a change of mind we refund the half when the box has been opened.
Refunds are paid in the currency of the order.
""",
    "tiers.md": """# Tiers of business accounts

An account begins as bronze.
Silver needs a monthly fee of 50 euros or more, gold one of 200 euros or more.
A tier is changed by sales and approved by Ann.
Gold accounts get an answer to a ticket within four hours.
""",
    "customers.md": """# Customers who are there twice

Some people registered a second time, and their names then stand in another case.
Count customers by their number when accounts are meant, and by their name without case when people are meant.
""",
}


def write_policies(folder: Path) -> None:
    """Writes the documents into `folder`, which is made when it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _POLICIES.items():
        (folder / name).write_bytes(text.encode())

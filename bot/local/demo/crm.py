"""The shop's CRM for a PostgreSQL database: business accounts whose tier may be changed, and their tickets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random

import psycopg
from psycopg import sql

from bot.local.demo.shop import FIRST_DAY, LAST_DAY, Shop

READER, WRITER = "footnote_demo_reader", "footnote_demo_writer"
# The comment by which a later demo knows what it may take away.
MADE_BY_DEMO = "made by footnote demo"
_TIERS = (("bronze", 9), ("silver", 60), ("gold", 210))
_OWNERS = ("Ann", "Mia", "Leo")
_PRIORITIES = ("low", "normal", "normal", "high")
_TICKETS = 320

_SCHEMA = """
CREATE TABLE accounts (
  account_id integer PRIMARY KEY, account text NOT NULL UNIQUE, tier text NOT NULL, status text NOT NULL,
  owner text NOT NULL, email text NOT NULL, monthly_fee numeric(10, 2) NOT NULL, signed_on date NOT NULL);
CREATE TABLE tickets (
  ticket_id integer PRIMARY KEY, account_id integer NOT NULL REFERENCES accounts, opened_at timestamptz NOT NULL,
  priority text NOT NULL, minutes integer);
COMMENT ON TABLE accounts IS 'Business accounts, one row each';
COMMENT ON COLUMN accounts.monthly_fee IS 'Euros a month';
COMMENT ON COLUMN tickets.minutes IS 'Minutes until the ticket was solved; empty while it is open';
"""


@dataclass(frozen=True, slots=True)
class Crm:
    """Accounts (id, account, tier, status, owner, email, euros a month, day signed) and tickets (id, account id, moment
    opened in UTC, priority, minutes until it was solved or None)."""

    accounts: tuple[tuple[int, str, str, str, str, str, int, date], ...]
    tickets: tuple[tuple[int, int, datetime, str, int | None], ...]


def make_crm(shop: Shop, seed: int = 7) -> Crm:
    """The CRM of a shop: an account for each business customer who isn't there twice. Some tickets come in the last
    hour of a UTC month, which is the next month in Berlin."""
    chance = Random(seed + 2)
    seen = dict[str, str]()
    for _, name, _, segment, _ in shop.customers:
        if segment == "business":
            seen.setdefault(name.casefold(), name)
    accounts = list[tuple[int, str, str, str, str, str, int, date]]()
    for number, name in enumerate(seen.values(), start=1):
        tier, least = _TIERS[min(chance.randrange(4), 2) if chance.random() < 0.6 else 0]
        status = "active" if chance.random() < 0.85 else "paused"
        mail = f"{name.casefold().replace(' ', '.')}@example.com"
        fee = least + chance.randrange(40)
        signed = FIRST_DAY - timedelta(days=chance.randrange(700))
        accounts.append((number, name, tier, status, chance.choice(_OWNERS), mail, fee, signed))
    tickets = list[tuple[int, int, datetime, str, int | None]]()
    minutes_in_all = (LAST_DAY - FIRST_DAY).days * 24 * 60
    for number in range(1, _TICKETS + 1):
        opened = datetime(2025, 1, 1, 6, tzinfo=UTC) + timedelta(minutes=chance.randrange(minutes_in_all))
        if number % 40 == 0:
            opened = datetime(2025, 2 + number // 40, 1, tzinfo=UTC) - timedelta(minutes=30)
        solved = None if chance.random() < 0.1 else 5 + chance.randrange(600)
        account = 1 + chance.randrange(len(accounts))
        tickets.append((number, account, opened, chance.choice(_PRIORITIES), solved))
    return Crm(tuple(accounts), tuple(tickets))


def write_crm(owner: str, password: str, crm: Crm) -> None:
    """Makes tables, rows and both roles in the empty database of the address `owner`: READER may read, WRITER may
    also change tier and status of accounts. Raises psycopg.Error."""
    with psycopg.connect(owner) as connection:
        connection.execute(_SCHEMA)
        _copy(connection, "accounts", crm.accounts)
        _copy(connection, "tickets", crm.tickets)
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        for role in (READER, WRITER):
            _make_role(connection, role, password)
        connection.execute(f"GRANT UPDATE (tier, status) ON accounts TO {WRITER}")


def _copy(connection: psycopg.Connection, table: str, rows: tuple[tuple[object, ...], ...]) -> None:
    with connection.cursor() as cursor, cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))) as out:
        for row in rows:
            out.write_row(row)


def _make_role(connection: psycopg.Connection, role: str, password: str) -> None:
    name = sql.Identifier(role)
    connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOINHERIT PASSWORD {}").format(name, sql.Literal(password)))
    connection.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(name, sql.Literal(MADE_BY_DEMO)))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(name))
    connection.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}").format(name))

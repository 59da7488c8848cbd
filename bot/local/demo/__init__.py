"""The demo's data: an invented shop as a SQLite database, its CRM in PostgreSQL, a spreadsheet, a table, policies."""

from bot.local.demo.crm import Crm, make_crm, write_crm
from bot.local.demo.data import DATABASE, FILES, TOUR, write_demo
from bot.local.demo.office import Office, make_office
from bot.local.demo.shop import FIRST_DAY, LAST_DAY, Shop, make_shop

__all__ = [
    "DATABASE",
    "FILES",
    "FIRST_DAY",
    "LAST_DAY",
    "TOUR",
    "Crm",
    "Office",
    "Shop",
    "make_crm",
    "make_office",
    "make_shop",
    "write_crm",
    "write_demo",
]

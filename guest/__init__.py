"""The sealed Python interpreter and its host. Knows nothing of the runtime."""

from guest.host.opening import open_guest
from guest.limits import GuestLimits
from guest.port import Guest, GuestResult, GuestSqlError, GuestUnavailable, Json, SqlFunction, Status

__all__ = [
    "Guest",
    "GuestLimits",
    "GuestResult",
    "GuestSqlError",
    "GuestUnavailable",
    "Json",
    "SqlFunction",
    "Status",
    "open_guest",
]

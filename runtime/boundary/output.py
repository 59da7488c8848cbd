"""Stage 6: is the output what the tool's contract promises?"""

from __future__ import annotations

from runtime.boundary.call import InFlight
from runtime.boundary.contract import Contract
from runtime.errors import CallError


async def output(flight: InFlight) -> InFlight:
    """Checks the data against the output schema and the table's own bounds. Raises `output_invalid`."""
    produced = flight.produced
    found = next(iter(Contract.of(flight.registered).output_validator.iter_errors(dict(produced.data))), None)
    if found is not None:
        where = ".".join(map(str, found.absolute_path)) or "data"
        raise CallError("output_invalid", f"{flight.call.tool} gave an unexpected result at {where}.")
    if len(produced.rows) > flight.environment.limits.evidence_rows:
        raise CallError("output_invalid", f"{flight.call.tool} kept more rows than evidence may hold.")
    width = len(produced.columns)
    if any(len(row) != width for row in produced.rows):
        raise CallError("output_invalid", f"{flight.call.tool} gave rows that do not match their columns.")
    return flight

"""Every bound of one guest run, with its source: measured by us on two shared cores, repeated in docs/guest.md."""

from dataclasses import dataclass

MIB = 1024 * 1024
PAGE_BYTES = 64 * 1024  # of WebAssembly memory

# Baked into the compiled code: wasmtime ends the process when asked for more than its async stack of 2 MiB.
STACK_BYTES = 2 * MIB
# One result table of table(columns, rows); the size is that of its JSON text.
TABLE_ROWS = 1_000
TABLE_BYTES = 256 * 1024
TABLE_COLUMNS = 100
# Output frames after the cut that a guest may still send before it is ended.
FRAMES_AFTER_CUT = 1_000


@dataclass(frozen=True)
class GuestLimits:
    """What one run may use; `concurrent` is of the whole host.

    `fuel` counts wasm operations: 10–15 G are about a second, statistics over 10,000 rows take 0.6 G.
    `wall_s` is the guest's own time: waiting for SQL doesn't count. Rows and bytes are those of SQL answers as JSON.
    """

    fuel: int = 20_000_000_000
    wall_s: float = 10.0
    memory_bytes: int = 128 * MIB
    stack_bytes: int = STACK_BYTES
    source_bytes: int = 32_000
    output_chars: int = 16_000
    error_chars: int = 4_000
    sql_calls: int = 25
    sql_rows: int = 10_000
    sql_response_bytes: int = 4 * MIB
    sql_total_bytes: int = 16 * MIB
    sql_kill_calls: int = 100
    concurrent: int = 4

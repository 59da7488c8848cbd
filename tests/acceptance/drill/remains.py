"""What a killed bot left in its state: where in their work the questions were."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.acceptance.drill.asking import BATCHES, LAST_STEP

_TURNS = """
select i.turn_id,
  (select count(*) from turns t where t.turn_id = i.turn_id) as begun,
  (select count(*) from steps s where s.run_id = i.turn_id) as replies,
  (select count(*) from calls c where c.run_id = i.turn_id) as calls,
  (select count(*) from deliveries d where d.source = i.turn_id) as parts,
  (select count(*) from deliveries d where d.source = i.turn_id and d.state = 'sent') as sent,
  (select count(*) from deliveries d where d.source = i.turn_id and d.state = 'sending' and d.kind = 'message')
    as message_in_doubt,
  (select count(*) from deliveries d where d.source = i.turn_id and d.state = 'sending' and d.kind = 'file'
    and d.progress is null) as file_in_doubt,
  (select count(*) from deliveries d where d.source = i.turn_id and d.state = 'sending' and d.kind = 'file'
    and d.progress is not null) as share_in_doubt
from inbox i where i.state in ('new', 'started')
"""


def look_into(folder: Path) -> tuple[str, ...]:
    """Where each open question stands. Reads a copy, so that the files of the dead process stay as they are."""
    if not (folder / "state.db").exists():
        return ("no state yet",)
    with TemporaryDirectory() as copied:
        for name in ("state.db", "state.db-wal"):
            if (folder / name).exists():
                shutil.copyfile(folder / name, Path(copied) / name)
        with closing(sqlite3.connect(Path(copied) / "state.db")) as connection:
            connection.row_factory = sqlite3.Row
            return tuple(_place(row) for row in connection.execute(_TURNS)) or ("nothing open in the state",)


def _place(row: sqlite3.Row) -> str:
    if not row["begun"]:
        return "kept, not begun"
    if row["parts"]:
        return _posting(row)
    due = sum(calls for calls, _ in BATCHES[: row["replies"]])
    if row["calls"] < due:
        before = sum(calls for calls, _ in BATCHES[: row["replies"] - 1])
        return f"in a batch, {'no' if row['calls'] == before else 'some'} calls journalled"
    return "after the last reply" if row["replies"] > LAST_STEP else "in a model call"


def _posting(row: sqlite3.Row) -> str:
    for name in ("message_in_doubt", "file_in_doubt", "share_in_doubt"):
        if row[name]:
            return f"posting, {name.replace('_', ' ')}"
    if row["sent"] == row["parts"]:
        return "all posted, not closed"
    return "answered, nothing posted" if not row["sent"] else "between two postings"

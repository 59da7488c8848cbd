"""The target: a real PostgreSQL whose own trigger writes down every change that was committed, and by which value."""

from __future__ import annotations

import json
from typing import Any

from runtime.testing.messages_api import Reply
from tests.acceptance.approvals.postgresql_target import PostgresqlTarget, text_of

_NOTES = """
CREATE TABLE notes (tier text, xact bigint);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO notes VALUES (NEW.tier, txid_current()); RETURN NULL; END $$;
CREATE TRIGGER note AFTER UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION note();
"""
ROWS = 3
_TOOLS = ["data_preview_postgresql_update", "data_update_postgresql"]


class Bank(PostgresqlTarget):
    """Question n sets the tier of three rows to a value of its own."""

    def create(self) -> None:
        super().create()
        with self.opened() as db:
            db.execute(_NOTES)
            db.execute(f"GRANT INSERT ON notes TO {self.roles[1]}")

    @property
    def counted(self) -> int:
        """How many changes the target itself has seen."""
        with self.opened() as db:
            return int(db.execute("SELECT count(DISTINCT xact) FROM notes").fetchone()[0])  # type: ignore[index]

    def runs(self, number: int) -> int:
        """How often the change of a question was committed."""
        with self.opened() as db:
            query = "SELECT count(DISTINCT xact), count(*) FROM notes WHERE tier = %s"
            runs, rows = db.execute(query, (tier(number),)).fetchone()  # type: ignore[misc]
        assert rows == runs * ROWS
        return int(runs)


def tier(number: int) -> str:
    return f"tier {number}"


def words(number: int) -> str:
    return f"question {number}: give the first shops their tier"


def told(number: int) -> str:
    """What the model says in the end."""
    return f"Question {number}: I have told you what came of it."


def propose(body: dict[str, Any]) -> Reply:
    """The model: loads the tools, previews, and proposes exactly what it saw. It keeps nothing in mind."""
    asked = [m for m in body["messages"] if m["role"] == "user" and "tool_result" not in json.dumps(m)][-1]
    number = int(json.dumps(asked).rpartition("question ")[2].split(":")[0])
    change = {
        "source_id": "crm",
        "table": "public.customers",
        "set": [{"column": "tier", "value": tier(number)}],
        "where": [{"column": "id", "op": "lte", "value": ROWS}],
    }
    later = body["messages"][body["messages"].index(asked) :]
    parts = [part for m in later if isinstance(m["content"], list) for part in m["content"]]
    results = [part for part in parts if part.get("type") == "tool_result"]
    if not results:
        return Reply("", [("toolbox_load", {"tool_names": _TOOLS})])
    if len(results) == 1:
        return Reply("", [("data_preview_postgresql_update", change)])
    if len(results) > 2:
        return Reply(told(number))
    seen = json.loads(text_of(results[1]))["data"]
    expected = {"expected_rows": seen["row_count"], "preview_fingerprint": seen["preview_fingerprint"]}
    return Reply("", [("data_update_postgresql", {**change, **expected})])

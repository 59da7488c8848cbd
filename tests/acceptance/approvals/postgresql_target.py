"""The same table in a real PostgreSQL, changed by the product's own tools, with a counter that the database keeps."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from runtime.capability import ApproverRule
from runtime.testing.messages_api import Reply

PASSWORD = "only-for-tests"
SCHEMA = """
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, tier text);
CREATE TABLE counter (xact bigint);
CREATE TABLE held_back (id int);
INSERT INTO customers SELECT i, 'Shop ' || i, 'silver' FROM generate_series(1, 10) AS i;
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN IF NEW.id IN (SELECT id FROM held_back) THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO counter VALUES (txid_current()); RETURN NULL; END $$;
CREATE TRIGGER keep BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION keep();
CREATE TRIGGER count_it AFTER UPDATE OF tier ON customers FOR EACH ROW WHEN (NEW.tier = 'gold')
  EXECUTE FUNCTION count_it();
"""
_COUNTED = "SELECT count(DISTINCT xact) FROM counter"


@dataclass
class PostgresqlTarget:
    """The target behind `data_update_postgresql`. Who may approve stands in the manifest."""

    dsn: str
    suffix: str = field(default_factory=lambda: uuid.uuid4().hex[:10])
    rule: ApproverRule = field(default_factory=ApproverRule)
    most_rows: int = 100
    source: str | None = "crm"

    def create(self) -> None:
        with self.opened() as db:
            db.execute(SCHEMA)
            for role in self.roles:
                db.execute(f"CREATE ROLE {role} LOGIN NOINHERIT PASSWORD '{PASSWORD}'")
                db.execute(
                    f"GRANT USAGE ON SCHEMA public TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"
                )
            db.execute(f"REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT UPDATE ON customers TO {self.roles[1]}")
            db.execute(f"GRANT INSERT ON counter TO {self.roles[1]}")

    def drop(self) -> None:
        with self.opened() as db:
            named = ", ".join(self.roles)
            db.execute(f"DROP OWNED BY {named}; DROP ROLE {named}")

    @property
    def roles(self) -> tuple[str, str]:
        return f"reader_{self.suffix}", f"writer_{self.suffix}"

    @contextmanager
    def opened(self) -> Iterator[psycopg.Connection[Any]]:
        with psycopg.connect(self.dsn, autocommit=True) as db:
            yield db

    def environment(self) -> dict[str, str]:
        """The addresses that the manifest refers to."""
        parts = urlsplit(self.dsn)
        reader, writer = (
            urlunsplit(parts._replace(netloc=f"{role}:{PASSWORD}@{parts.hostname}:{parts.port}")) for role in self.roles
        )
        return {"CRM_READ_URL": reader, "CRM_WRITE_URL": writer}

    def manifest(self, channels: tuple[str, ...]) -> str:
        """The source as an operator declares it."""
        rule = self.rule
        update = {
            "table": "public.customers",
            "columns": ["tier"],
            "max_rows": self.most_rows,
            "approvers": {"users": list(rule.users), "groups": list(rule.groups)},
            "self_approval": rule.self_approval,
            "expires": f"{rule.expires_s}s",
        }
        source = {
            "id": "crm",
            "kind": "postgresql",
            "url": "${CRM_READ_URL}",
            "updates_url": "${CRM_WRITE_URL}",
            "audience": {"channels": list(channels), "external": True},
            "updates": [update],
        }
        return f"sources: {json.dumps([source])}\n"

    @property
    def executed(self) -> int:
        with self.opened() as db:
            return int(db.execute(_COUNTED).fetchone()[0])  # type: ignore[index]

    def proposing(self, rows: int) -> Any:
        """A model that loads the tools, previews, and proposes exactly what it saw."""
        change = {
            "source_id": "crm",
            "table": "public.customers",
            "set": [{"column": "tier", "value": "gold"}],
            "where": [{"column": "id", "op": "lte", "value": rows}],
        }

        def script(body: dict[str, Any]) -> Reply:
            asked = [m for m in body["messages"] if m["role"] == "user" and "tool_result" not in json.dumps(m)]
            if "make the first shops gold" not in json.dumps(asked[-1]):
                return Reply("All right.")
            results = [
                part
                for message in body["messages"][body["messages"].index(asked[-1]) :]
                for part in (message["content"] if isinstance(message["content"], list) else [])
                if part.get("type") == "tool_result"
            ]
            if not results:
                names = ["data_preview_postgresql_update", "data_update_postgresql"]
                return Reply("", [("toolbox_load", {"tool_names": names})])
            if len(results) == 1:
                return Reply("", [("data_preview_postgresql_update", change)])
            seen = json.loads(text_of(results[1]))
            if len(results) > 2 or not seen.get("ok"):
                return Reply("I have told you what came of it.")
            expected = {
                "expected_rows": seen["data"]["row_count"],
                "preview_fingerprint": seen["data"]["preview_fingerprint"],
            }
            return Reply("", [("data_update_postgresql", {**change, **expected})])

        return script


def text_of(result: dict[str, Any]) -> str:
    content = result["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)

"""The demo's own PostgreSQL ends with the demo, however that ends."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from bot.local.demo import make_crm, make_shop, postgresql
from bot.local.demo.postgresql import DSN_VARIABLE, crm_addresses
from runtime.errors import ConfigurationError
from tests import postgres_server

_DEMO = """
import sys
from bot.local.demo import make_crm, make_shop
from bot.local.demo.postgresql import crm_addresses
with crm_addresses(make_crm(make_shop())) as addresses:
    print(addresses["CRM_READ_URL"], flush=True)
    sys.stdin.read()
"""


def test_a_killed_demo_leaves_no_server() -> None:
    environment = {name: value for name, value in os.environ.items() if name != DSN_VARIABLE}
    command = [sys.executable, "-c", _DEMO]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True) as demo:
        assert demo.stdout is not None
        address = demo.stdout.readline().strip()
        with psycopg.connect(address) as connection:
            demo.kill()
            with pytest.raises(psycopg.OperationalError):  # the server goes while it waits
                connection.execute("SELECT pg_sleep(100)")


def test_an_orderly_end_leaves_neither_server_nor_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DSN_VARIABLE, raising=False)
    made = list[str]()
    make = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **how: made.append(make(**how)) or made[-1])
    with crm_addresses(make_crm(make_shop())) as addresses:
        assert addresses is not None
    (folder,) = made
    assert not Path(folder).exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(addresses["CRM_READ_URL"])


@pytest.mark.parametrize("named", ["postgresql://nobody:hidden@127.0.0.1:9/postgres", "no address at all"])
def test_a_named_server_that_cannot_be_used_is_told_in_words(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv(DSN_VARIABLE, named)
    with pytest.raises(ConfigurationError, match=f"cannot be used: .*{DSN_VARIABLE}") as told:
        crm_addresses(make_crm(make_shop())).__enter__()
    assert "hidden" not in str(told.value)


def test_a_named_server_loses_nothing_but_what_a_demo_made(monkeypatch: pytest.MonkeyPatch) -> None:
    crm = make_crm(make_shop())
    with postgres_server.own_server() as server, psycopg.connect(server.dsn, autocommit=True) as owner:
        monkeypatch.setenv(DSN_VARIABLE, server.dsn)
        for theirs in ("DATABASE footnote_demo", "ROLE footnote_demo_reader"):
            owner.execute(f"CREATE {theirs}")
            with pytest.raises(ConfigurationError, match=f"has a {theirs.lower()} that no demo made"):
                crm_addresses(crm).__enter__()
            owner.execute(f"DROP {theirs}")  # it is still there
        killed = crm_addresses(crm)
        assert killed.__enter__() is not None
        with crm_addresses(crm) as addresses:
            assert addresses is not None
            with psycopg.connect(addresses["CRM_READ_URL"]) as reader:
                assert reader.execute("SELECT count(*) FROM accounts").fetchone() == (len(crm.accounts),)
        killed.__exit__(None, None, None)


def test_binaries_that_do_not_start_are_told_in_their_own_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(DSN_VARIABLE, raising=False)
    for name in ("initdb", "pg_ctl"):
        (tmp_path / name).write_text("#!/bin/sh\necho a library is missing >&2\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(postgresql, "unprivileged", lambda: None)  # whose folder is not ours to open
    monkeypatch.setattr(postgresql, "postgresql_binaries", lambda: tmp_path)
    with pytest.raises(ConfigurationError, match=r"does not start: .*a library is missing"):
        crm_addresses(make_crm(make_shop())).__enter__()

"""Files whose names say that they hold secrets are listed, and no tool that reads files opens them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from runtime.capability import Capability
from runtime.engines.workspace.secret_names import private
from runtime.errors import CallError
from runtime.toolboxes.files import (
    file_query,
    file_read,
    file_search,
    grep_files,
    inspect_table,
    list_files,
    read_file,
    run_sql,
)

from .conftest import Desk

_WORD = "abcdefghij"
_SECRET = (
    *("secrets/notes.txt", "api_key.txt", "prod-api-key.json", "github_token.txt", "token.json", "passwords.csv"),
    *("service-account-prod.json", "client_secret_1.json", "AWS Access Key.csv", "db_password.txt", "Credentials/x.md"),
    *("private-key.txt", "pgpass.txt", "netrc.txt", "app_secrets.json", "htpasswd.txt"),
)  # fmt: skip
_PLAIN = ("token_usage.csv", "tokens.csv", "password_resets.csv", "secretary.csv", "keys.csv", "environment.csv")


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    secrets = dict.fromkeys(_SECRET, f"key,value\n1,{_WORD}\n")
    await desk.open(secrets | dict.fromkeys(_PLAIN, "key,value\n1,open\n"))
    yield desk
    await desk.close()


async def test_they_are_listed_with_the_reason_and_what_only_sounds_alike_is_read(kept: Desk) -> None:
    listed = await kept.call(list_files.CAPABILITY, kind="tables", limit=50)
    assert {each["name"] for each in listed.data["entries"]} == set(_PLAIN)
    skipped = (await kept.call(list_files.CAPABILITY, kind="skipped", limit=50)).data["entries"]
    assert len(skipped) == len(_SECRET)
    assert all("looks like that of" in str(each) for each in skipped), skipped


async def _refused(desk: Desk, capability: Capability[Any], **arguments: Any) -> None:
    try:
        shown = str((await desk.call(capability, **arguments)).data)
    except CallError as error:
        shown = f"{error} {error.hint}"
    assert _WORD not in shown, (capability.id, arguments)


@pytest.mark.parametrize("name", _SECRET)
async def test_no_tool_reads_one(kept: Desk, name: str) -> None:
    await _refused(kept, file_read.CAPABILITY, path=name)
    await _refused(kept, read_file.CAPABILITY, name=name)
    await _refused(kept, grep_files.CAPABILITY, pattern=_WORD, names=[name])
    await _refused(kept, inspect_table.CAPABILITY, name=name)
    await _refused(kept, run_sql.CAPABILITY, sql=f'SELECT * FROM "{name}"')
    await _refused(kept, file_query.CAPABILITY, path_pattern=name, sql="SELECT * FROM data")


async def test_no_search_finds_what_stands_in_one(kept: Desk) -> None:
    assert (await kept.call(file_search.CAPABILITY, query=_WORD, mode="content")).data["matches"] == []
    assert (await kept.call(grep_files.CAPABILITY, pattern=_WORD)).data["total"] == 0
    await _refused(kept, file_query.CAPABILITY, path_pattern="**", sql="SELECT * FROM data")


@pytest.mark.parametrize(
    "name", ["server.pem", ".env", "prod.env", "id_ed25519.pub", ".netrc", ".pgpass", "vault.kdbx"]
)
def test_names_of_keys_and_settings(name: str) -> None:
    assert private(name)


@pytest.mark.parametrize("name", ["secretary_report.csv", "key_figures.csv", "tokens_per_model.csv", "credits.csv"])
def test_names_that_only_sound_alike(name: str) -> None:
    assert not private(name)

"""A value comes from its variable, else from the file beside it; settings and manifest read it the same way."""

from __future__ import annotations

import pytest

from bot.settings import load_settings
from runtime.admission.manifest import environment_value
from runtime.environment import named_value
from runtime.errors import ConfigurationError


def test_the_variable_comes_before_the_file_and_an_empty_one_is_unset(tmp_path) -> None:
    file = tmp_path / "secret"
    file.write_text(" kept blanks \r\n\n")
    assert named_value("KEY", {"KEY": "mine", "KEY_FILE": str(file)}) == "mine"
    assert named_value("KEY", {"KEY": "", "KEY_FILE": str(file)}) == " kept blanks "
    assert named_value("KEY", {"KEY": ""}) is None is named_value("KEY", {"KEY_FILE": ""})


def test_a_file_that_cannot_be_read_is_named_with_its_variable(tmp_path) -> None:
    for content in (None, b"\xff\xfe"):
        path = tmp_path / f"secret-{content is None}"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ConfigurationError, match="KEY_FILE names"):
            named_value("KEY", {"KEY_FILE": str(path)})


def test_settings_and_manifest_read_files_alike(tmp_path, monkeypatch) -> None:
    file = tmp_path / "secret"
    file.write_text("postgresql://reader@db/crm\n")
    monkeypatch.setenv("CRM_READ_URL_FILE", str(file))
    monkeypatch.setenv("FOOTNOTE_STATE_FILE", str(file))
    monkeypatch.delenv("FOOTNOTE_STATE", raising=False)
    assert environment_value("${CRM_READ_URL}") == load_settings().state == "postgresql://reader@db/crm"

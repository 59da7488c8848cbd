"""A value from the environment, or from the file that `NAME_FILE` names, as secrets are handed to containers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from runtime.errors import ConfigurationError


def named_value(name: str, environment: Mapping[str, str | None] = os.environ) -> str | None:
    """The variable's value, else the content of the file without its last newline; an empty variable is an unset one.
    Raises ConfigurationError when the file cannot be read."""
    if value := environment.get(name):
        return value
    path = environment.get(f"{name}_FILE")
    if not path:
        return None
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{name}_FILE names {path}, which cannot be read: {error}") from error

"""Settings: everything that comes from the environment, read once and checked (DESIGN 8)."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.sources import EnvSettingsSource

from runtime.environment import named_value
from runtime.errors import ConfigurationError

SLACK_API = "https://slack.com"


class Settings(BaseSettings):
    """The environment. Any value may come from a file instead: `NAME_FILE` holds its path."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", case_sensitive=True, populate_by_name=True)

    slack_bot_token: Annotated[SecretStr | None, Field(alias="SLACK_BOT_TOKEN")] = None
    slack_app_token: Annotated[SecretStr | None, Field(alias="SLACK_APP_TOKEN")] = None
    slack_signing_secret: Annotated[SecretStr | None, Field(alias="SLACK_SIGNING_SECRET")] = None
    slack_client_id: Annotated[str | None, Field(alias="SLACK_CLIENT_ID")] = None
    slack_client_secret: Annotated[SecretStr | None, Field(alias="SLACK_CLIENT_SECRET")] = None
    slack_api_url: Annotated[str, Field(alias="SLACK_API_URL")] = SLACK_API
    anthropic_api_key: Annotated[SecretStr | None, Field(alias="ANTHROPIC_API_KEY")] = None
    anthropic_base_url: Annotated[str | None, Field(alias="ANTHROPIC_BASE_URL")] = None
    model: Annotated[str, Field(alias="FOOTNOTE_MODEL", min_length=1)] = "offline"
    tool_loading: Annotated[Literal["deferred", "plain"], Field(alias="FOOTNOTE_TOOL_LOADING")] = "deferred"
    manifest: Annotated[Path, Field(alias="FOOTNOTE_MANIFEST")] = Path("manifest.yaml")
    state: Annotated[str | None, Field(alias="FOOTNOTE_STATE")] = None
    data_dir: Annotated[Path, Field(alias="FOOTNOTE_DATA_DIR")] = Path(".footnote")
    composition: Annotated[Literal["local", "hosted"], Field(alias="FOOTNOTE_COMPOSITION")] = "local"
    guest: Annotated[Literal["isolated", "in_process"], Field(alias="FOOTNOTE_GUEST")] = "isolated"
    effects: Annotated[Literal["on", "dry_run"], Field(alias="FOOTNOTE_EFFECTS")] = "on"
    replica: Annotated[str, Field(alias="FOOTNOTE_REPLICA", min_length=1, default_factory=socket.gethostname)]
    http_port: Annotated[int, Field(alias="FOOTNOTE_HTTP_PORT", ge=0, le=65535)] = 8080
    log: Annotated[Literal["json", "console"], Field(alias="FOOTNOTE_LOG")] = "console"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, _NamedFiles(settings_cls)

    @model_validator(mode="before")
    @classmethod
    def _no_empty_values(cls, values: Mapping[str, object]) -> dict[str, object]:
        """An empty variable is an unset one, as in compose files."""
        return {key: value for key, value in values.items() if value != ""}

    @field_validator("slack_bot_token", "slack_app_token", "slack_signing_secret", "anthropic_api_key")
    @classmethod
    def _fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        """These travel in HTTP headers or sign them: another character is a slip of copying, best named at once."""
        said = value.get_secret_value() if value is not None else ""
        if not (said.isascii() and said.isprintable()) or " " in said:
            raise ValueError("holds a blank, a line break or another character that no token has")
        return value

    @field_validator("http_port", mode="before")
    @classmethod
    def _is_port(cls, value: object) -> object:
        if isinstance(value, str) and not (value.isascii() and value.isdigit() and len(value) <= 5):
            raise ValueError("is no port: a whole number from 0 to 65535, such as 8080")
        return value

    @field_validator("slack_api_url", "anthropic_base_url")
    @classmethod
    def _is_web_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or not value.isprintable() or " " in value:
            raise ValueError("is no web address, such as https://example.com")
        return value

    @property
    def state_url(self) -> str:
        """The state database; by default a SQLite file in the data folder."""
        return self.state or f"sqlite:///{(self.data_dir / 'state.db').resolve()}"

    @property
    def alone(self) -> bool:
        """Whether no other process can share the state: a SQLite file belongs to one."""
        return self.state_url.startswith("sqlite")

    @property
    def slack_base_url(self) -> str:
        """The Web API's address, with the `/api/` that Slack's client expects at its end."""
        return self.slack_api_url.rstrip("/").removesuffix("/api") + "/api/"

    @property
    def socket_mode(self) -> bool:
        """Socket Mode when an app token is set; signed HTTP otherwise."""
        return self.slack_app_token is not None

    def require_slack(self) -> None:
        """What `serve` needs. Raises ConfigurationError that names the missing variable."""
        if self.slack_bot_token is None:
            raise ConfigurationError(
                "SLACK_BOT_TOKEN is not set. It begins with xoxb- and stands under OAuth & Permissions."
            )
        if self.slack_app_token is None and self.slack_signing_secret is None:
            raise ConfigurationError(
                "Set SLACK_APP_TOKEN (Socket Mode, begins with xapp-) or SLACK_SIGNING_SECRET (HTTP). "
                "Without a signing secret, HTTP requests could come from anybody, so they are not served."
            )

    def require_model(self) -> None:
        """What the chosen model needs. Raises ConfigurationError."""
        if self.model != "offline" and self.anthropic_api_key is None:
            raise ConfigurationError(
                f"FOOTNOTE_MODEL is {self.model!r}, which needs ANTHROPIC_API_KEY. Set it, or FOOTNOTE_MODEL=offline."
            )


class _NamedFiles(EnvSettingsSource):
    """`NAME_FILE` in the environment: the value is the file's content without its last newline."""

    def __call__(self) -> dict[str, object]:
        values: dict[str, object] = {}
        for name, field in self.settings_cls.model_fields.items():
            alias = field.alias or name
            if not self.env_vars.get(alias) and (value := named_value(alias, self.env_vars)) is not None:
                values[alias] = value
        return values


def load_settings(**overrides: Any) -> Settings:
    """The settings of this process. Raises ConfigurationError that names the variable and what it takes."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        lines = [
            f"{'.'.join(map(str, item['loc']))}: {item['msg'].removeprefix('Value error, ')}" for item in error.errors()
        ]
        raise ConfigurationError("The environment is refused:\n  " + "\n  ".join(lines)) from error

"""Who we are in this workspace, asked of Slack at start: team, bot user, scopes, and how far the clocks are apart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from runtime.clock import Clock
from runtime.errors import ConfigurationError, FootnoteError

REQUIRED_SCOPES = frozenset({"app_mentions:read", "chat:write", "channels:read", "users:read"})
# Without these something is missing, but not the answer: what it is, in words.
WANTED_SCOPES = {
    "assistant:write": "the status line",
    "files:write": "CSV files",
    "channels:history": "replies without a mention in public channels",
    "groups:history": "replies without a mention in private channels",
    "im:history": "direct messages",
    "groups:read": "private channels",
    "im:write": "answers in private to what a channel may not see",
    "commands": "the slash command",
}
CLOCK_SECONDS = 300  # Slack's signatures are valid for five minutes either way (facts/SLACK.md 5)

_TOKEN_ERRORS = {
    "invalid_auth": "Slack refused SLACK_BOT_TOKEN as invalid. Copy the token that begins with xoxb- again.",
    "not_authed": "Slack saw no token. Set SLACK_BOT_TOKEN to the one that begins with xoxb-.",
    "token_revoked": "SLACK_BOT_TOKEN has been revoked. Install the app to the workspace again and copy its new token.",
    "token_expired": "SLACK_BOT_TOKEN has expired. Install the app to the workspace again and copy its new token.",
    "account_inactive": "The bot's account is not active any more. Install the app to the workspace again.",
}


# Slack's words for an outage of its own, and what a broken line looks like.
_AWAY = frozenset({"ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"})
CONNECTION_ERRORS = (aiohttp.ClientError, OSError, TimeoutError)


class SlackUnavailable(FootnoteError):
    """Slack cannot be reached at start; the message says where we tried."""


def refusal(error: SlackApiError) -> str:
    """Slack's word for what it refused, or `http_404` and the like where the answer was none of Slack's. Raises
    SlackUnavailable when it is Slack that is in trouble."""
    word = error.response.get("error") if isinstance(error.response.data, dict) else None
    code = str(word or f"http_{error.response.status_code}")
    if code.startswith("http_5") or code in _AWAY:
        raise SlackUnavailable(f"Slack cannot be reached: {error.response.api_url} answers {code}.") from error
    if word is None:
        raise ConfigurationError(
            f"{error.response.api_url} answers {code}, which Slack does not. Is SLACK_API_URL right?"
        ) from error
    return code


@dataclass(frozen=True, slots=True)
class Identity:
    """The bot in its workspace. `scopes` is empty when Slack didn't say; `clock_skew`: seconds, ours minus Slack's."""

    team: str
    team_name: str
    bot_user: str
    bot_id: str
    scopes: frozenset[str]
    clock_skew: float

    def warnings(self) -> tuple[str, ...]:
        """What will not work as people expect, one sentence each."""
        found = list[str]()
        if self.scopes:
            found += [
                f"The scope {scope} is missing: no {what}. Add it and install the app again."
                for scope, what in WANTED_SCOPES.items()
                if scope not in self.scopes
            ]
        if abs(self.clock_skew) > CLOCK_SECONDS:
            way = "ahead of" if self.clock_skew > 0 else "behind"
            found.append(
                f"This machine's clock is {abs(self.clock_skew):.0f} s {way} Slack's. "
                "Signed requests will be refused until it is set right (for example with NTP)."
            )
        return tuple(found)


async def identify(client: AsyncWebClient, clock: Clock) -> Identity:
    """Asks auth.test. Raises ConfigurationError for a token or scopes that cannot work, SlackUnavailable when Slack
    does not answer."""
    try:
        answer = await client.auth_test()
    except SlackApiError as error:
        code = refusal(error)
        raise ConfigurationError(_TOKEN_ERRORS.get(code, f"Slack refused SLACK_BOT_TOKEN: {code}.")) from error
    except (SlackClientError, *CONNECTION_ERRORS) as error:
        raise SlackUnavailable(f"Slack cannot be reached at {client.base_url}: {type(error).__name__}.") from error
    headers = {str(name).lower(): value for name, value in answer.headers.items()}
    scopes = frozenset(scope.strip() for scope in str(headers.get("x-oauth-scopes", "")).split(",") if scope.strip())
    if scopes and (missing := sorted(REQUIRED_SCOPES - scopes)):
        raise ConfigurationError(
            f"The app lacks the scopes {', '.join(missing)}. Add them under OAuth & Permissions and install it again."
        )
    return Identity(
        team=str(answer["team_id"]),
        team_name=str(answer.get("team", "")),
        bot_user=str(answer["user_id"]),
        bot_id=str(answer.get("bot_id", "")),
        scopes=scopes,
        clock_skew=_skew(clock.now(), str(headers.get("date", ""))),
    )


def _skew(now: datetime, date: str) -> float:
    try:
        return (now - parsedate_to_datetime(date)).total_seconds()
    except (TypeError, ValueError):
        return 0.0

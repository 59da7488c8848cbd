"""The Slack app manifest: least privilege, and nothing that this version doesn't use."""

from __future__ import annotations

from typing import Any

# Scope → why it is asked for. What is not here is not asked for: no posting where we were not invited, no custom
# names, no joining, no search, no user tokens.
BOT_SCOPES: dict[str, str] = {
    "app_mentions:read": "hear when somebody mentions it",
    "assistant:write": "show the status line",
    "chat:write": "post answers",
    "commands": "the slash command",
    "channels:history": "replies in a thread without a mention, and finding its own postings after a crash",
    "groups:history": "the same in private channels",
    "im:history": "direct messages",
    "channels:read": "whether a channel is shared or archived, and who is in it",
    "groups:read": "the same for private channels",
    "im:read": "the same for direct messages",
    "im:write": "open a direct message for somebody who asks in private what a channel may not see",
    "files:write": "attach results as CSV",
    "files:read": "read files that are shared with a question, and see whether an attached one has arrived",
    "users:read": "whether a person is a guest or of another organisation",
}
OPTIONAL_SCOPES: dict[str, str] = {
    "mpim:history": "group messages",
    "mpim:read": "who is in a group message",
    "usergroups:read": "audiences that name a user group",
}
# What Slack shows behind the command while it is typed: ways, divided by `|`.
USAGE_HINT = "help | sources | why | files | schema NAME | sql [SOURCE] QUERY"
BOT_EVENTS = [
    "app_mention",
    "message.im",
    "message.channels",
    "message.groups",
    "app_home_opened",
    "agent_session_stopped",
    "member_joined_channel",
    "member_left_channel",
    "channel_archive",
    "group_archive",
    "channel_shared",
    "channel_unshared",
    "file_deleted",
    "tokens_revoked",
    "app_uninstalled",
]


def slack_manifest() -> dict[str, Any]:
    """The manifest for Socket Mode, as `manifests/slack.json`. For HTTP, set `socket_mode_enabled` to false and add
    `request_url: https://HOST/slack/events` to event subscriptions, interactivity and the slash command."""
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "Footnote",
            "description": "A data analyst that shows the evidence for every figure.",
            "background_color": "#1f3a5f",
        },
        "features": {
            "agent_view": {
                "agent_description": "Ask about your data. Every figure comes with the query and the rows behind it.",
                "suggested_prompts": [
                    {"title": "What data is there?", "message": "Which tables can you see here?"},
                    {"title": "Count something", "message": "How many orders are there by status?"},
                ],
            },
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "footnote", "always_online": False},
            "slash_commands": [
                {
                    "command": "/footnote",
                    "description": "What is open here, and queries of your own",
                    "usage_hint": USAGE_HINT,
                    "should_escape": True,
                }
            ],
        },
        "oauth_config": {"scopes": {"bot": sorted(BOT_SCOPES), "bot_optional": sorted(OPTIONAL_SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": BOT_EVENTS},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }

"""Limits of text objects and of everything that stands inside blocks, as a table of shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .problem import Problem
from .shapes import (
    Check,
    anything,
    choice,
    exactly_one,
    flag,
    items,
    number,
    shape,
    tagged,
    text,
)

ACTION_ID = text(255)
URL = text(3_000, 1)


def plain(most: int) -> Check:
    """A plain_text object of 1 to `most` characters."""
    return shape({"type": choice("plain_text"), "text": text(most, 1)}, {"emoji": flag})


def mrkdwn(most: int) -> Check:
    """A mrkdwn object of 1 to `most` characters."""
    return shape({"type": choice("mrkdwn"), "text": text(most, 1)}, {"verbatim": flag})


def either(most: int) -> Check:
    """A plain_text or mrkdwn object of 1 to `most` characters."""
    return tagged({"plain_text": plain(most), "mrkdwn": mrkdwn(most)}, "text object")


def _file_rule(value: Any, pointer: str) -> Iterator[Problem]:
    yield from exactly_one("id", "url")(value, pointer)


SLACK_FILE = shape({}, {"id": text(255, 1), "url": URL}, _file_rule)
CONFIRM = shape(
    {"title": plain(100), "text": either(300), "confirm": plain(30), "deny": plain(30)},
    {"style": choice("primary", "danger")},
)
OPTION = shape({"text": either(75), "value": text(150, 1)}, {"description": either(75), "url": URL})
OPTION_GROUP = shape({"label": plain(75), "options": items(OPTION, 1, 100)})
DISPATCH = shape({}, {"trigger_actions_on": items(choice("on_enter_pressed", "on_character_entered"), 1, 2)})
VISIBLE_TO = items(text(20, 1), 0, 10)
IMAGE_ELEMENT = shape(
    {"type": anything, "alt_text": text(2_000, 1)},
    {"image_url": URL, "slack_file": SLACK_FILE},
    exactly_one("image_url", "slack_file"),
)
URL_SOURCE = shape({"type": choice("url"), "url": URL, "text": text(255, 1)})


def _interactive(required: dict[str, Check], optional: dict[str, Check], *also: Check) -> Check:
    return shape({"type": anything, **required}, {"action_id": ACTION_ID, "confirm": CONFIRM, **optional}, *also)


def _field(required: dict[str, Check], optional: dict[str, Check], *also: Check) -> Check:
    common: dict[str, Check] = {"placeholder": plain(150), "focus_on_load": flag}
    return _interactive(required, {**common, **optional}, *also)


_OPTIONS: dict[str, Check] = {"options": items(OPTION, 1, 100), "option_groups": items(OPTION_GROUP, 1, 100)}
_MANY: dict[str, Check] = {"max_selected_items": number(1, whole=True)}
_TEXT_INPUT: dict[str, Check] = {
    "initial_value": text(3_000),
    "min_length": number(0, 3_000, whole=True),
    "max_length": number(1, 3_000, whole=True),
    "multiline": flag,
    "dispatch_action_config": DISPATCH,
}

BUTTON = _interactive(
    {"text": plain(75)},
    {
        "value": text(2_000),
        "url": URL,
        "style": choice("primary", "danger"),
        "accessibility_label": text(75),
        "agent_prompt": text(4_000),
        "agent_prompt_display": anything,
        "visible_to_user_ids": VISIBLE_TO,
    },
)
FEEDBACK = shape({"text": plain(75), "value": text(2_000)}, {"accessibility_label": text(75)})
_SELECTS: dict[str, Check] = {
    "static_select": _field({}, {**_OPTIONS, "initial_option": OPTION}, exactly_one("options", "option_groups")),
    "multi_static_select": _field(
        {}, {**_OPTIONS, **_MANY, "initial_options": items(OPTION, 1, 100)}, exactly_one("options", "option_groups")
    ),
    "external_select": _field({}, {"initial_option": OPTION, "min_query_length": number(0, whole=True)}),
    "users_select": _field({}, {"initial_user": text(20)}),
    "multi_users_select": _field({}, {**_MANY, "initial_users": items(text(20))}),
    "conversations_select": _field(
        {},
        {
            "initial_conversation": text(20),
            "default_to_current_conversation": flag,
            "filter": anything,
            "response_url_enabled": flag,
        },
    ),
    "channels_select": _field({}, {"initial_channel": text(20), "response_url_enabled": flag}),
    "multi_channels_select": _field({}, {**_MANY, "initial_channels": items(text(20))}),
    "multi_conversations_select": _field({}, {**_MANY, "initial_conversations": items(text(20)), "filter": anything}),
}
_PICKERS: dict[str, Check] = {
    "datepicker": _field({}, {"initial_date": text(10)}),
    "timepicker": _field({}, {"initial_time": text(5), "timezone": text(100)}),
    "datetimepicker": _field({}, {"initial_date_time": number(1_000_000_000, 9_999_999_999, whole=True)}),
    "checkboxes": _field({"options": items(OPTION, 1, 10)}, {"initial_options": items(OPTION, 1, 10)}),
    "radio_buttons": _field({"options": items(OPTION, 1, 10)}, {"initial_option": OPTION}),
}
_INPUTS_ONLY: dict[str, Check] = {
    "plain_text_input": _field({}, _TEXT_INPUT),
    "email_text_input": _field({}, {"initial_value": text(), "dispatch_action_config": DISPATCH}),
    "url_text_input": _field({}, {"initial_value": text(), "dispatch_action_config": DISPATCH}),
    "number_input": _field(
        {"is_decimal_allowed": flag},
        {"initial_value": text(), "min_value": text(), "max_value": text(), "dispatch_action_config": DISPATCH},
    ),
    "rich_text_input": _field({}, {"initial_value": anything, "dispatch_action_config": DISPATCH}),
    "file_input": _field({}, {"filetypes": items(text(20)), "max_files": number(1, 10, whole=True)}),
}
_OVERFLOW = _interactive({"options": items(OPTION, 1, 5)}, {})

ACTION_ELEMENTS: dict[str, Check] = {"button": BUTTON, "overflow": _OVERFLOW, **_SELECTS, **_PICKERS}
INPUT_ELEMENTS: dict[str, Check] = {**_SELECTS, **_PICKERS, **_INPUTS_ONLY}
ACCESSORIES: dict[str, Check] = {**ACTION_ELEMENTS, "image": IMAGE_ELEMENT}
CONTEXT_ELEMENTS: dict[str, Check] = {"plain_text": plain(2_000), "mrkdwn": mrkdwn(2_000), "image": IMAGE_ELEMENT}
CONTEXT_ACTIONS: dict[str, Check] = {
    "feedback_buttons": _interactive({"positive_button": FEEDBACK, "negative_button": FEEDBACK}, {}),
    "icon_button": _interactive(
        {"icon": choice("trash"), "text": plain(75)},
        {"accessibility_label": text(75), "value": text(2_000), "visible_to_user_ids": VISIBLE_TO},
    ),
}

# -- rich text -----------------------------------------------------------------------------------------------

_STYLE = shape(
    {},
    dict.fromkeys(("bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"), flag),
)


def _part(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    return shape({"type": anything, **required}, {"style": _STYLE, **(optional or {})})


_PARTS: dict[str, Check] = {
    "text": _part({"text": text(None, 1)}),
    "link": _part({"url": URL}, {"text": text(), "unsafe": flag}),
    "user": _part({"user_id": text(20, 1)}),
    "usergroup": _part({"usergroup_id": text(20, 1)}),
    "channel": _part({"channel_id": text(20, 1)}),
    "team": _part({"team_id": text(20, 1)}),
    "emoji": _part({"name": text(100, 1)}, {"unicode": text(), "skin_tone": number(1, 6, whole=True)}),
    "date": _part({"timestamp": number(0), "format": text(None, 1)}, {"url": URL, "fallback": text()}),
    "broadcast": _part({"range": choice("here", "channel", "everyone")}),
    "color": _part({"value": text(20, 1)}),
}
_ELEMENTS = items(tagged(_PARTS, "rich text element"))
_BORDER = number(0, 1, whole=True)
_SECTION = shape({"type": anything, "elements": _ELEMENTS})
RICH_TEXT_ELEMENTS: dict[str, Check] = {
    "rich_text_section": _SECTION,
    "rich_text_list": shape(
        {
            "type": anything,
            "style": choice("bullet", "ordered"),
            "elements": items(tagged({"rich_text_section": _SECTION}, "rich text")),
        },
        {"indent": number(0, 8, whole=True), "offset": number(0, whole=True), "border": _BORDER},
    ),
    "rich_text_preformatted": shape(
        {"type": anything, "elements": _ELEMENTS}, {"border": _BORDER, "language": text(50)}
    ),
    "rich_text_quote": shape({"type": anything, "elements": _ELEMENTS}, {"border": _BORDER}),
}
RICH_TEXT = shape(
    {"type": choice("rich_text"), "elements": items(tagged(RICH_TEXT_ELEMENTS, "rich text"))},
    {"block_id": text(255)},
)

# -- cells ---------------------------------------------------------------------------------------------------

RAW_TEXT = shape({"type": anything, "text": text(None, 1)})
RAW_NUMBER = shape({"type": anything, "value": number(), "text": text(None, 1)})
CELLS: dict[str, Check] = {"raw_text": RAW_TEXT, "raw_number": RAW_NUMBER, "rich_text": RICH_TEXT}
COLUMN_SETTING = shape({}, {"align": choice("left", "center", "right"), "is_wrapped": flag})

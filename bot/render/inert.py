"""Foreign text made inert: no address is live, no shortcode forges an icon, `& < >` are entities.

The order matters and is always: clean, defang, break shortcodes, escape.
"""

from __future__ import annotations

import re

# Begins only where such a run begins: else a long run without an address would be read again from each of its letters.
_ADDRESS = re.compile(r"(?<![A-Za-z0-9+.\-])([0-9+.\-]*)([A-Za-z][A-Za-z0-9+.\-]*)://")
_HOST = re.compile(r"(?<=hxxp://)[^\s/?#<>|]+|(?<=hxxps://)[^\s/?#<>|]+")
_SCHEME = re.compile(
    r"(?i)(javascript|vbscript)(:)(?=\S)|(mailto)(:)(?=\S{1,320}@)|(tel)(:)(?=[+\d])|(data)(:)(?=[a-z]+/[a-z])|(file)(:)(?=/)"
)
_WWW = re.compile(r"(?i)(?<![a-z0-9])(www)\.(?=[a-z0-9])")
_SHORTCODE = re.compile(r":(?=[a-zA-Z0-9_+'\-]+:)")
_CLOCK = re.compile(r"(?<=\d):(?=\d+:\d)")
_CONTROL = re.compile(r"<(?=[!@#]|[A-Za-z][A-Za-z0-9+.\-]*:)")
_FENCE = re.compile(r"`{3,}")

SHORTCODE_COLON = "\ua789"  # a letter that looks like a colon
TICK = "ˋ"  # a letter that looks like a backtick
BRACKET = "‹"  # what `<` becomes where entities may be shown literally
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escape(text: str) -> str:
    """`& < >` as entities: after this no mention, broadcast, date or link markup is left."""
    return text.translate(_ENTITIES)


def defang(text: str) -> str:
    """Addresses as inert text: `https://a.example/x` reads `hxxps://a[.]example/x`."""
    if ":" in text:
        text = _HOST.sub(lambda found: found[0].replace(".", "[.]"), _ADDRESS.sub(_inert_scheme, text))
        text = _SCHEME.sub(lambda found: found[0][:-1] + "[:]", text)
    return _WWW.sub(r"\1[.]", text)


def _inert_scheme(found: re.Match[str]) -> str:
    scheme = found[2].lower()
    return found[1] + {"http": "hxxp://", "https": "hxxps://"}.get(scheme, f"{found[2]}[:]//")


def break_shortcodes(text: str) -> str:
    """`:name:` that Slack would draw as an emoji, with look-alike colons; times such as 12:30:45 stay."""
    if text.count(":") < 2:
        return text
    clocks = {found.start() for found in _CLOCK.finditer(text)}
    return _SHORTCODE.sub(lambda found: ":" if found.start() in clocks else SHORTCODE_COLON, text)


def inert(text: str) -> str:
    """Clean text for a mrkdwn object: inert addresses, no shortcodes, no fences, entities."""
    return escape_code(break_shortcodes(defang(text)))


def inert_code(text: str) -> str:
    """Clean text for the inside of a fence: inert addresses, entities, and no run that could close the fence."""
    return escape_code(defang(text))


def escape_code(text: str) -> str:
    """The same for text that is defanged already: what it does keeps the width on the screen."""
    return escape(_FENCE.sub(lambda found: TICK * len(found[0]), text))


def inert_plain(text: str) -> str:
    """Clean text for plain_text and raw_text objects, which parse nothing: control sequences lose their bracket.

    Entities aren't used because such objects may show them literally.
    """
    return _CONTROL.sub(BRACKET, defang(text))

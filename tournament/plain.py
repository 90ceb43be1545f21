"""Foreign text on a terminal."""

from __future__ import annotations

import re

_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """The text without commands to the terminal. Control characters except line breaks and tabs, characters that change
    the direction of writing, and invalid characters become escapes."""
    return _COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)

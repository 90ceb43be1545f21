"""The width of a text, estimated without its font; texts that are shortened, wrapped or escaped."""

from __future__ import annotations

import re
from html import escape

SIZE = 13.0  # of a chart's ordinary letters, in units of the drawing
LONGEST = 400.0  # width of a name within a sentence, about fifty letters
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f]"
)
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] \N{MIDDLE DOT}"), frozenset("mwMW@%⟨⟩")


def width_of(text: str, size: float = SIZE) -> float:
    """The width of a text in a common sans-serif font, estimated on the large side."""
    return size * sum(0.36 if c in _NARROW else 0.95 if c in _WIDE or ord(c) > 0x2E80 else 0.62 for c in visible(text))


def fitted(text: str, width: float, size: float = SIZE) -> str:
    """The text, or its beginning and its end: names of models often differ in their last letters."""
    text = visible(text)
    if width_of(text, size) <= width:
        return text
    left = len(text)
    while left > 1 and width_of(_without_middle(text, left), size) > width:
        left -= 1
    return _without_middle(text, left)


def _without_middle(text: str, left: int) -> str:
    """So many letters of a text, a third of them from its end."""
    end = left // 3
    return f"{text[: left - end].rstrip()}…{text[len(text) - end :].lstrip()}"


def wrapped(text: str, width: float, size: float = SIZE) -> list[str]:
    """The text in lines that fit; a word that is wider than a line has one of its own, shortened."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(fitted(word, width, size))
    return lines


def plain(text: str) -> str:
    """A text of any origin, escaped for HTML and XML, with invisible characters made visible."""
    return escape(visible(text))


def visible(text: str) -> str:
    """The text with characters that are invisible, or change the direction of writing, written as code points."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)

"""What each option of a choice leads to, in the rulebook's own words, for the buttons of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from antemill.engine.text.labels import SEATS

_ITEM = re.compile(r"( *)- (.*)")
_ASIDE = re.compile(r" \([^()]*\)")


def consequences(rulebook: str, phase: str, options: Sequence[str], seat: int) -> list[str]:
    """For each option a sentence or more; "" where the rules of the phase do not name it.

    rulebook: in Markdown. seat: whose choice it is, which decides between the choices of a simultaneous round. What
    stands in parentheses is left out; the rules of the phase have it.
    """
    items = list(_items(_section(rulebook, phase)))
    return [_of(items, option, seat, ", fallback" in phase) for option in options]


def _section(rulebook: str, phase: str) -> str:
    """The section with the longest heading that the phase's name begins with, as in pages."""
    parts = re.split(r"(?m)^(?=#{2,4} )", rulebook)
    named = [(match[1], part) for part in parts if (match := re.match(r"#{3,4} (?:Sub-phase: )?(.*)", part))]
    fitting = [(name, part) for name, part in named if phase.startswith(name)]
    return max(fitting, key=lambda one: len(one[0]), default=("", ""))[1]


def _items(section: str) -> Iterator[tuple[int, str]]:
    """The items of the lists: how far each is indented, and its text."""
    for line in section.splitlines():
        if found := _ITEM.match(line):
            yield len(found[1]), found[2]


def _of(items: Sequence[tuple[int, str]], option: str, seat: int, fallback: bool) -> str:
    """fallback: the round is played with a fixed size, which the rules define last."""
    name = f"**{option}**"
    defined = [text.partition(": ")[2] for _, text in items if text.startswith(f"{name}: ")]
    if defined:
        return _plain(defined[-1 if fallback else 0])
    other, found = SEATS[1 - seat], []
    for place, (_, text) in enumerate(items):
        chosen = re.match(r"If .* chooses \*\*(.+)\*\* AND .* chooses \*\*(.+)\*\*:", text)
        if re.match(rf"If .* picks {re.escape(name)}", text):
            found.append(_below(items, place))
        elif chosen and chosen[1 + seat] == option:
            found.append(f"If {other} plays {chosen[2 - seat]}: {_below(items, place)}")
        elif others := re.match(r"For all other combinations, .* \((.*)\):", text):
            pairs = [pair.split("/") for pair in others[1].split(", ")]
            against = [pair[1 - seat] for pair in pairs if len(pair) == 2 and pair[seat] == option]
            if against:
                found.append(f"If {other} plays {' or '.join(against)}: {_below(items, place)}")
    return " ".join(found)


def _below(items: Sequence[tuple[int, str]], place: int) -> str:
    """The items that belong to the one at this place, one after the other."""
    depth, found = items[place][0], []
    for indent, text in items[place + 1 :]:
        if indent <= depth:
            break
        found.append(_plain(text))
    return " ".join(found)


def _plain(text: str) -> str:
    """The text without emphasis, and without what is said aside."""
    while (shorter := _ASIDE.sub("", text)) != text:
        text = shorter
    return text.replace("**", "").replace(", then continue here", "")

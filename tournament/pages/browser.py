"""A list of entries that can be searched by their whole text and narrowed down by choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple


class Entry(NamedTuple):
    """One entry: its heading, what it can be narrowed down by, and its parts."""

    heading: str
    choices: Mapping[str, str]
    parts: Sequence[str]  # HTML


def text_part(label: str, text: str, code: bool = False) -> str:
    """A labelled text; nothing for an empty one."""
    if not text:
        return ""
    tag = "pre" if code else "p"
    return f"<h3>{escape(label)}</h3>\n<{tag}>{escape(text)}</{tag}>"


def browser(entries: Iterable[Entry]) -> str:
    """The list with its search field; each entry opens when it is clicked."""
    found = list(entries)
    names = list(dict.fromkeys(name for entry in found for name in entry.choices))
    selects = "".join(_select(name, [entry.choices.get(name, "") for entry in found]) for name in names)
    search = '<label>Search <input type="search" placeholder="any word"></label>'
    head = f'<div class="controls">{search}{selects}<output>{len(found):,} entries</output></div>'
    return f'<div class="browser">{head}\n' + "\n".join(map(_entry, found)) + "\n</div>"


def _select(name: str, values: Sequence[str]) -> str:
    options = "".join(f"<option>{escape(value)}</option>" for value in sorted(set(values)))
    everything = '<option value="">all</option>'
    return f'<label>{escape(name)}<select data-name="{escape(name)}">{everything}{options}</select></label>'


def _entry(entry: Entry) -> str:
    choices = "".join(f' data-{escape(name)}="{escape(value)}"' for name, value in entry.choices.items())
    body = "\n".join(part for part in entry.parts if part)
    return f'<details class="entry"{choices}><summary>{escape(entry.heading)}</summary>\n{body}\n</details>'

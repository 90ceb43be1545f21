"""`paper = true` in a configuration: one key for all settings of the paper's protocol.

    paper = true

    [duel]
    references = ["a"]

A kind names its settings in `RunConfig.PAPER`. They are put into the configuration's content before it is read, so a
run with the key is the run with the settings. A setting of another value beside the key is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEY = "paper"


class ContradictionError(Exception):
    """A setting that is not the paper's. keys: the path to it in the file."""

    def __init__(self, sentence: str, *keys: str) -> None:
        super().__init__(sentence)
        self.keys = keys


def as_printed(content: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The content with the paper's settings if it asks for them; `settings` by their paths ("duel.format_attempts").

    Raises ContradictionError for a setting with another value, and for a kind without settings.
    """
    found = {name: value for name, value in content.items() if (name, value) != (KEY, False)}
    if found.get(KEY) is not True:
        return found
    if not settings:
        raise ContradictionError("`paper = true` has no meaning for this kind of run: remove it", KEY)
    for path, value in settings.items():
        found = _with(found, path.split("."), (), value)
    return found


def _with(table: Any, keys: list[str], above: tuple[str, ...], value: Any) -> Any:
    """The table with the value at the path, and all tables on the way. What is no table is left to the reader."""
    if not isinstance(table, dict):
        return table
    first, *rest = keys
    if rest:
        return {**table, first: _with(table.get(first, {}), rest, (*above, first), value)}
    if first in table and table[first] != value:
        raise ContradictionError(
            f"`paper = true` stands for {first} = {_toml(value)} in [{'.'.join(above)}], and here it is "
            f"{_toml(table[first])}: remove one of the two",
            *above,
            first,
        )
    return {**table, first: value}


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)

"""Configurations as TOML: what a dict says is kept in a run's folder as a file, like what a file says; and the lines of
a file's keys, for errors."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from antemill.engine.arguments import ArgumentTypeError


def to_toml(content: Mapping[str, Any]) -> str:
    """A dict as the text of a TOML file; keys whose value is None are left out. Raises ArgumentTypeError.

    Values: str, bool, whole and other numbers (numpy's too), paths, lists and tuples of these, and dicts.
    """
    return "\n".join(_table(content, ())) + "\n"


def _table(content: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    """The lines of a table: first its values, then the tables in it."""
    given = [(_key(key), value) for key, value in content.items() if value is not None]
    lines = [f"{key} = {_value(value, (*keys, key))}" for key, value in given if not isinstance(value, Mapping)]
    if keys and (lines or not given):
        lines.insert(0, f"[{'.'.join(keys)}]")
    for key, value in given:
        if isinstance(value, Mapping):
            lines += _table(value, (*keys, key))
    return lines


def _value(value: Any, keys: tuple[str, ...]) -> str:
    match value:
        case str():
            return _text(value)
        case os.PathLike():
            return _text(str(os.fspath(value)))
        case Mapping():
            inner = ((_key(key), one) for key, one in value.items() if one is not None)
            return "{ " + ", ".join(f"{key} = {_value(one, (*keys, key))}" for key, one in inner) + " }"
        case list() | tuple():
            return f"[{', '.join(_value(one, keys) for one in value)}]"
        case bool():
            return str(value).lower()
        case Integral():
            return str(int(value))
        case Real():
            return repr(float(value))
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return _value(value.tolist(), keys)
    raise ArgumentTypeError(
        f"the configuration's {'.'.join(keys)} is of the type {type(value).__name__}: give a text, a number, true or "
        "false, a list or a dict of these."
    )


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise ArgumentTypeError(f"the configuration has the key {key!r}, which is no text: keys are texts.")
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _text(key)


def _text(text: str) -> str:
    """A basic string: JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """The line of a key, or of the nearest table that contains it; None if no part of the path is found."""
    best, found = 0, None
    header: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if table := re.match(r"\s*\[\[?([^\[\]]+)\]", line):
            here = header = _keys(table[1])
        elif key := re.match(r"\s*([^=#\[\]{},]+?)\s*=", line):
            here = (*header, *_keys(key[1]))
        else:
            continue
        common = min(len(here), len(path))  # for a table that is wrong as a whole, any part of it gives the line
        if best < common and here[:common] == path[:common]:
            best, found = common, number
    return found


def _keys(dotted: str) -> tuple[str, ...]:
    """The parts of a key, bare or quoted."""
    try:
        here: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return tuple(dotted.split("."))
    keys: list[str] = []
    while isinstance(here, dict) and here:
        key, here = next(iter(here.items()))
        keys.append(key)
    return tuple(keys)

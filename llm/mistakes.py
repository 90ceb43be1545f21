"""Explains why a TOML file does not fit a struct: msgspec's own sentence and path, and the nearest known key.

sentence, path = explain(error, Config)
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from typing import Any

from msgspec import inspect

Path = tuple[str | int, ...]


def meant(word: str, known: Iterable[str]) -> str:
    """`; did you mean "..."?` for a similar known word; "" if there is none."""
    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f'; did you mean "{found[0]}"?' if found else ""


def explain(error: Exception, shape: type) -> tuple[str, Path]:
    """The mistake as a sentence without a full stop, and the path to its key as far as msgspec names it."""
    reason, _, where = str(error).partition(" - at ")
    place = where.strip("`").removeprefix("$").removeprefix(".")
    path: Path = tuple(key for key, _ in re.findall(r"([^.\[\]]+)(\[[^\]]*\])?", place.partition("[")[0]))
    unknown = re.search(r"unknown field `(.+)`", reason)
    if unknown is None:
        if table := re.match(r"\[([^\]]+)\] ", reason):  # raised by the struct's own check
            path = keys_of(table[1])
        return (f'"{place}" is wrong: {reason[:1].lower()}{reason[1:]}' if place else reason).rstrip("."), path
    known = set(_fields(inspect.type_info(shape)))
    hint = meant(unknown[1], known)
    return f'unknown key "{unknown[1]}"{f" in [{place}]" if place else ""}{hint}', (*path, unknown[1])


def _fields(kind: inspect.Type) -> Iterable[str]:
    """The keys of a struct and of all structs within it."""
    if isinstance(kind, inspect.StructType):
        for one in kind.fields:
            yield one.encode_name
            yield from _fields(one.type)
    for inner in getattr(kind, "types", ()):
        yield from _fields(inner)
    for name in ("value_type", "item_type", "type"):
        if isinstance(inner := getattr(kind, name, None), inspect.Type):
            yield from _fields(inner)


def line_of(text: str, path: Path) -> int | None:
    """The line of a key, or of the nearest table that contains it; None if no part of the path is found."""
    best, found = 0, None
    header: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        if table := re.match(r"\s*\[\[?([^\[\]]+)\]", line):
            here = header = keys_of(table[1])
        elif key := re.match(r"\s*([^=#\[\]{},]+?)\s*=", line):
            here = (*header, *keys_of(key[1]))
        else:
            continue
        common = min(len(here), len(path))  # for a table that is wrong as a whole, any part of it gives the line
        if best < common and here[:common] == path[:common]:
            best, found = common, number
    return found


def keys_of(dotted: str) -> Path:
    """The parts of a key, bare or quoted."""
    try:
        here: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return tuple(dotted.split("."))
    keys: list[str | int] = []
    while isinstance(here, dict) and here:
        key, here = next(iter(here.items()))
        keys.append(key)
    return tuple(keys)

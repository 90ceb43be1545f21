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
    if wrong := re.search(r"invalid enum value '(.+)'", reason.lower()):
        reason += meant(wrong[1], {str(one) for one in _values(inspect.type_info(shape))})
    if unknown is None:
        if table := re.match(r"\[([^\]]+)\] ", reason):  # raised by the struct's own check
            path = keys_of(table[1])
        return (f'"{place}" is wrong: {reason[:1].lower()}{reason[1:]}' if place else reason).rstrip("."), path
    known = set(_fields(inspect.type_info(shape)))
    hint = meant(unknown[1], known)
    return f'unknown key "{unknown[1]}"{f" in [{place}]" if place else ""}{hint}', (*path, unknown[1])


def _fields(kind: inspect.Type) -> Iterable[str]:
    """The keys of a struct and of all structs within it."""
    return (one.encode_name for found in _types(kind) if isinstance(found, inspect.StructType) for one in found.fields)


def _values(kind: inspect.Type) -> Iterable[object]:
    """The values that literals and enumerations within a struct allow."""
    for found in _types(kind):
        if isinstance(found, inspect.LiteralType):
            yield from found.values
        if isinstance(found, inspect.EnumType):
            yield from (member.value for member in found.cls)


def _types(kind: inspect.Type) -> Iterable[inspect.Type]:
    """A type and all types within it."""
    yield kind
    inner = [getattr(kind, name, None) for name in ("value_type", "item_type", "type")]
    inner += [one.type for one in getattr(kind, "fields", ())] + [*getattr(kind, "types", ())]
    for one in inner:
        if isinstance(one, inspect.Type):
            yield from _types(one)


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
